import KuraCore

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
    for name in columns {
      try bytes.append("| ")
      try bytes.append(name, escaping: MarkdownWriter.escape)
      try bytes.append(UInt8(ascii: " "))
    }
    try bytes.append("|\n")
    for _ in columns { try bytes.append("| --- ") }
    try bytes.append("|\n")
  }

  func write(_ row: RowBuffer) throws(StoreError) {
    for index in 0..<count {
      let slot = row[index]
      try bytes.append("| ")
      if slot.kind == .null { try bytes.append("NULL") }
      // The prefix of hexadecimal digits is a backslash, which Markdown wants twice.
      if slot.kind == .data, options.blobs == nil || options.blobs == .hex {
        try bytes.append(UInt8(ascii: "\\"))
      }
      try bytes.append(slot, options, escaping: MarkdownWriter.escape)
      try bytes.append(UInt8(ascii: " "))
    }
    try bytes.append("|\n")
  }

  func end() throws(StoreError) {}

  /// What would end the cell or begin markup.
  private static func escape(_ byte: UInt8) -> StaticString? {
    switch byte {
    case UInt8(ascii: "|"): "\\|"
    case UInt8(ascii: "\\"): "\\\\"
    case UInt8(ascii: "\n"): "<br>"
    case UInt8(ascii: "\r"): ""
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: "&"): "&amp;"
    default: nil
    }
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
    for name in columns {
      try bytes.append("<th>")
      try bytes.append(name, escaping: HTMLWriter.escape)
      try bytes.append("</th>")
    }
    try bytes.append("</tr></thead>\n<tbody>\n")
  }

  func write(_ row: RowBuffer) throws(StoreError) {
    try bytes.append("<tr>")
    for index in 0..<count {
      let slot = row[index]
      try bytes.append(slot.kind == .null ? "<td class=\"null\">" : "<td>")
      try bytes.append(slot, options, escaping: HTMLWriter.escape)
      try bytes.append("</td>")
    }
    try bytes.append("</tr>\n")
  }

  func end() throws(StoreError) { try bytes.append("</tbody>\n</table>\n") }

  /// A text outside a table.
  static func heading(_ text: String, to bytes: ByteWriter) throws(StoreError) {
    try bytes.append("<h2>")
    try bytes.append(text, escaping: escape)
    try bytes.append("</h2>\n")
  }

  private static func escape(_ byte: UInt8) -> StaticString? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): "&quot;"
    case 0: "\u{FFFD}"
    default: nil
    }
  }
}

extension ByteWriter {
  /// Adds a value; texts have some of their bytes replaced.
  fileprivate func append(
    _ slot: ColumnSlot, _ options: ValueOptions, escaping escape: (UInt8) -> StaticString?
  ) throws(StoreError) {
    switch slot.kind {
    case .text: try append(slot.bytes, escaping: escape)
    // Markup is text: foreign bytes become U+FFFD.
    case .malformedText: try append(PlainText.text(slot, options), escaping: escape)
    case .null, .bool, .integer, .double, .decimal, .date, .data, .uuid, .objectID:
      try PlainText.append(slot, options, to: self)
    }
  }

  fileprivate func append(_ text: String, escaping escape: (UInt8) -> StaticString?)
    throws(StoreError)
  {
    let fixed = try FixedBytes { writer throws(StoreError) in try writer.append(text) }
    try append(fixed.bytes, escaping: escape)
    withExtendedLifetime(fixed) {}
  }

  /// Adds UTF-8 with some of its ASCII bytes replaced.
  private func append(
    _ text: UnsafeRawBufferPointer, escaping escape: (UInt8) -> StaticString?
  ) throws(StoreError) {
    var start = 0
    for index in text.indices {
      guard let replacement = escape(text[index]) else { continue }
      try append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
      try append(replacement)
      start = index + 1
    }
    try append(UnsafeRawBufferPointer(rebasing: text[start...]))
  }
}
