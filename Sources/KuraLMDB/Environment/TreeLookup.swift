import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A database's tree in the map of a reader, in which entries are found without liblmdb.
///
/// A search by liblmdb calls a function for each key that it looks at and sets up a cursor for each
/// search; this one compares numbers where keys have eight bytes. It knows plain entries only, checks
/// that everything lies where it may, and leaves the rest to liblmdb.
@safe
struct TreeLookup {
  @safe enum Answer {
    case found(UnsafeRawBufferPointer)
    case missing
    /// liblmdb must be asked.
    case unknown
  }

  /// The address of page 0.
  private let map: UnsafeRawPointer
  private let pageSize: Int
  /// The highest number of a page in the file.
  private let lastPage: Int
  private let root: Int
  private let depth: Int

  /// Reads where a database's tree is.
  ///
  /// - Parameter record: What the main database says of it, in the map.
  /// - Returns: `nil` for databases without entries, of other orders, and where the map is not as expected.
  init?(_ record: UnsafeRawBufferPointer, pageSize: Int, in environment: OpaquePointer) {
    guard pageSize > 0, record.count == DatabaseRecord.byteCount, let bytes = record.baseAddress
    else { return nil }
    let database = unsafe DatabaseRecord(PageBytes(bytes, count: record.count), at: 0)
    var facts = unsafe MDB_envinfo()
    guard database.problem == nil, !database.isEmpty, database.rawFlags == 0,
      let root = Int(exactly: database.root),
      unsafe mdb_env_info(environment, &facts) == MDB_SUCCESS
    else { return nil }
    // The page that the record is on has its number in its head, by which page 0 is found.
    let page = unsafe bytes - (Int(bitPattern: bytes) & (pageSize - 1))
    guard let number = unsafe Int(exactly: page.load(as: UInt64.self)),
      let last = unsafe Int(exactly: facts.me_last_pgno)
    else { return nil }
    lastPage = min(last, unsafe facts.me_mapsize / pageSize - 1)
    guard number <= lastPage, unsafe TreeLookup.isPage(number, page, pageSize, environment) else {
      return nil
    }
    unsafe map = unsafe page - number * pageSize
    guard unsafe map.load(fromByteOffset: 16, as: UInt32.self) == MetaPage.magic else { return nil }
    self.pageSize = pageSize
    self.root = root
    depth = Int(database.depth)
  }

  /// Whether a page in the map is that of a number in the file: liblmdb never looks at the number in a
  /// page's head, and a wrong one would lead out of the map.
  private static func isPage(
    _ number: Int, _ page: UnsafeRawPointer, _ size: Int, _ environment: OpaquePointer
  ) -> Bool {
    var descriptor: Int32 = -1
    guard unsafe mdb_env_get_fd(environment, &descriptor) == MDB_SUCCESS else { return false }
    return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { copy in
      guard let start = copy.baseAddress else { return false }
      return unsafe pread(descriptor, start, size, off_t(number * size)) == size
        && memcmp(start, page, size) == 0
    }
  }

  /// Finds the value of a key.
  func find(_ key: UnsafeRawBufferPointer) -> Answer {
    guard key.count == 8, let bytes = key.baseAddress else {
      return unsafe find { unsafe ByteOrder.compare($0, key) }
    }
    let word = unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    return unsafe find { other in
      guard other.count == 8, let start = other.baseAddress else {
        return unsafe ByteOrder.compare(other, key)
      }
      let found = unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
      return found < word ? -1 : found == word ? 0 : 1
    }
  }

  /// Goes from the root to the leaf with a key, which is told by how others compare to it.
  @inline(__always)
  private func find(_ compare: (UnsafeRawBufferPointer) -> Int) -> Answer {
    var number = root
    var level = depth
    while level > 0 {
      level &-= 1
      guard number <= lastPage else { return .unknown }
      let page = unsafe map + number &* pageSize
      let lower = unsafe Int(page.load(fromByteOffset: 12, as: UInt16.self))
      let kind = unsafe Int(page.load(fromByteOffset: 10, as: UInt16.self)) & PageFlags.kind
      guard kind == (level > 0 ? PageFlags.branch : PageFlags.leaf),
        lower > PageLayout.headerSize, lower <= pageSize
      else { return .unknown }
      // The first entry of a branch has no key: it stands for everything before the second.
      var (low, high) = (level > 0 ? 1 : 0, (lower &- PageLayout.headerSize) / 2)
      while low < high {
        let middle = (low &+ high) / 2
        let offset = unsafe self.offset(page, middle)
        guard offset <= pageSize &- PageLayout.nodeHeaderSize else { return .unknown }
        let size = unsafe Int(page.loadUnaligned(fromByteOffset: offset &+ 6, as: UInt16.self))
        let start = offset &+ PageLayout.nodeHeaderSize
        guard start &+ size <= pageSize else { return .unknown }
        let order = unsafe compare(UnsafeRawBufferPointer(start: page + start, count: size))
        if order == 0 && level == 0 { return unsafe value(page, offset, start &+ size) }
        if order <= 0 { low = middle &+ 1 } else { high = middle }
      }
      guard level > 0 else { return .missing }
      let offset = unsafe self.offset(page, low &- 1)
      guard offset <= pageSize &- PageLayout.nodeHeaderSize else { return .unknown }
      // The number of the page below in 48 bits, where leaves have sizes and flags.
      number = unsafe Int(
        truncatingIfNeeded: page.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          & 0xFFFF_FFFF_FFFF)
    }
    return .unknown
  }

  @inline(__always)
  private func offset(_ page: UnsafeRawPointer, _ index: Int) -> Int {
    unsafe Int(
      page.load(fromByteOffset: PageLayout.headerSize &+ 2 &* index, as: UInt16.self))
  }

  @inline(__always)
  private func value(_ page: UnsafeRawPointer, _ offset: Int, _ start: Int) -> Answer {
    let header = unsafe page.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let size = Int(truncatingIfNeeded: header & 0xFFFF_FFFF)
    guard (header >> 32) & 0xFFFF == 0, start &+ size <= pageSize else { return .unknown }
    return unsafe .found(UnsafeRawBufferPointer(start: page + start, count: size))
  }
}
