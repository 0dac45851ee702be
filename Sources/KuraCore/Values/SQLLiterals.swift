/// Values as SQL literals that SQLite reads back as exactly the same values.
package enum SQLLiterals {
  /// A name in double quotes.
  package static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  /// Adds the literal of a value.
  ///
  /// Text with U+0000, carriage returns or malformed UTF-8 is a cast blob: a literal ends at the
  /// first NUL, and the stock shell drops a carriage return at a line's end when it reads a script;
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

  private static func append(text: UnsafeRawBufferPointer, to bytes: ByteWriter)
    throws(StoreError)
  {
    var quotes = false
    for byte in text {
      if byte == 0 || byte == 0x0D { return try appendCast(text, to: bytes) }
      if byte == UInt8(ascii: "'") { quotes = true }
    }
    try bytes.append(UInt8(ascii: "'"))
    if quotes {
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
