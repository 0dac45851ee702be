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
}
