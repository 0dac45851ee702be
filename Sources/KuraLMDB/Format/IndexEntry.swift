import KuraCore

/// Builds the entries of one index: docs/file-formats.md, "LMDB", "Index entries".
///
/// An entry belongs to one thread at a time and is reused from record to record.
@safe final class IndexEntry {
  /// The columns of the indexed properties.
  private let columns: [Int]
  private let whole = OrderedKey()
  private let valueStorage: UnsafeMutableRawPointer
  private var valueCount = 2

  /// The bytes of the components in front of the record's key, before any cutting.
  private(set) var componentCount = 0
  /// Whether a component is null, so that the entry clashes with no other one.
  private(set) var hasNull = false
  /// Whether the entry's key was cut.
  private(set) var isCut = false

  init(columns: [Int]) {
    self.columns = columns
    unsafe valueStorage = .allocate(byteCount: 2 + OrderedKey.longestKey, alignment: 2)
  }

  deinit { unsafe valueStorage.deallocate() }

  /// Makes the components of a row of all properties; ``key`` is their bytes until ``finish(_:)``.
  func begin(_ row: RowBuffer) {
    whole.truncate()
    hasNull = false
    isCut = false
    for column in columns {
      let slot = row[column]
      if slot.kind == .null { hasNull = true }
      whole.appendTagged(slot)
    }
    componentCount = whole.count
  }

  /// Completes the entry with the key of its record.
  func finish(_ recordKey: UnsafeRawBufferPointer) {
    unsafe whole.append(recordKey)
    isCut = whole.cutIfTooLong()
    let mark = isCut ? LMDBFormat.cutEntryMark : UInt16(truncatingIfNeeded: componentCount)
    unsafe valueStorage.storeBytes(of: mark.littleEndian, as: UInt16.self)
    valueCount = 2
    if isCut, let source = recordKey.baseAddress {
      let count = min(recordKey.count, OrderedKey.longestKey)
      unsafe (valueStorage + 2).copyMemory(from: source, byteCount: count)
      valueCount += count
    }
  }

  /// The bytes of the entry's key; valid until the next call.
  var key: UnsafeRawBufferPointer { unsafe whole.bytes }

  /// The part of the components by which entries of equal ones are found: all of it, or what cutting
  /// leaves of it.
  var probe: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(
      rebasing: whole.bytes.prefix(min(componentCount, OrderedKey.longestBound)))
  }

  /// The bytes of the entry's value; valid until the next call.
  var value: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: valueStorage, count: valueCount)
  }

  /// The key of an entry's record; `nil` when the entry contradicts itself.
  @inline(__always)
  static func recordKey(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer)
    -> UnsafeRawBufferPointer?
  {
    guard value.count >= 2 else { return nil }
    let offset = unsafe UInt16(littleEndian: value.loadUnaligned(as: UInt16.self))
    let recordKey: UnsafeRawBufferPointer
    if offset == LMDBFormat.cutEntryMark {
      unsafe recordKey = UnsafeRawBufferPointer(rebasing: value.dropFirst(2))
    } else {
      guard value.count == 2, Int(offset) < key.count else { return nil }
      unsafe recordKey = UnsafeRawBufferPointer(rebasing: key.dropFirst(Int(offset)))
    }
    return (1...OrderedKey.longestKey).contains(recordKey.count) ? unsafe recordKey : nil
  }
}
