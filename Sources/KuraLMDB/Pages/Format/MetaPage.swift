/// One of the two pages from which everything is reached; the newer one counts.
package struct MetaPage: Sendable, Hashable {
  static let magic: UInt32 = 0xBEEF_C0DE
  /// The most bytes that a process can map on x86-64, where half of the 48 bits of an address are its.
  static let largestMap: UInt64 = 1 << 47
  /// The bytes that a meta page uses.
  static let byteCount = 152

  /// Which of the two it is.
  package let slot: Int
  /// Where it was found.
  package let offset: Int64
  /// The size of a page in bytes.
  package let pageSize: Int
  /// The address at which the writer maps the file, 0 for any.
  package let mapAddress: UInt64
  /// The size of the writer's map in bytes.
  package let mapSize: UInt64
  /// The free list, by the transactions that freed the pages.
  package let free: DatabaseRecord
  /// The main database.
  package let main: DatabaseRecord
  /// The last page in use.
  package let lastPage: UInt64
  /// The number of the transaction that wrote the page.
  package let transaction: UInt64
  /// The page number and the flags in the header.
  let header: (number: UInt64, flags: Int)

  /// Reads a meta page of data version 1; `nil` when the bytes are none.
  init?(_ bytes: PageBytes, slot: Int, offset: Int64) {
    guard bytes.count >= MetaPage.byteCount, bytes.uint32(16) == MetaPage.magic,
      bytes.uint32(20) == 1
    else { return nil }
    let free = DatabaseRecord(bytes, at: 40)
    guard let size = Int(exactly: free.padding), size >= 256, size <= 65_536, size & (size - 1) == 0
    else { return nil }
    self.slot = slot
    self.offset = offset
    self.free = free
    pageSize = size
    mapAddress = bytes.uint64(24)
    mapSize = bytes.uint64(32)
    main = DatabaseRecord(bytes, at: 88)
    lastPage = bytes.uint64(136)
    transaction = bytes.uint64(144)
    header = (bytes.uint64(0), bytes.uint16(10))
    // Numbers of pages have 48 bits (mdb.c, node headers); more would overflow offsets.
    guard lastPage >= 1, lastPage < 1 << 46 else { return nil }
  }

  /// What contradicts the rules of a meta page, a sentence each.
  package var problems: [String] {
    var problems: [String] = []
    if header.flags & ~PageFlags.dirty != PageFlags.meta {
      problems.append("its header has the flags 0x\(String(header.flags, radix: 16)), not 0x8")
    }
    if header.number != UInt64(slot) {
      problems.append("its header says page \(header.number)")
    }
    let (end, overflow) = (lastPage + 1).multipliedReportingOverflow(by: UInt64(pageSize))
    if overflow || end > mapSize {
      problems.append("its last page is \(lastPage), beyond the map of \(mapSize) bytes")
    }
    // A DUPSORT free list makes liblmdb abort (mdb_cursor_init).
    if free.rawFlags & 0x7E != DatabaseFlags.integerKey.rawValue {
      problems.append("the free list has the flags 0x\(String(free.rawFlags, radix: 16))")
    }
    if main.rawFlags & ~DatabaseFlags.known.rawValue != 0 {
      problems.append("the main database has the flags 0x\(String(main.rawFlags, radix: 16))")
    }
    if let problem = free.problem { problems.append("the free list: \(problem)") }
    if let problem = main.problem { problems.append("the main database: \(problem)") }
    if !(transaction == 0 && main.isEmpty), transaction & 1 != UInt64(slot) {
      problems.append("transaction \(transaction) writes the other meta page")
    }
    return problems
  }

  package static func == (left: MetaPage, right: MetaPage) -> Bool {
    left.slot == right.slot && left.transaction == right.transaction && left.main == right.main
      && left.free == right.free && left.lastPage == right.lastPage && left.mapSize == right.mapSize
      && left.offset == right.offset
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(slot)
    hasher.combine(transaction)
    hasher.combine(main)
  }
}
