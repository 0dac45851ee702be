/// Text made safe for a terminal: what could move the cursor, change colours or reorder the line is
/// shown as an escape.
enum TerminalText {
  static func escaped(_ text: String) -> String {
    guard !isPlain(text), text.unicodeScalars.contains(where: isUnsafe) else { return text }
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

  /// Whether a text has only bytes that no unsafe character has, as nearly all texts do.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      // Controls, and the first bytes of U+0080, U+061C, U+200E, U+FEFF and those near them.
      case 0x00..<0x20, 0x7F, 0xC2, 0xD8, 0xE2, 0xEF: false
      default: true
      }
    }
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
