import KuraCore

/// Writes CSV (RFC 4180 with LF) or TSV.
///
/// CSV tells null (nothing) from an empty text (`""`); bytes are `\x` and hexadecimal digits. TSV
/// has no quotes: tab, newline, carriage return and backslash are `\t \n \r \\`, null is `\N`.
final class SeparatedWriter: RecordWriter {
  enum Style { case csv, tsv }

  private let bytes: ByteWriter
  private let options: ValueOptions
  private let style: Style
  private var count = 0

  init(_ bytes: ByteWriter, _ options: ValueOptions, _ style: Style) {
    self.bytes = bytes
    self.options = options
    self.style = style
  }

  private var separator: UInt8 { style == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t") }

  func begin(_ columns: [String]) throws(StoreError) {
    count = columns.count
    for (index, name) in columns.enumerated() {
      if index > 0 { try bytes.append(separator) }
      try appendText(name)
    }
    try bytes.append(UInt8(ascii: "\n"))
  }

  func write(_ row: RowBuffer) throws(StoreError) {
    if style == .csv { return try writeFields(row) }
    for index in 0..<count {
      if index > 0 { try bytes.append(separator) }
      try append(row[index])
    }
    try bytes.append(UInt8(ascii: "\n"))
  }

  /// Writes a row of CSV; what most rows are made of goes straight to its place.
  private func writeFields(_ row: RowBuffer) throws(StoreError) {
    var room = try ByteRoom(bytes)
    for index in 0..<count {
      let slot = row[index]
      try room.need(DecimalDigits.mostBytes + 1)
      if index > 0 { room.put(UInt8(ascii: ",")) }
      switch slot.kind {
      case .null: break
      case .integer: room.put(slot.integer)
      case .double where slot.double.isFinite: room.put(slot.double)
      case .text where slot.word1 > 0 && ByteSearch.isPlainCSV(slot.bytes):
        try room.append(slot.bytes)
      case .bool, .double, .decimal, .date, .text, .malformedText, .data, .uuid, .objectID:
        room.commit()
        try append(slot)
        try room.resume()
      }
    }
    try room.need(1)
    room.put(UInt8(ascii: "\n"))
    room.commit()
  }

  func end() throws(StoreError) {}

  private func append(_ slot: ColumnSlot) throws(StoreError) {
    switch slot.kind {
    case .null: if style == .tsv { try bytes.append("\\N") }
    case .integer: try bytes.append(slot.integer)
    case .text, .malformedText:
      if style == .csv { try appendQuoted(slot.bytes) } else { try appendEscaped(slot.bytes) }
    case .data where options.blobs != .base64 && options.blobs != .skip:
      try bytes.append(style == .csv ? "\\x" : "\\\\x")
      try bytes.appendHex(slot.bytes)
    case .double where slot.double.isFinite: try bytes.append(slot.double)
    case .bool, .double, .data, .date, .decimal, .uuid, .objectID:
      try bytes.append(PlainText.text(slot, options))
    }
  }

  private func appendText(_ text: String) throws(StoreError) {
    try Array(text.utf8).withUnsafeBufferPointer { part throws(StoreError) in
      let text = UnsafeRawBufferPointer(part)
      if style == .csv { try appendQuoted(text) } else { try appendEscaped(text) }
    }
  }

  /// A CSV field: quoted when it is empty or has a quote, comma or line end.
  private func appendQuoted(_ text: UnsafeRawBufferPointer) throws(StoreError) {
    guard text.isEmpty || !ByteSearch.isPlainCSV(text) else { return try bytes.append(text) }
    try bytes.append(UInt8(ascii: "\""))
    var start = 0
    for index in text.indices where text[index] == UInt8(ascii: "\"") {
      try bytes.append(UnsafeRawBufferPointer(rebasing: text[start...index]))
      try bytes.append(UInt8(ascii: "\""))
      start = index + 1
    }
    try bytes.append(UnsafeRawBufferPointer(rebasing: text[start...]))
    try bytes.append(UInt8(ascii: "\""))
  }

  private func appendEscaped(_ text: UnsafeRawBufferPointer) throws(StoreError) {
    for byte in text {
      switch byte {
      case 0x09: try bytes.append("\\t")
      case 0x0A: try bytes.append("\\n")
      case 0x0D: try bytes.append("\\r")
      case UInt8(ascii: "\\"): try bytes.append("\\\\")
      default: try bytes.append(byte)
      }
    }
  }
}
