/// Values as SQL literals that SQLite reads back as exactly the same values.
package enum SQLLiterals {
  /// A name in double quotes, quotes in it doubled.
  package static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  /// A text in single quotes, quotes in it doubled; it must not contain U+0000.
  package static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// Adds the literal of a value.
  ///
  /// Text with U+0000 or malformed UTF-8 is a cast blob, because a literal ends at the first NUL;
  /// infinities overflow on purpose; not-a-number, which SQLite cannot store, is NULL.
  package static func append(_ slot: ColumnSlot, to bytes: ByteWriter) throws(StoreError) {
    switch slot.kind {
    case .null: try bytes.append("NULL")
    case .bool, .integer:
      if slot.kind == .integer, slot.integer == .min {
        // The digits alone would be read as a real.
        return try bytes.append("-9223372036854775808")
      }
      try bytes.append(slot.integer)
    case .double:
      let value = slot.double
      if value.isNaN { return try bytes.append("NULL") }
      if value.isInfinite { return try bytes.append(value < 0 ? "-9e999" : "9e999") }
      try bytes.append(value)
    case .text: try append(text: slot.bytes, to: bytes)
    case .malformedText: try appendCast(slot.bytes, to: bytes)
    case .data:
      try bytes.append("X'")
      try bytes.appendHex(slot.bytes)
      try bytes.append(UInt8(ascii: "'"))
    case .decimal: try append(text: slot.bytes, to: bytes)
    case .date, .uuid, .objectID:
      try bytes.append(UInt8(ascii: "'"))
      try bytes.append(ValueText.text(of: slot))
      try bytes.append(UInt8(ascii: "'"))
    }
  }

  /// Adds a text.
  ///
  /// The sqlite3 shell drops a carriage return before a line feed even inside quotes, so that pair is
  /// written in a way that survives it.
  private static func append(text: UnsafeRawBufferPointer, to bytes: ByteWriter)
    throws(StoreError)
  {
    var hasQuote = false
    var hasLineEnd = false
    var hasEscape = false
    var previous: UInt8 = 0
    for byte in text where byte < 0x5D {
      switch byte {
      case 0: return try appendCast(text, to: bytes)
      case UInt8(ascii: "'"): hasQuote = true
      case 0x0D: hasLineEnd = true
      case UInt8(ascii: "\\"): hasEscape = true
      default: break
      }
    }
    guard hasLineEnd else { return try appendQuoted(text, hasQuote, to: bytes) }
    hasLineEnd = false
    for byte in text {
      if byte == 0x0A, previous == 0x0D { hasLineEnd = true }
      previous = byte
    }
    guard hasLineEnd else { return try appendQuoted(text, hasQuote, to: bytes) }
    guard let mark = marks.first(where: { !hasEscape || !contains(text, $0) }) else {
      return try appendCast(text, to: bytes)
    }
    try bytes.append("replace('")
    var start = 0
    for index in text.indices {
      let byte = text[index]
      if byte == UInt8(ascii: "'") {
        try bytes.append(UnsafeRawBufferPointer(rebasing: text[start...index]))
        start = index
      } else if byte == 0x0D, index + 1 < text.count, text[index + 1] == 0x0A {
        try bytes.append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
        try bytes.append(mark)
        start = index + 1
      }
    }
    try bytes.append(UnsafeRawBufferPointer(rebasing: text[start...]))
    try bytes.append("','")
    try bytes.append(mark)
    try bytes.append("',char(13))")
  }

  /// Stand for carriage returns; the first that a text does not hold already is taken.
  private static var marks: [StaticString] { ["\\r", "\\cr", "\\return"] }

  private static func contains(_ text: UnsafeRawBufferPointer, _ mark: StaticString) -> Bool {
    let part = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
    guard text.count >= part.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
  }

  private static func appendQuoted(
    _ text: UnsafeRawBufferPointer, _ hasQuote: Bool, to bytes: ByteWriter
  ) throws(StoreError) {
    try bytes.append(UInt8(ascii: "'"))
    if hasQuote {
      var start = 0
      for index in text.indices where text[index] == UInt8(ascii: "'") {
        try bytes.append(UnsafeRawBufferPointer(rebasing: text[start...index]))
        try bytes.append(UInt8(ascii: "'"))
        start = index + 1
      }
      try bytes.append(UnsafeRawBufferPointer(rebasing: text[start...]))
    } else {
      try bytes.append(text)
    }
    try bytes.append(UInt8(ascii: "'"))
  }

  private static func appendCast(_ text: UnsafeRawBufferPointer, to bytes: ByteWriter)
    throws(StoreError)
  {
    try bytes.append("CAST(X'")
    try bytes.appendHex(text)
    try bytes.append("' AS TEXT)")
  }
}
