/// Cuts a query's text into tokens, one at a time.
struct QueryLexer {
  let source: QuerySource
  var offset = 0
  /// Whether a dot would continue a path instead of beginning a number.
  private var afterName = false

  init(_ source: QuerySource) { self.source = source }

  var bytes: [UInt8] { source.bytes }

  func byte(at offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// The next token; `.end` again and again at the end.
  mutating func next() -> QueryToken {
    skipSpace()
    let start = offset
    let kind: QueryToken.Kind
    do {
      kind = try scan()
    } catch {
      offset = bytes.count
      kind = .invalid(error)
    }
    switch kind {
    case .word, .quotedName, .variable: afterName = true
    default: afterName = false
    }
    return QueryToken(kind: kind, range: start..<max(start, offset))
  }

  private mutating func skipSpace() {
    while let byte = byte(at: offset) {
      if byte == 0x20 || (0x09...0x0D).contains(byte) {
        offset += 1
      } else if byte >= 0x80, let (scalar, length) = scalar(at: offset),
        scalar.properties.isWhitespace
      {
        offset += length
      } else {
        return
      }
    }
  }

  private mutating func scan() throws(StoreError) -> QueryToken.Kind {
    guard let first = byte(at: offset) else { return .end }
    switch first {
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .value(.text(try scanString()))
    case UInt8(ascii: "`"): return .quotedName(try scanQuotedName())
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return .value(try scanNumber())
    case UInt8(ascii: "-") where isDigit(offset + 1) || isFraction(offset + 1):
      return .value(try scanNumber())
    case UInt8(ascii: ".") where !afterName && isDigit(offset + 1):
      return .value(try scanNumber())
    case UInt8(ascii: "%"), UInt8(ascii: "$"), UInt8(ascii: ":"): return try scanArgument(first)
    default: break
    }
    if let word = scanWord() {
      if let quote = byte(at: offset), quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
        return .value(try scanPrefixed(word))
      }
      return .word(word)
    }
    return .sign(try scanSign())
  }

  func isDigit(_ offset: Int) -> Bool {
    byte(at: offset).map { (48...57).contains($0) } ?? false
  }

  private func isFraction(_ offset: Int) -> Bool {
    byte(at: offset) == UInt8(ascii: ".") && isDigit(offset + 1)
  }

  /// The scalar at an offset of the text, which is valid UTF-8, and its bytes.
  func scalar(at offset: Int) -> (Unicode.Scalar, Int)? {
    guard let first = byte(at: offset) else { return nil }
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard offset + length <= bytes.count,
      let scalar = String(decoding: bytes[offset..<(offset + length)], as: UTF8.self)
        .unicodeScalars.first
    else { return nil }
    return (scalar, length)
  }

  /// Letters, digits, marks and `_` of any script; a digit does not begin a name.
  mutating func scanWord() -> String? {
    let start = offset
    while let byte = byte(at: offset) {
      if byte < 0x80 {
        let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
        guard isLetter || (offset > start && (48...57).contains(byte)) else { break }
        offset += 1
      } else {
        guard let (scalar, length) = scalar(at: offset), scalar.isNameScalar else { break }
        offset += length
      }
    }
    return offset == start ? nil : String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func scanArgument(_ first: UInt8) throws(StoreError) -> QueryToken.Kind {
    let start = offset
    offset += 1
    switch first {
    case UInt8(ascii: "%"):
      guard byte(at: offset) == UInt8(ascii: "@") else {
        throw source.error(
          "\"%\" alone means nothing", at: start,
          suggestion: "write %@ for the next argument")
      }
      offset += 1
      return .nextArgument
    case UInt8(ascii: "$"):
      let digits = offset
      if let name = scanWord() { return .variable(name) }
      while isDigit(offset) { offset += 1 }
      guard let index = Int(String(decoding: bytes[digits..<offset], as: UTF8.self)) else {
        throw source.error(
          "\"$\" must be followed by an argument's number", at: start,
          suggestion: "write $0 for the first argument, or $x inside SUBQUERY(items, $x, …)")
      }
      return .argument(index)
    default:
      guard let name = scanWord() else {
        throw source.error("\":\" must be followed by an argument's name", at: start)
      }
      return .namedArgument(name)
    }
  }

  private mutating func scanSign() throws(StoreError) -> QueryToken.Sign {
    let start = offset
    let first = bytes[start]
    let second = byte(at: start + 1)
    let sign: QueryToken.Sign?
    switch (Unicode.Scalar(first), second.map { Unicode.Scalar($0) }) {
    case ("=", "="): sign = .equal
    // NSPredicate knows `=<` and `=>` as well.
    case ("<", "="), ("=", "<"): sign = .lessOrEqual
    case (">", "="), ("=", ">"): sign = .greaterOrEqual
    case ("!", "="), ("<", ">"): sign = .notEqual
    case ("&", "&"): sign = .and
    case ("|", "|"): sign = .or
    default: sign = nil
    }
    if let sign {
      offset += 2
      return sign
    }
    if first == UInt8(ascii: "=") {
      offset += 1
      return .equal
    }
    if first < 0x80, let sign = QueryToken.Sign(rawValue: String(Unicode.Scalar(first))) {
      offset += 1
      return sign
    }
    let shown = scalar(at: start).map { source.excerpt(start..<(start + $0.1)) } ?? "?"
    let suggestion: String? =
      switch shown {
      case "‘", "’", "“", "”", "„", "「", "」": "put texts between straight quotes: 'text'"
      case "&": "write AND or &&"
      case "|": "write OR or ||"
      case "≤": "write <="
      case "≥": "write >="
      case "≠": "write !="
      case "#", "~", "^", "\\", ";", "?": nil
      default: "put unusual names between backquotes: `name`"
      }
    throw source.error(
      "the character \"\(shown)\" means nothing here", at: start, suggestion: suggestion)
  }
}

extension Unicode.Scalar {
  /// Whether an unquoted name may contain the scalar; only for those beyond ASCII.
  fileprivate var isNameScalar: Bool {
    if properties.isAlphabetic { return true }
    switch properties.generalCategory {
    case .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark,
      .enclosingMark, .connectorPunctuation:
      return true
    default: return false
    }
  }
}
