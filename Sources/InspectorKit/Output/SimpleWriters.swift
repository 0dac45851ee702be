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
      if terminal.isOutputTerminal {
        try bytes.append(TerminalText.escaped(PlainText.text(row[index], options)))
      } else {
        try PlainText.append(row[index], options, to: bytes)
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
      let slot = row[index]
      try bytes.append(name)
      if slot.kind == .null {
        try bytes.append(" = NULL\n")
        continue
      }
      try bytes.append(" = ")
      if terminal.isOutputTerminal {
        try bytes.append(TerminalText.escaped(PlainText.text(slot, options)))
      } else {
        try PlainText.append(slot, options, to: bytes)
      }
      try bytes.append(UInt8(ascii: "\n"))
    }
  }

  func end() throws(StoreError) {}
}
