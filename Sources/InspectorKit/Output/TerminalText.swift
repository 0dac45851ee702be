/// Text made safe for a terminal: what could move the cursor, change colours or reorder the line is
/// shown as an escape.
enum TerminalText {
  static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      guard isUnsafe(scalar) else {
        result.unicodeScalars.append(scalar)
        continue
      }
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        let digits = String(scalar.value, radix: 16)
        result +=
          scalar.value < 0x100
          ? "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
          : "\\u{" + digits + "}"
      }
    }
    return result
  }

  /// C0 and C1 controls, and the characters that change the direction of text (UAX #9).
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C,
      0x2028, 0x2029, 0xFEFF:
      true
    default: false
    }
  }
}

/// How many columns of a terminal a text takes.
enum TerminalWidth {
  /// The width of a text without control characters.
  static func of(_ text: String) -> Int {
    var width = 0
    for character in text { width += of(character) }
    return width
  }

  /// A character with all that combines with it is as wide as its base; a joined or coloured emoji
  /// is two columns wide.
  static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.value < 0x300 { return first.value < 0x20 ? 0 : 1 }
    if first.properties.isEmojiPresentation { return 2 }
    if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }),
      first.properties.isEmoji, first.value > 0xFF
    {
      return 2
    }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return isWide(first.value) ? 2 : 1
    }
  }

  /// Whether Unicode's EastAsianWidth.txt (version 15) has a scalar as W or F, by blocks.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
      0x1F200...0x1F2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD:
      true
    default: false
    }
  }

  /// A text cut to a width, with `…` for what is left out.
  static func cut(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    var result = ""
    var used = 0
    for character in text {
      let next = of(character)
      if used + next > width - 1 { break }
      used += next
      result.append(character)
    }
    return result + "…"
  }
}
