import KuraCore

/// Base64 (RFC 4648) with the usual alphabet.
enum Base64 {
  /// The text of bytes.
  static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    var text: [UInt8] = []
    let writer = ByteWriter(capacity: 4096) { part throws(StoreError) in text += part }
    // Memory takes everything; nothing here can fail.
    try? writer.appendBase64(bytes)
    try? writer.flush()
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text, with or without padding; `nil` for other characters or a cut text.
  static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    for character in text {
      let value: UInt8
      switch character {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - 65
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - 71
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character + 4
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      case UInt8(ascii: "="):
        padding += 1
        continue
      default: return nil
      }
      guard padding == 0 else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 1
      if count % 4 == 0 {
        bytes += [
          UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
          UInt8(truncatingIfNeeded: bits),
        ]
        bits = 0
      }
    }
    guard padding == 0 || (count + padding) % 4 == 0 && padding < 3 else { return nil }
    switch count % 4 {
    case 0: return bytes
    // Bits beyond the last byte must be zero, or two texts would be the same bytes.
    case 2 where bits & 0xF == 0: return bytes + [UInt8(truncatingIfNeeded: bits >> 4)]
    case 3 where bits & 3 == 0:
      return bytes + [
        UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2),
      ]
    default: return nil
    }
  }
}
