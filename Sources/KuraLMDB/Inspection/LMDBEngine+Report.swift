import CLMDB
import KuraCore

extension LMDBEngine {
  /// What the file is: pages, map, readers and databases.
  func report() throws(StoreError) -> FileReport {
    let transaction = try beginReading()
    defer { transaction.end() }
    var found = StoreFacts()
    let environment = transaction.snapshot.environment
    if let path = location.path, let status = FileStatus.at(path) {
      found.add("fileSize", "file size", .byteCount(status.size))
    }
    var facts = unsafe MDB_envinfo()
    var pages = MDB_stat()
    var result = unsafe mdb_env_info(environment.handle, &facts)
    if result == MDB_SUCCESS { result = unsafe mdb_env_stat(environment.handle, &pages) }
    guard result == MDB_SUCCESS else {
      throw LMDBErrors.error(result, doing: "describe the file", location.path)
    }
    found.add("pageSize", "page size", .byteCount(Int64(pages.ms_psize)))
    unsafe found.add("pageCount", "pages", .integer(Int64(clamping: facts.me_last_pgno) + 1))
    found.add("freePageCount", "free pages", .integer(try freePageCount(transaction.snapshot)))
    unsafe found.add("mapSize", "map size", .byteCount(Int64(clamping: facts.me_mapsize)))
    unsafe found.add(
      "lastTransaction", "last transaction",
      .integer(Int64(clamping: mdb_txn_id(try transaction.snapshot.open()))))
    unsafe found.add("readerSlots", "reader slots", .integer(Int64(facts.me_maxreaders)))
    unsafe found.add("usedReaderSlots", "used reader slots", .integer(Int64(facts.me_numreaders)))
    found.addCatalogue(transaction.catalogue)
    return found.report
  }

  /// The number of pages in the free list: each of its values is a count and as many page numbers.
  private func freePageCount(_ snapshot: EnvironmentSnapshot) throws(StoreError) -> Int64 {
    let cursor = try snapshot.cursor(0)
    defer { cursor.close() }
    var count: Int64 = 0
    var isFound = try cursor.first()
    while isFound {
      if unsafe cursor.value.count >= 8 {
        unsafe count += Int64(
          clamping: UInt64(littleEndian: cursor.value.loadUnaligned(as: UInt64.self)))
      }
      isFound = try cursor.next()
    }
    return count
  }
}
