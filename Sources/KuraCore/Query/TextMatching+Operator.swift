extension TextMatching {
  /// Whether an operator holds between the bytes of two values.
  static func matches(
    _ text: UnsafeRawBufferPointer, _ match: Condition.TextOperator,
    _ other: UnsafeRawBufferPointer
  ) -> Bool {
    switch match {
    case .contains: contains(text, other)
    case .beginsWith: begins(text, with: other)
    case .endsWith: ends(text, with: other)
    case .like: like(text, pattern: other)
    }
  }

  /// Whether a pattern of LIKE ends with a backslash that escapes nothing.
  static func endsInsideEscape(_ pattern: String) -> Bool {
    var isEscaped = false
    for byte in pattern.utf8 { isEscaped = !isEscaped && byte == UInt8(ascii: "\\") }
    return isEscaped
  }

  /// The bytes with which every text that fits a pattern of LIKE begins, and whether they are all of it.
  static func literalPrefix(of pattern: String) -> (prefix: [UInt8], isWhole: Bool) {
    var prefix: [UInt8] = []
    var isEscaped = false
    for byte in pattern.utf8 {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") {
        return (prefix, false)
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
        continue
      }
      prefix.append(byte)
    }
    // A backslash at the end, which the binder refuses, means itself.
    if isEscaped { prefix.append(UInt8(ascii: "\\")) }
    return (prefix, true)
  }
}
