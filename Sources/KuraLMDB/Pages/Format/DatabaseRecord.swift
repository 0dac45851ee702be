import KuraCore

/// What a file says of one database: 48 bytes in a meta page or in an entry of the main database.
package struct DatabaseRecord: Sendable, Hashable {
  /// The number of bytes of a record.
  static let byteCount = 48
  /// The root of a database without entries.
  static let noRoot = UInt64.max
  /// The deepest tree that LMDB walks (`CURSOR_STACK`).
  static let maximumDepth = 32

  /// The page size in the record of the free list, the size of a value in records of duplicates.
  package var padding: UInt32
  /// The flags as stored; in meta pages the flags of the environment are among them.
  package var rawFlags: UInt16
  /// The number of levels; 0 without entries.
  package var depth: UInt16
  /// Pages that point at other pages.
  package var branchPages: UInt64
  /// Pages that hold entries.
  package var leafPages: UInt64
  /// Pages that hold long values.
  package var overflowPages: UInt64
  /// Entries; each value of a key counts.
  package var entries: UInt64
  /// The number of the root page, ``noRoot`` without entries.
  package var root: UInt64

  /// Reads a record at an offset.
  init(_ bytes: PageBytes, at offset: Int) {
    padding = bytes.uint32(offset)
    rawFlags = UInt16(truncatingIfNeeded: bytes.uint16(offset + 4))
    depth = UInt16(truncatingIfNeeded: bytes.uint16(offset + 6))
    branchPages = bytes.uint64(offset + 8)
    leafPages = bytes.uint64(offset + 16)
    overflowPages = bytes.uint64(offset + 24)
    entries = bytes.uint64(offset + 32)
    root = bytes.uint64(offset + 40)
  }

  /// The record of a database without entries.
  static var empty: DatabaseRecord {
    // Reading outside bytes gives zeros.
    var record = unsafe DatabaseRecord(PageBytes(EmptyPage.bytes, count: 0), at: 0)
    record.root = noRoot
    return record
  }

  /// The flags that concern the database.
  package var flags: DatabaseFlags { DatabaseFlags(rawValue: rawFlags).intersection(.known) }
  /// Whether there are no entries.
  package var isEmpty: Bool { root == DatabaseRecord.noRoot }

  /// What is wrong with the record by itself; `nil` when nothing is.
  var problem: String? {
    if isEmpty {
      guard depth == 0 else { return "the record has a depth of \(depth) and no root page" }
      guard entries == 0, branchPages == 0, leafPages == 0, overflowPages == 0 else {
        return "the record counts entries or pages and has no root page"
      }
      return nil
    }
    guard depth > 0 else { return "the record has a root page and a depth of 0" }
    guard depth <= DatabaseRecord.maximumDepth else {
      return "the record's depth is \(depth), more than \(DatabaseRecord.maximumDepth)"
    }
    return nil
  }
}
