import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A walk over the entries of one range of keys, in either direction.
final class RangeWalk<Cursor: KeyValueCursor> {
  let cursor: Cursor
  private let isDescending: Bool
  private let lower = OrderedKey()
  private let upper = OrderedKey()
  private var hasUpper = false
  private var isBegun = false

  init(_ cursor: Cursor, _ range: KeyRange, isDescending: Bool) {
    self.cursor = cursor
    self.isDescending = isDescending
    restart(range)
  }

  /// Moves before the first entry of a range.
  func restart(_ range: KeyRange) {
    lower.truncate()
    unsafe range.lower.withUnsafeBytes { unsafe lower.append($0) }
    upper.truncate()
    hasUpper = range.upper != nil
    unsafe range.upper?.withUnsafeBytes { unsafe upper.append($0) }
    isBegun = false
  }

  /// Moves to the next entry of the range.
  @inline(__always)
  func next() throws(StoreError) -> Bool {
    guard isBegun else { return try begin() }
    guard try isDescending ? cursor.previous() : cursor.next() else { return false }
    return isInside
  }

  private func begin() throws(StoreError) -> Bool {
    isBegun = true
    let isFound: Bool
    if !isDescending {
      isFound = unsafe lower.count == 0 ? try cursor.first() : try cursor.seek(lower.bytes)
    } else if hasUpper, unsafe try cursor.seek(upper.bytes) {
      isFound = try cursor.previous()
    } else {
      isFound = try cursor.last()
    }
    return isFound && isInside
  }

  /// Whether the entry is before the end at which the walk aims.
  @inline(__always)
  private var isInside: Bool {
    if isDescending {
      return unsafe lower.count == 0 || ByteOrder.compare(cursor.key, lower.bytes) >= 0
    }
    return unsafe !hasUpper || ByteOrder.compare(cursor.key, upper.bytes) < 0
  }
}

/// The order of keys: by bytes, a prefix first.
enum ByteOrder {
  /// Less than, equal to or greater than 0, as the first key is to the second.
  @inline(__always)
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    if common > 0, let first = left.baseAddress, let second = right.baseAddress {
      let result = unsafe memcmp(first, second, common)
      if result != 0 { return Int(result) }
    }
    return left.count - right.count
  }

  /// Whether bytes begin with others.
  static func begins(_ bytes: UnsafeRawBufferPointer, with prefix: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= prefix.count else { return false }
    return unsafe compare(UnsafeRawBufferPointer(rebasing: bytes.prefix(prefix.count)), prefix) == 0
  }
}
