import CLMDB
import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Makes the files of new stores.
///
/// liblmdb writes a new file's first pages one after the other; whoever is killed in between leaves
/// a file that can never be opened again. A store is therefore made under a temporary name and gets
/// its own when it is whole and on the disk.
enum StoreCreation {
  /// Makes a store unless there is something at the path by then.
  static func create(_ path: String) throws(StoreError) {
    let temporary = try make(beside: path)
    defer { unsafe unlink(FileName.bytes(of: temporary)) }
    do {
      try FileNaming.give(temporary, itsName: path)
    } catch {
      // Another process was faster; its store is as good.
      guard error.code == .targetExists else { throw error }
    }
  }

  /// Puts a store in the place of an empty file, unless that is no longer what is at the path.
  static func fill(_ path: String, _ empty: OpenFileRegistry.FileID) throws(StoreError) {
    let descriptor = unsafe open(FileName.bytes(of: path), O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileErrors.error(errno, path) }
    defer { close(descriptor) }
    // Whoever replaces the empty file holds its lock, so that nobody replaces a store made meanwhile.
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw FileErrors.error(errno, path) }
    }
    guard let status = FileStatus.at(path), status.id == empty, status.size == 0 else { return }
    let temporary = try make(beside: path)
    var old = stat()
    if unsafe fstat(descriptor, &old) == 0 {
      unsafe chmod(FileName.bytes(of: temporary), old.st_mode & 0o7777)
    }
    guard unsafe rename(FileName.bytes(of: temporary), FileName.bytes(of: path)) == 0 else {
      let reason = errno
      unsafe unlink(FileName.bytes(of: temporary))
      throw FileErrors.creating(reason, path)
    }
    FileNaming.flushFolder(of: path)
  }

  /// Makes a store without models in a new file beside a path.
  private static func make(beside path: String) throws(StoreError) -> String {
    let temporary = FileNaming.temporaryName(for: path)
    do {
      try FileNaming.make(temporary)
      try writeFirstPages(temporary)
      try FileSynchronisation.flush(temporary, for: path)
    } catch {
      unsafe unlink(FileName.bytes(of: temporary))
      var error = error
      if error.path == temporary { error.path = path }
      throw error
    }
    return temporary
  }

  /// Writes the pages of a store without models into an empty file that nobody else knows.
  static func writeFirstPages(_ file: String) throws(StoreError) {
    let environment = unsafe try LMDBEnvironment.open(
      file, file, mapSize: 1 << 20, flags: UInt32(MDB_NOSUBDIR | MDB_NOTLS | MDB_NOLOCK))
    defer { unsafe mdb_env_close(environment) }
    var transaction: OpaquePointer?
    var database: MDB_dbi = 0
    var result = unsafe mdb_txn_begin(environment, nil, 0, &transaction)
    guard result == MDB_SUCCESS else {
      throw LMDBErrors.error(result, doing: "make a store", file)
    }
    result = unsafe mdb_dbi_open(
      transaction, LMDBFormat.metadataDatabase, UInt32(MDB_CREATE), &database)
    for (key, value) in [
      (LMDBFormat.MetadataKey.format, Array("\(LMDBFormat.version)".utf8)),
      (LMDBFormat.MetadataKey.next, CatalogueJSON.encode(Catalogue.Counters())),
    ] where result == MDB_SUCCESS {
      result = unsafe key.withUnsafeBytes { key in
        unsafe value.withUnsafeBytes { value in
          var keyValue = unsafe MDB_val(key)
          var dataValue = unsafe MDB_val(value)
          return unsafe mdb_put(transaction, database, &keyValue, &dataValue, 0)
        }
      }
    }
    guard result == MDB_SUCCESS else {
      unsafe mdb_txn_abort(transaction)
      throw LMDBErrors.error(result, doing: "make a store", file)
    }
    result = unsafe mdb_txn_commit(transaction)
    guard result == MDB_SUCCESS else {
      throw LMDBErrors.error(result, doing: "make a store", file)
    }
  }
}

extension MDB_val {
  /// Borrows bytes; liblmdb does not change what it is given.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.init(
      mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  /// The bytes that liblmdb gave.
  @inline(__always)
  var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: mv_data, count: mv_size)
  }
}
