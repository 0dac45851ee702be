/// Whether bytes are text.
package enum UTF8Validation {
  /// Whether bytes are well-formed UTF-8 (Unicode 15, table 3-7); NUL is a character like any other.
  @inlinable
  package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    let count = bytes.count
    if isASCII(base, count) { return true }
    var index = 0
    // Much of most text is ASCII: eight bytes at a time.
    while index + 8 <= count,
      (base + index).loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      index += 8
    }
    while index < count, base.load(fromByteOffset: index, as: UInt8.self) < 0x80 { index += 1 }
    return index == count || isValidTail(bytes, from: index)
  }

  /// Whether a text of eight bytes or more is ASCII, as most text is: a short cut for loops.
  @inlinable @inline(__always)
  package static func isASCII(_ start: UnsafeRawPointer, _ byteCount: Int) -> Bool {
    guard byteCount >= 8 else { return false }
    let last = start + (byteCount &- 8)
    var bits = last.loadUnaligned(as: UInt64.self)
    var next = start
    while next < last {
      bits |= next.loadUnaligned(as: UInt64.self)
      next += 8
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Checks from an offset on, byte by byte.
  @usableFromInline
  package static func isValidTail(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
    var index = start
    let count = bytes.count
    while index < count {
      let first = bytes[index]
      let length: Int
      var lower: UInt8 = 0x80
      var upper: UInt8 = 0xBF
      switch first {
      case 0x00...0x7F:
        index += 1
        continue
      case 0xC2...0xDF: length = 2
      case 0xE0:
        length = 3
        lower = 0xA0
      case 0xE1...0xEC, 0xEE, 0xEF: length = 3
      case 0xED:
        length = 3
        upper = 0x9F  // surrogates
      case 0xF0:
        length = 4
        lower = 0x90
      case 0xF1...0xF3: length = 4
      case 0xF4:
        length = 4
        upper = 0x8F
      default: return false
      }
      guard count - index >= length, (lower...upper).contains(bytes[index + 1]) else {
        return false
      }
      for offset in 2..<max(2, length) where bytes[index + offset] & 0xC0 != 0x80 { return false }
      index += length
    }
    return true
  }
}
