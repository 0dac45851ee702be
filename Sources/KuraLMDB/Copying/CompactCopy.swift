import CLMDB
import KuraCore

/// Copies the entries of a snapshot into a new file in their order, so that its pages are full and
/// none is free.
struct CompactCopy<Snapshot: KeyValueSnapshot> {
  private let snapshot: Snapshot
  private let catalogue: Catalogue?
  private let sourceSize: Int
  private let watch: CopyWatch
  /// The bytes that are written before a commit of the copy, which nobody sees yet.
  private var batchSize: Int { 32 << 20 }

  init(_ snapshot: Snapshot, _ catalogue: Catalogue?, sourceSize: Int, _ watch: CopyWatch) {
    self.snapshot = snapshot
    self.catalogue = catalogue
    self.sourceSize = sourceSize
    self.watch = watch
  }

  func write(to file: String) throws(StoreError) {
    guard let catalogue else {
      throw StoreError(
        .foreign, "Kura did not make this LMDB file", suggestion: "copy it without compacting")
    }
    let names = [LMDBFormat.metadataDatabase] + catalogue.databases.sorted()
    var total: Int64 = 0
    for name in names {
      if let database = try snapshot.database(name) { total += try snapshot.count(database) }
    }
    var settings = LMDBEnvironment.Settings()
    settings.firstMapSize = max(
      LMDBEnvironment.smallestMapSize, min(LMDBEnvironment.largestMapSize, mapSizeOfSource))
    let environment = unsafe try LMDBEnvironment.open(
      file, file, mapSize: settings.firstMapSize,
      flags: UInt32(MDB_NOSUBDIR | MDB_NOTLS | MDB_NOLOCK | MDB_NOSYNC))
    defer { unsafe mdb_env_close(environment) }
    var done: Int64 = 0
    for name in names {
      guard let database = try snapshot.database(name) else { continue }
      unsafe try copy(database, name, environment, file, &done, total)
    }
    let result = unsafe mdb_env_sync(environment, 1)
    guard result == MDB_SUCCESS else { throw LMDBErrors.error(result, doing: "copy", file) }
    try watch.report(total, of: total)
  }

  /// Room for everything that the source has, twice over.
  private var mapSizeOfSource: Int {
    let (size, overflow) = sourceSize.multipliedReportingOverflow(by: 2)
    return overflow ? LMDBEnvironment.largestMapSize : size + (64 << 20)
  }

  private func copy(
    _ database: Snapshot.Database, _ name: String, _ environment: OpaquePointer, _ file: String,
    _ done: inout Int64, _ total: Int64
  ) throws(StoreError) {
    let cursor = try snapshot.cursor(database)
    defer { cursor.close() }
    var isFound = try cursor.first()
    repeat {
      // A batch at a time, so that the pages of a large copy need not be held in memory.
      var batch: OpaquePointer?
      var target: MDB_dbi = 0
      var result = unsafe mdb_txn_begin(environment, nil, 0, &batch)
      guard result == MDB_SUCCESS else { throw LMDBErrors.error(result, doing: "copy", file) }
      result = unsafe mdb_dbi_open(batch, name, UInt32(MDB_CREATE), &target)
      var bytes = 0
      do throws(StoreError) {
        while isFound, bytes < batchSize {
          guard result == MDB_SUCCESS else { break }
          if done % 4096 == 0 { try watch.report(done, of: total) }
          result = unsafe put(cursor, name, batch, target)
          unsafe bytes += cursor.key.count + cursor.value.count
          done += 1
          isFound = try cursor.next()
        }
      } catch {
        unsafe mdb_txn_abort(batch)
        throw error
      }
      guard result == MDB_SUCCESS else {
        unsafe mdb_txn_abort(batch)
        throw LMDBErrors.error(result, doing: "copy", file)
      }
      result = unsafe mdb_txn_commit(batch)
      guard result == MDB_SUCCESS else { throw LMDBErrors.error(result, doing: "copy", file) }
    } while isFound
  }

  private func put(
    _ cursor: Snapshot.Cursor, _ name: String, _ batch: OpaquePointer?, _ target: MDB_dbi
  ) -> Int32 {
    var key = unsafe MDB_val(cursor.key)
    var value = unsafe MDB_val(cursor.value)
    guard name == LMDBFormat.metadataDatabase,
      unsafe cursor.key.elementsEqual(LMDBFormat.MetadataKey.next),
      var counters = catalogue?.counters
    else { return unsafe mdb_put(batch, target, &key, &value, UInt32(MDB_APPEND)) }
    // Databases that nothing uses are not copied.
    counters.dropped = []
    return unsafe CatalogueJSON.encode(counters).withUnsafeBytes { bytes in
      unsafe value = unsafe MDB_val(bytes)
      return unsafe mdb_put(batch, target, &key, &value, UInt32(MDB_APPEND))
    }
  }
}
