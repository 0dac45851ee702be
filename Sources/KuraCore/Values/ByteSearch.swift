/// Looks for a few kinds of bytes in text, eight bytes at a time.
package enum ByteSearch {
  /// Whether text can stand in a JSON string as it is: no control character, quote or backslash.
  package static func isPlainJSON(_ text: UnsafeRawBufferPointer) -> Bool {
    !contains(text, word: jsonEscapes) { byte in
      byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
  }

  /// Whether text can stand in a CSV field as it is: no quote, comma or line end.
  package static func isPlainCSV(_ text: UnsafeRawBufferPointer) -> Bool {
    !contains(text, word: csvQuotes) { byte in
      byte == 0x22 || byte == 0x2C || byte == 0x0A || byte == 0x0D
    }
  }

  /// Whether any byte is found; the two functions look for the same, `word` in eight bytes at once.
  @inline(__always)
  private static func contains(
    _ text: UnsafeRawBufferPointer, word: (UInt64) -> UInt64, byte: (UInt8) -> Bool
  ) -> Bool {
    guard let start = text.baseAddress else { return false }
    let count = text.count
    guard count >= 8 else {
      for index in 0..<count where byte(start.load(fromByteOffset: index, as: UInt8.self)) {
        return true
      }
      return false
    }
    var index = 0
    while index <= count &- 8 {
      if word(start.loadUnaligned(fromByteOffset: index, as: UInt64.self)) != 0 { return true }
      index &+= 8
    }
    // The last eight bytes, some of which were looked at before.
    return word(start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)) != 0
  }

  // A byte is zero when subtracting one borrows from its highest bit ("Hacker's Delight", 6-1); a
  // found byte may mark its upper neighbour as well, which does not change whether there is one.

  /// Not zero when one of eight bytes is a control character, a quote or a backslash.
  @inline(__always)
  static func jsonEscapes(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ ones &* 0x22
    let backslashes = word ^ ones &* 0x5C
    let found =
      (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
      | (backslashes &- ones) & ~backslashes
    return found & (ones &* 0x80)
  }

  /// Not zero when one of eight bytes is a quote, a comma, a newline or a carriage return.
  @inline(__always)
  private static func csvQuotes(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ ones &* 0x22
    let commas = word ^ ones &* 0x2C
    let newlines = word ^ ones &* 0x0A
    let returns = word ^ ones &* 0x0D
    let found =
      (quotes &- ones) & ~quotes | (commas &- ones) & ~commas
      | (newlines &- ones) & ~newlines | (returns &- ones) & ~returns
    return found & (ones &* 0x80)
  }
}
