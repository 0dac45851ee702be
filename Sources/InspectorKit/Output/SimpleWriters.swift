import KuraCore

/// Writes values separated by `|`, one record a line, without a header.
final class ListWriter: RecordWriter {
  private let bytes: ByteWriter
  private let options: ValueOptions
  private let terminal: Terminal
  private var count = 0

  init(_ bytes: ByteWriter, _ options: ValueOptions, _ terminal: Terminal) {
    self.bytes = bytes
    self.options = options
    self.terminal = terminal
  }

  func begin(_ columns: [String]) throws(StoreError) { count = columns.count }

  func write(_ row: RowBuffer) throws(StoreError) {
    for index in 0..<count {
      if index > 0 { try bytes.append(UInt8(ascii: "|")) }
      let slot = row[index]
      if terminal.isOutputTerminal {
        try bytes.append(TerminalText.escaped(PlainText.text(slot, options)))
      } else if slot.kind == .malformedText {
        try bytes.append(slot.bytes)
      } else {
        try bytes.append(PlainText.text(slot, options))
      }
    }
    try bytes.append(UInt8(ascii: "\n"))
  }

  func end() throws(StoreError) {}
}

/// Writes `name = value` lines and an empty line between records.
final class LineWriter: RecordWriter {
  private let bytes: ByteWriter
  private let options: ValueOptions
  private let terminal: Terminal
  private var names: [String] = []
  private var isFirst = true

  init(_ bytes: ByteWriter, _ options: ValueOptions, _ terminal: Terminal) {
    self.bytes = bytes
    self.options = options
    self.terminal = terminal
  }

  func begin(_ columns: [String]) throws(StoreError) {
    let columns = terminal.isOutputTerminal ? columns.map(TerminalText.escaped) : columns
    let width = columns.map { TerminalWidth.of($0) }.max() ?? 0
    names = columns.map { String(repeating: " ", count: width - TerminalWidth.of($0)) + $0 }
  }

  func write(_ row: RowBuffer) throws(StoreError) {
    if !isFirst { try bytes.append(UInt8(ascii: "\n")) }
    isFirst = false
    for (index, name) in names.enumerated() {
      let text = row[index].kind == .null ? "NULL" : PlainText.text(row[index], options)
      try bytes.append(
        "\(name) = \(terminal.isOutputTerminal ? TerminalText.escaped(text) : text)\n")
    }
  }

  func end() throws(StoreError) {}
}

/// Writes a table in GitHub's Markdown.
final class MarkdownWriter: RecordWriter {
  private let bytes: ByteWriter
  private let options: ValueOptions
  private var count = 0

  init(_ bytes: ByteWriter, _ options: ValueOptions) {
    self.bytes = bytes
    self.options = options
  }

  func begin(_ columns: [String]) throws(StoreError) {
    count = columns.count
    try line(columns)
    try line(columns.map { _ in "---" }, isRule: true)
  }

  func write(_ row: RowBuffer) throws(StoreError) {
    try line((0..<count).map { row[$0].kind == .null ? "NULL" : PlainText.text(row[$0], options) })
  }

  func end() throws(StoreError) {}

  private func line(_ cells: [String], isRule: Bool = false) throws(StoreError) {
    for cell in cells {
      try bytes.append("| \(isRule ? cell : MarkdownWriter.escaped(cell)) ")
    }
    try bytes.append("|\n")
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "|": result += "\\|"
      case "\\": result += "\\\\"
      case "\n": result += "<br>"
      case "\r": break
      case "<": result += "&lt;"
      case "&": result += "&amp;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// Writes an HTML table.
final class HTMLWriter: RecordWriter {
  private let bytes: ByteWriter
  private let options: ValueOptions
  private var count = 0

  init(_ bytes: ByteWriter, _ options: ValueOptions) {
    self.bytes = bytes
    self.options = options
  }

  func begin(_ columns: [String]) throws(StoreError) {
    count = columns.count
    try bytes.append("<table>\n<thead><tr>")
    for name in columns { try bytes.append("<th>\(HTMLWriter.escaped(name))</th>") }
    try bytes.append("</tr></thead>\n<tbody>\n")
  }

  func write(_ row: RowBuffer) throws(StoreError) {
    try bytes.append("<tr>")
    for index in 0..<count {
      if row[index].kind == .null {
        try bytes.append("<td class=\"null\"></td>")
      } else {
        try bytes.append("<td>\(HTMLWriter.escaped(PlainText.text(row[index], options)))</td>")
      }
    }
    try bytes.append("</tr>\n")
  }

  func end() throws(StoreError) { try bytes.append("</tbody>\n</table>\n") }

  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\u{0}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
