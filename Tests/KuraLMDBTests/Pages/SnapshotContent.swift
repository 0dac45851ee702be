import KuraCore
import KuraLMDB

/// What a file holds, for comparing: flags and entries of each database.
struct SnapshotContent: Equatable {
  /// The number of all entries.
  private(set) var count = 0
  /// Flags, keys and values, mixed by FNV-1a.
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  init(_ snapshot: PageSnapshot) throws(StoreError) {
    try add(snapshot, snapshot.main)
    for tree in try MainDatabase(snapshot).databases { try add(snapshot, tree) }
  }

  private mutating func add(_ snapshot: PageSnapshot, _ tree: PageTree) throws(StoreError) {
    SnapshotContent.mix(UInt64(tree.record.flags.rawValue), &hash)
    let cursor = snapshot.cursor(tree)
    var isThere = try cursor.first()
    while isThere {
      // The record of a database changes with each of its pages; the database itself follows.
      let value = cursor.isDatabase ? UnsafeRawBufferPointer(start: nil, count: 0) : cursor.value
      for bytes in [cursor.key, value] {
        SnapshotContent.mix(UInt64(bytes.count), &hash)
        for byte in bytes { SnapshotContent.mix(UInt64(byte), &hash) }
      }
      count += 1
      isThere = try cursor.next()
    }
  }

  private static func mix(_ value: UInt64, _ hash: inout UInt64) {
    hash = (hash ^ value) &* 0x100_0000_01B3
  }
}
