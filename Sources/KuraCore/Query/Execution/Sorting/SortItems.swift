#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Items in memory on their way through a sort: a key and a payload each, ordered as one string.
final class SortItems {
  /// Where an item is, and how it begins, which decides most comparisons without looking there.
  private struct Entry {
    var prefix: UInt64
    var offset: Int
  }

  /// The bytes of an item: two counts of four bytes, the key, the payload.
  static let headerCount = 8

  private var arena: UnsafeMutableRawPointer
  private var capacity: Int
  private var used = 0
  private var entries: [Entry] = []

  private let memoryLimit: Int

  /// Makes room that grows up to a limit, and beyond it only for a single item.
  init(memoryLimit: Int) {
    self.memoryLimit = memoryLimit
    capacity = 1024
    arena = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { arena.deallocate() }

  /// The number of items.
  var count: Int { entries.count }

  /// The memory that the items take, with what sorting them needs.
  var byteCount: Int { used + entries.count * (MemoryLayout<Entry>.stride * 3 / 2) }

  /// The memory that is taken from the system.
  var allocatedByteCount: Int { capacity + entries.capacity * MemoryLayout<Entry>.stride }

  /// The memory that one more item would take.
  static func byteCount(key: Int, payload: Int) -> Int {
    headerCount + key + payload + MemoryLayout<Entry>.stride * 3 / 2
  }

  /// Adds an item.
  func add(_ key: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) {
    let size = SortItems.headerCount + key.count + payload.count
    reserve(size)
    let place = arena + used
    place.storeBytes(of: UInt32(truncatingIfNeeded: key.count), as: UInt32.self)
    place.storeBytes(
      of: UInt32(truncatingIfNeeded: payload.count), toByteOffset: 4, as: UInt32.self)
    if let base = key.baseAddress {
      (place + SortItems.headerCount).copyMemory(from: base, byteCount: key.count)
    }
    if let base = payload.baseAddress {
      (place + SortItems.headerCount + key.count).copyMemory(
        from: base, byteCount: payload.count)
    }
    entries.append(Entry(prefix: SortItems.prefix(place, size), offset: used))
    used += size
  }

  /// Orders the items.
  func sort() {
    guard entries.count > 1 else { return }
    let arena = UnsafeRawPointer(arena)
    entries.withUnsafeMutableBufferPointer { buffer in
      buffer.sort { left, right in
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return SortItems.compare(arena + left.offset, arena + right.offset) < 0
      }
    }
  }

  /// Keeps the first of the sorted items only and gives back the memory of the others.
  func keepFirst(_ count: Int) {
    guard entries.count > count else { return }
    entries.removeSubrange(max(0, count)...)
    let size = entries.reduce(0) { $0 + SortItems.size(arena + $1.offset) }
    let compact = UnsafeMutableRawPointer.allocate(byteCount: max(1024, size * 2), alignment: 16)
    var offset = 0
    for index in entries.indices {
      let item = arena + entries[index].offset
      let size = SortItems.size(item)
      (compact + offset).copyMemory(from: item, byteCount: size)
      entries[index].offset = offset
      offset += size
    }
    arena.deallocate()
    arena = compact
    capacity = max(1024, size * 2)
    used = offset
  }

  /// The item at a position, header included; valid until the items change.
  func item(_ position: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(arena) + entries[position].offset
  }

  /// Forgets all items, and memory beyond a limit.
  func removeAll(keeping limit: Int) {
    entries.removeAll(keepingCapacity: true)
    used = 0
    guard capacity > limit, capacity > 1024 else { return }
    arena.deallocate()
    capacity = 1024
    arena = .allocate(byteCount: capacity, alignment: 16)
  }

  private func reserve(_ size: Int) {
    guard used + size > capacity else { return }
    let larger = max(used + size, min(capacity * 2, memoryLimit))
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    moved.copyMemory(from: arena, byteCount: used)
    arena.deallocate()
    arena = moved
    capacity = larger
  }

  // MARK: Items

  /// The number of bytes of an item with its header.
  static func size(_ item: UnsafeRawPointer) -> Int {
    headerCount + contentCount(item)
  }

  static func keyCount(_ item: UnsafeRawPointer) -> Int {
    Int(item.loadUnaligned(as: UInt32.self))
  }

  private static func contentCount(_ item: UnsafeRawPointer) -> Int {
    Int(item.loadUnaligned(as: UInt32.self))
      + Int(item.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
  }

  /// As `memcmp` over key and payload, a prefix first.
  static func compare(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Int {
    let (one, two) = (contentCount(left), contentCount(right))
    let order = memcmp(left + headerCount, right + headerCount, min(one, two))
    return order != 0 ? Int(order) : one - two
  }

  /// The first eight bytes as a number that orders like them.
  private static func prefix(_ item: UnsafeMutableRawPointer, _ size: Int) -> UInt64 {
    if size >= headerCount + 8 {
      return UInt64(bigEndian: item.loadUnaligned(fromByteOffset: headerCount, as: UInt64.self))
    }
    var prefix: UInt64 = 0
    for offset in headerCount..<max(headerCount, size) {
      let byte = item.load(fromByteOffset: offset, as: UInt8.self)
      prefix |= UInt64(byte) << UInt64(56 - 8 * (offset - headerCount))
    }
    return prefix
  }
}
