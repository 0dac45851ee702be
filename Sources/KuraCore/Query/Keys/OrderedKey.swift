/// Builds byte strings whose `memcmp` order is the order of the values, in a buffer that is reused.
///
/// The encoding is part of the file format (docs/file-formats.md, "Ordered keys"): key-value
/// backends keep records and index entries under such keys, and sorting compares them. A component
/// does not need a separator: none is a prefix of another one of the same type.
package final class OrderedKey {
  // A key belongs to one thread and calls nothing back: exclusive access need not be checked for each
  // byte that is appended.
  @exclusivity(unchecked) @usableFromInline var storage: UnsafeMutableRawPointer
  @exclusivity(unchecked) @usableFromInline var capacity: Int
  /// The number of bytes so far.
  @exclusivity(unchecked) @usableFromInline package internal(set) var count = 0

  /// Makes an empty key.
  package init() {
    capacity = 512
    storage = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { storage.deallocate() }

  /// The bytes; valid until the key is changed.
  @inlinable package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: storage, count: count)
  }

  /// Forgets all bytes from an offset on.
  @inlinable package func truncate(to offset: Int = 0) { count = max(0, min(count, offset)) }

  /// Appends bytes as they are.
  @inlinable package func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    (storage + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends one byte.
  package func append(_ byte: UInt8) {
    reserve(1)
    storage.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends an integer, without its type.
  @inlinable package func append(integer: UInt64) { appendWord(integer ^ OrderedKey.signBit) }

  /// Appends a value that is not null, without its type: the form of primary keys.
  ///
  /// Null appends nothing.
  package func append(_ slot: ColumnSlot) {
    switch slot.kind {
    case .null: break
    case .bool: append(slot.word0 == 0 ? 0 : 1)
    case .integer: appendWord(slot.word0 ^ OrderedKey.signBit)
    case .double: appendWord(OrderedKey.orderedBits(slot.double))
    case .date:
      appendWord(slot.word0 ^ OrderedKey.signBit)
      appendHalfWord(UInt32(truncatingIfNeeded: slot.word1))
    case .decimal, .text, .malformedText, .data: appendEscaped(slot.bytes)
    case .uuid:
      appendWord(slot.word0)
      appendWord(slot.word1)
    case .objectID:
      appendWord(slot.word0)
      appendHalfWord(UInt32(truncatingIfNeeded: slot.word1))
    }
  }

  /// Appends a value after a byte for its type, so that null comes first and types do not mix: the
  /// form of index entries.
  package func appendTagged(_ slot: ColumnSlot) {
    append(slot.orderRank)
    append(slot)
  }

  /// Appends a value of a column of any type: as ``appendTagged(_:)``, but numbers order together.
  ///
  /// An integer and a double of the same number are equal. It cannot be read back; for sorting only.
  package func appendMixed(_ slot: ColumnSlot) {
    append(slot.orderRank)
    switch slot.kind {
    case .integer:
      // The greatest double that is not above the integer, and what is missing: below 1,024.
      var floor = Double(slot.integer)
      if NumberOrder.compare(slot.integer, floor) < 0 { floor = floor.nextDown }
      let rest = slot.integer &- (Int64(exactly: floor) ?? slot.integer)
      appendWord(OrderedKey.orderedBits(floor))
      append(UInt8(truncatingIfNeeded: rest >> 8))
      append(UInt8(truncatingIfNeeded: rest))
    case .double:
      appendWord(OrderedKey.orderedBits(slot.double))
      append(0)
      append(0)
    default: append(slot)
    }
  }

  /// Turns the order of the bytes from an offset on around, for descending order.
  package func invert(from offset: Int) {
    var index = max(0, offset)
    while index < count {
      let byte = storage.load(fromByteOffset: index, as: UInt8.self)
      storage.storeBytes(of: ~byte, toByteOffset: index, as: UInt8.self)
      index += 1
    }
  }

  /// Changes the bytes to the least string that is greater than every string that they begin.
  ///
  /// - Returns: Whether there is one; there is none after strings of 0xFF.
  package func advancePastPrefix() -> Bool {
    while count > 0 {
      let byte = storage.load(fromByteOffset: count - 1, as: UInt8.self)
      if byte < 0xFF {
        storage.storeBytes(of: byte + 1, toByteOffset: count - 1, as: UInt8.self)
        return true
      }
      count -= 1
    }
    return false
  }

  /// A zero byte ends the bytes; 0 and 1 inside are written 01 01 and 01 02.
  private func appendEscaped(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count * 2 + 1)
    var end = count
    for byte in bytes {
      if byte > 1 {
        storage.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
        end += 1
      } else {
        storage.storeBytes(of: 1, toByteOffset: end, as: UInt8.self)
        storage.storeBytes(of: byte + 1, toByteOffset: end + 1, as: UInt8.self)
        end += 2
      }
    }
    storage.storeBytes(of: 0, toByteOffset: end, as: UInt8.self)
    count = end + 1
  }

  @inlinable func appendWord(_ word: UInt64) {
    reserve(8)
    storage.storeBytes(of: word.bigEndian, toByteOffset: count, as: UInt64.self)
    count += 8
  }

  private func appendHalfWord(_ word: UInt32) {
    reserve(4)
    storage.storeBytes(of: word.bigEndian, toByteOffset: count, as: UInt32.self)
    count += 4
  }

  @inlinable @inline(__always)
  func reserve(_ byteCount: Int) {
    guard count + byteCount > capacity else { return }
    grow(byteCount)
  }

  @usableFromInline
  func grow(_ byteCount: Int) {
    let larger = max(count + byteCount, capacity * 2)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
    moved.copyMemory(from: storage, byteCount: count)
    storage.deallocate()
    storage = moved
    capacity = larger
  }

  @inlinable static var signBit: UInt64 { 1 << 63 }

  /// Bits whose order is that of the numbers; one zero, and one not-a-number after all others.
  static func orderedBits(_ value: Double) -> UInt64 {
    if value.isNaN { return .max }
    let bits = (value == 0 ? 0 : value).bitPattern
    return bits & signBit == 0 ? bits | signBit : ~bits
  }
}
