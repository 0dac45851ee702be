import KuraCore

/// How clean bytes are as text.
enum TextCleanness {
  /// Not UTF-8, or with control characters.
  case none
  /// With line feeds, carriage returns or tabs.
  case lines
  /// Without any control character.
  case plain

  /// Looks at bytes.
  static func of(_ bytes: UnsafeRawBufferPointer) -> TextCleanness {
    guard UTF8Validation.isValid(bytes) else { return .none }
    var result = TextCleanness.plain
    var index = 0
    while index < bytes.count {
      if index + 8 <= bytes.count,
        !hasControl(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      {
        index += 8
        continue
      }
      switch bytes[index] {
      case 0x09, 0x0A, 0x0D: result = .lines
      case 0..<0x20, 0x7F: return .none
      default: break
      }
      index += 1
    }
    return result
  }

  /// Whether one of eight bytes is below 0x20 or 0x7F.
  @inline(__always)
  private static func hasControl(_ word: UInt64) -> Bool {
    let (ones, high): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let delete = word ^ ones &* 0x7F
    let found = (word &- ones &* 0x20) & ~word | (delete &- ones) & ~delete
    return found & high != 0
  }
}
