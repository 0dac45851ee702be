#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The orders of keys that a file records; a comparison function of an application is not recorded.
package enum KeyOrder: Sendable, Hashable {
  /// By bytes, then the shorter one first.
  case bytes
  /// By bytes from the end, then the shorter one first.
  case reversed
  /// As little-endian unsigned integers.
  case integer

  /// Less than, equal to or greater than 0, as the first key is to the second.
  @inline(__always)
  func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    guard self == .bytes else { return unsafe compareSlowly(left, right) }
    let common = min(left.count, right.count)
    if common > 0, let first = left.baseAddress, let second = right.baseAddress {
      let result = unsafe memcmp(first, second, common)
      if result != 0 { return Int(result) }
    }
    return left.count - right.count
  }

  private func compareSlowly(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer)
    -> Int
  {
    if self == .integer {
      // The highest byte is the last; a longer number is greater by what stands above the shorter.
      var at = max(left.count, right.count) - 1
      while at >= 0 {
        let first = at < left.count ? unsafe left[at] : 0
        let second = at < right.count ? unsafe right[at] : 0
        if first != second { return Int(first) - Int(second) }
        at -= 1
      }
      return left.count - right.count
    }
    var first = left.count - 1
    var second = right.count - 1
    while first >= 0, second >= 0 {
      let difference = unsafe Int(left[first]) - Int(right[second])
      if difference != 0 { return difference }
      first -= 1
      second -= 1
    }
    return left.count - right.count
  }
}
