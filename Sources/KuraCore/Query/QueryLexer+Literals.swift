#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension QueryLexer {
  /// A number: an integer, or a double when it has a point or an exponent.
  mutating func scanNumber() throws(StoreError) -> StoredValue {
    let start = offset
    var isInteger = true
    if byte(at: offset) == UInt8(ascii: "-") { offset += 1 }
    while isDigit(offset) { offset += 1 }
    if byte(at: offset) == UInt8(ascii: "."), isDigit(offset + 1) {
      isInteger = false
      offset += 1
      while isDigit(offset) { offset += 1 }
    }
    if let letter = byte(at: offset), letter == UInt8(ascii: "e") || letter == UInt8(ascii: "E") {
      var exponent = offset + 1
      if let sign = byte(at: exponent), sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
        exponent += 1
      }
      if isDigit(exponent) {
        isInteger = false
        offset = exponent
        while isDigit(offset) { offset += 1 }
      }
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if scanWord() != nil || byte(at: offset) == UInt8(ascii: ".") {
      throw source.error(
        "\"\(source.excerpt(start..<max(offset, start + 1)))\" is no number", at: start,
        suggestion: "names that begin with a digit need backquotes, texts need quotes")
    }
    if isInteger {
      guard let value = Int64(text) else {
        throw source.error(
          "the integer is out of range", at: start,
          suggestion: "integers are \(Int64.min) to \(Int64.max); write a point for a double")
      }
      return .integer(value)
    }
    guard let value = Double(text), value.isFinite else {
      throw source.error("the number is out of a double's range", at: start)
    }
    return .double(value)
  }

  /// A text in single or double quotes; the quote is doubled or escaped inside.
  mutating func scanString() throws(StoreError) -> String {
    let start = offset
    let quote = bytes[offset]
    offset += 1
    var content: [UInt8] = []
    while let byte = byte(at: offset) {
      offset += 1
      if byte == quote {
        guard self.byte(at: offset) == quote else {
          return String(decoding: content, as: UTF8.self)
        }
        offset += 1
        content.append(quote)
      } else if byte == UInt8(ascii: "\\") {
        try scanEscape(into: &content)
      } else {
        content.append(byte)
      }
    }
    throw source.error(
      "the text that begins here has no end", at: start,
      suggestion: "close it with \(Character(Unicode.Scalar(quote)))")
  }

  /// What follows a backslash.
  ///
  /// `\*` and `\?` stay as they are: they are escapes of LIKE.
  private mutating func scanEscape(into content: inout [UInt8]) throws(StoreError) {
    let start = offset - 1
    guard let byte = byte(at: offset) else {
      throw source.error("the text ends inside an escape", at: start)
    }
    offset += 1
    switch byte {
    case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      content.append(byte)
    case UInt8(ascii: "*"), UInt8(ascii: "?"): content += [UInt8(ascii: "\\"), byte]
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "0"): content.append(0)
    case UInt8(ascii: "u"):
      let scalar = try scanScalar(escapeStart: start)
      content += Array(String(Character(scalar)).utf8)
    default:
      throw source.error(
        "unknown escape in a text", at: start,
        suggestion: "known are \\\\ \\' \\\" \\n \\r \\t \\0 \\u{1F95A}, and \\* \\? for LIKE")
    }
  }

  /// `\u{1F95A}` or `\u00e9`.
  private mutating func scanScalar(escapeStart: Int) throws(StoreError) -> Unicode.Scalar {
    let isBraced = byte(at: offset) == UInt8(ascii: "{")
    if isBraced { offset += 1 }
    var value: UInt32 = 0
    var digits = 0
    while digits < (isBraced ? 8 : 4), let nibble = byte(at: offset).flatMap(hexDigitValue) {
      value = value << 4 | UInt32(nibble)
      digits += 1
      offset += 1
    }
    let isClosed = !isBraced || byte(at: offset) == UInt8(ascii: "}")
    guard isClosed, digits == 4 || (isBraced && digits > 0), let scalar = Unicode.Scalar(value)
    else {
      throw source.error(
        "the escape is no Unicode scalar", at: escapeStart,
        suggestion: "write \\u{1F95A} or four digits as in \\u00e9")
    }
    if isBraced { offset += 1 }
    return scalar
  }

  /// A name in backquotes; a backquote inside is doubled.
  mutating func scanQuotedName() throws(StoreError) -> String {
    let start = offset
    let quote = UInt8(ascii: "`")
    offset += 1
    var content: [UInt8] = []
    while let byte = byte(at: offset) {
      offset += 1
      if byte != quote {
        content.append(byte)
      } else if self.byte(at: offset) == quote {
        content.append(quote)
        offset += 1
      } else {
        guard !content.isEmpty else { throw source.error("the name is empty", at: start) }
        return String(decoding: content, as: UTF8.self)
      }
    }
    throw source.error(
      "the name that begins here has no end", at: start, suggestion: "close it with `")
  }

  /// A literal such as `date'2026-11-30'`, whose prefix was read.
  mutating func scanPrefixed(_ prefix: String) throws(StoreError) -> StoredValue {
    let start = offset - prefix.utf8.count
    let text = try scanString()
    let value: StoredValue?
    let form: String
    switch prefix.lowercased() {
    case "x":
      value = StoredValue.bytes(hex: text).map { .data($0) }
      form = "X'00ff': an even number of hexadecimal digits"
    case "date":
      value = Timestamp(iso8601: text).map { .date($0) }
      form = "date'2026-11-30 01:02:03' in UTC, years 0000 to 9999"
    case "uuid":
      value = ValueText.uuid(text).map { .uuid($0) }
      form = "uuid'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'"
    case "oid":
      value = ObjectID(text).map { .objectID($0) }
      form = "oid'507f1f77bcf86cd799439011': 24 hexadecimal digits"
    case "decimal":
      value = Decimal(plainText: text).map { .decimal($0) }
      form = "decimal'1.20', at most 38 digits"
    default:
      let hint = closestMatch(prefix, in: ["date", "uuid", "oid", "decimal"])
      throw source.error(
        "\"\(source.excerpt(start..<(start + prefix.utf8.count)))\" is no kind of literal",
        at: start,
        suggestion: hint.map { "did you mean \($0)'…'?" }
          ?? "known are date'…' uuid'…' oid'…' decimal'…' X'…'")
    }
    guard let value else {
      throw source.error("the literal cannot be read", at: start, suggestion: "write \(form)")
    }
    return value
  }
}
