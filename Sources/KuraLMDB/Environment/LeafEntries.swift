import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The entries of a leaf page that come after one, read where they lie in the map of a reader.
///
/// liblmdb's cursor says of one entry at a time where it is; the entries beside it on the page can be
/// had without asking, since the form of pages is known (``PageLayout``). Whatever is not a plain entry,
/// and whatever does not lie inside its page, is left to liblmdb.
@safe
struct LeafEntries {
  private let page: UnsafeRawPointer
  private let pageSize: Int
  /// The pointers of the entries that are left.
  private var next: UnsafePointer<UInt16>
  private let end: UnsafePointer<UInt16>

  /// The size of pages that begin at a multiple of their size in the map; 0 where pages cannot be found
  /// by the address of an entry, or have a form that is not known.
  static func pageSize(of environment: OpaquePointer) -> Int {
    #if _endian(little)
      var (major, minor): (Int32, Int32) = (0, 0)
      _ = unsafe mdb_version(&major, &minor, nil)
      var facts = MDB_stat()
      guard major == 0, minor == 9, unsafe mdb_env_stat(environment, &facts) == MDB_SUCCESS
      else { return 0 }
      // A map begins at a multiple of the system's page size.
      let size = Int(facts.ms_psize)
      let unit = sysconf(Int32(_SC_PAGESIZE))
      guard size >= 512, size & (size - 1) == 0, unit >= size, unit % size == 0 else { return 0 }
      return size
    #else
      return 0
    #endif
  }

  /// The entries behind the one with a key that lies in the map; `nil` when they cannot be read here.
  init?(after key: MDB_val, pageSize: Int) {
    guard pageSize > 0, let bytes = unsafe key.mv_data else { return nil }
    let inside = Int(bitPattern: bytes) & (pageSize - 1)
    // A key that begins where a page does is none of an entry inside it.
    guard inside >= PageLayout.headerSize + PageLayout.nodeHeaderSize else { return nil }
    unsafe page = unsafe UnsafeRawPointer(bytes) - inside
    self.pageSize = pageSize
    let flags = unsafe Int(page.load(fromByteOffset: 10, as: UInt16.self))
    let lower = unsafe Int(page.load(fromByteOffset: 12, as: UInt16.self))
    guard flags & PageFlags.kind == PageFlags.leaf, lower > PageLayout.headerSize,
      lower <= pageSize, lower & 1 == 0
    else { return nil }
    let node = inside - PageLayout.nodeHeaderSize
    unsafe end = unsafe (page + lower).assumingMemoryBound(to: UInt16.self)
    unsafe next = unsafe (page + PageLayout.headerSize).assumingMemoryBound(to: UInt16.self)
    // A walk that comes from the page before stands at the first entry.
    while unsafe Int(next.pointee) != node {
      unsafe next += 1
      guard unsafe next < end else { return nil }
    }
    unsafe next += 1
  }

  /// Finds the next entry.
  ///
  /// - Returns: `false` at the end of the page and where an entry is not a plain one.
  @inline(__always)
  mutating func read(into found: UnsafeMutablePointer<(key: MDB_val, value: MDB_val)>) -> Bool {
    guard unsafe next < end else { return false }
    let offset = unsafe Int(next.pointee)
    guard offset <= pageSize &- PageLayout.nodeHeaderSize else { return false }
    let node = unsafe page + offset
    // The size of the data in 32 bits, the flags and the size of the key in 16 bits each.
    let header = unsafe node.loadUnaligned(as: UInt64.self)
    let dataSize = Int(truncatingIfNeeded: header & 0xFFFF_FFFF)
    let keySize = Int(truncatingIfNeeded: header >> 48)
    let key = offset &+ PageLayout.nodeHeaderSize
    guard (header >> 32) & 0xFFFF == 0, key &+ keySize &+ dataSize <= pageSize else {
      return false
    }
    unsafe next += 1
    let bytes = unsafe UnsafeMutableRawPointer(mutating: page + key)
    unsafe found.pointee.key = unsafe MDB_val(mv_size: keySize, mv_data: bytes)
    unsafe found.pointee.value = unsafe MDB_val(mv_size: dataSize, mv_data: bytes + keySize)
    return true
  }
}
