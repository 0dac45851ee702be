/// How many columns of a terminal a text takes.
///
/// The widths are those of Unicode's East Asian Width (UAX #11); marks and format characters take
/// none. Emoji sequences count as the one picture that terminals show.
enum TerminalWidth {
  /// The width of a text; control characters count as nothing.
  static func of(_ text: String) -> Int {
    if let width = simpleWidth(text) { return width }
    var width = 0
    for character in text { width += of(character) }
    return width
  }

  /// The width of a text of Latin letters, whose characters all are scalars of one column.
  private static func simpleWidth(_ text: String) -> Int? {
    var width = 0
    for byte in text.utf8 {
      switch byte {
      case 0x20..<0x7F, 0xC3..<0xCC: width += 1
      // A byte that goes on with a scalar; those that begin with 0xC2 may be controls.
      case 0x80..<0xC0: break
      default: return nil
      }
    }
    return width
  }

  /// The width of a character with all that combines with it.
  static func of(_ character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii < 0x20 || ascii == 0x7F ? 0 : 1 }
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if first.properties.isEmoji, scalars.dropFirst().contains(where: makesPicture) { return 2 }
    // Not only the base counts: Thai vowels and Devanagari consonants follow it in cells of their
    // own although they belong to the same character.
    var width = 0
    for scalar in scalars { width += of(scalar) }
    return width
  }

  /// A text cut to a width, with `…` in place of what is left out.
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
    return width > 0 ? result + "…" : result
  }

  /// Whether a scalar after an emoji makes one picture of both: the emoji variation selector, the
  /// joiner, a skin tone.
  private static func makesPicture(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xFE0F, 0x200D, 0x1F3FB...0x1F3FF: true
    default: false
    }
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) ? 0 : 1 }
    // The second and third parts of a Hangul syllable join the first one's two columns.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .surrogate,
      .lineSeparator, .paragraphSeparator:
      return 0
    default: return isWide(value) ? 2 : 1
    }
  }

  /// Whether EastAsianWidth.txt of Unicode 18 has a scalar as W or F.
  ///
  /// Ranges are joined over unassigned scalars.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0, 0x23F3,
      0x25FD...0x25FE, 0x2614...0x2615, 0x2630...0x2637, 0x2648...0x2653, 0x267F, 0x268A...0x268F,
      0x2693, 0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE, 0x26D4, 0x26EA,
      0x26F2...0x26F3, 0x26F5, 0x26FA, 0x26FD, 0x2705, 0x270A...0x270B, 0x2728, 0x274C, 0x274E,
      0x2753...0x2755, 0x2757, 0x2795...0x2797, 0x27B0, 0x27BF, 0x2B1B...0x2B1C, 0x2B50, 0x2B55:
      true
    case 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
      0x16FE0...0x1B2FB, 0x1D300...0x1D376, 0x20000...0x3FFFD:
      true
    case 0x1F004, 0x1F0CF, 0x1F18E, 0x1F191...0x1F19A, 0x1F1AE, 0x1F200...0x1F320,
      0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA,
      0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440,
      0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A,
      0x1F595...0x1F596, 0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC,
      0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7DA,
      0x1F7E0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF,
      0x1FA70...0x1FAFA:
      true
    default: false
    }
  }
}
