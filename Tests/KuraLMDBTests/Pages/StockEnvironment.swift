import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that stock liblmdb writes, in a folder of its own that goes with it.
final class StockEnvironment {
  struct Failure: Error, CustomStringConvertible {
    let call: String
    let code: Int32
    var description: String { "\(call): \(String(cString: mdb_strerror(code)))" }
  }

  let folder: String
  var path: String { folder + "/data.mdb" }
  private var environment: OpaquePointer?

  init(mapSize: Int = 256 << 20) throws {
    var template = Array("/tmp/kura-pages-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(call: "mkdtemp", code: errno) }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try check("mdb_env_create", mdb_env_create(&environment))
    try check("mdb_env_set_maxdbs", mdb_env_set_maxdbs(environment, 64))
    try check("mdb_env_set_mapsize", mdb_env_set_mapsize(environment, mapSize))
    let flags = UInt32(MDB_NOSUBDIR | MDB_NOSYNC | MDB_NOTLS)
    try check("mdb_env_open", mdb_env_open(environment, path, flags, 0o644))
  }

  deinit {
    mdb_env_close(environment)
    for name in ["data.mdb", "data.mdb-lock", "other.mdb", "copy.mdb"] {
      unlink(folder + "/" + name)
    }
    rmdir(folder)
  }

  func check(_ call: String, _ code: Int32) throws {
    guard code == MDB_SUCCESS else { throw Failure(call: call, code: code) }
  }

  /// Runs a transaction and commits it.
  func write(_ body: (Writer) throws -> Void) throws {
    var transaction: OpaquePointer?
    try check("mdb_txn_begin", mdb_txn_begin(environment, nil, 0, &transaction))
    do {
      try body(Writer(transaction: transaction))
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try check("mdb_txn_commit", mdb_txn_commit(transaction))
  }

  /// Runs a body with a transaction that reads.
  func read<R>(_ body: (Writer) throws -> R) throws -> R {
    var transaction: OpaquePointer?
    try check(
      "mdb_txn_begin", mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
    defer { mdb_txn_abort(transaction) }
    return try body(Writer(transaction: transaction))
  }

  /// Where liblmdb maps the file; `mdb_env_info` says so for fixed maps only.
  func mapAddress() throws -> UnsafeRawPointer {
    var descriptor: mdb_filehandle_t = 0
    try check("mdb_env_get_fd", mdb_env_get_fd(environment, &descriptor))
    var status = stat()
    fstat(descriptor, &status)
    // Each line: begin-end permissions offset device inode path.
    let lines = String(decoding: try StockDump.output("cat /proc/\(getpid())/maps"), as: UTF8.self)
    for line in lines.split(separator: "\n") where line.hasSuffix(path) {
      if let begin = Int(line.prefix { $0 != "-" }, radix: 16),
        let address = UnsafeRawPointer(bitPattern: begin)
      {
        return address
      }
    }
    throw Failure(call: "map of \(path)", code: ENOENT)
  }

  /// A consistent copy.
  func copy(to target: String, compacting: Bool) throws {
    try check(
      "mdb_env_copy2",
      mdb_env_copy2(environment, target, compacting ? UInt32(MDB_CP_COMPACT) : 0))
  }

  /// What a transaction offers; liblmdb's own calls with arrays of bytes.
  struct Writer {
    let transaction: OpaquePointer?

    func open(_ name: String?, _ flags: Int32 = 0) throws -> MDB_dbi {
      var database: MDB_dbi = 0
      try check("mdb_dbi_open", mdb_dbi_open(transaction, name, UInt32(flags), &database))
      return database
    }

    func put(_ database: MDB_dbi, _ key: [UInt8], _ value: [UInt8], _ flags: Int32 = 0) throws {
      let code = withValues(key, value) { mdb_put(transaction, database, &$0, &$1, UInt32(flags)) }
      guard code != MDB_KEYEXIST else { return }
      try check("mdb_put", code)
    }

    /// Removes a key, or one of its values; nothing when it is not there.
    func delete(_ database: MDB_dbi, _ key: [UInt8], _ value: [UInt8]? = nil) throws {
      let code = withValues(key, value ?? []) {
        value == nil
          ? mdb_del(transaction, database, &$0, nil) : mdb_del(transaction, database, &$0, &$1)
      }
      guard code != MDB_NOTFOUND else { return }
      try check("mdb_del", code)
    }

    func drop(_ database: MDB_dbi, delete: Bool) throws {
      try check("mdb_drop", mdb_drop(transaction, database, delete ? 1 : 0))
    }

    /// Visits all entries; the pointers are liblmdb's, into its map.
    func forEach(
      _ database: MDB_dbi, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    )
      throws
    {
      var cursor: OpaquePointer?
      try check("mdb_cursor_open", mdb_cursor_open(transaction, database, &cursor))
      defer { mdb_cursor_close(cursor) }
      var key = MDB_val()
      var value = MDB_val()
      while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
        body(
          UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size),
          UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
      }
    }

    private func withValues(
      _ key: [UInt8], _ value: [UInt8], _ body: (inout MDB_val, inout MDB_val) -> Int32
    ) -> Int32 {
      var key = key
      var value = value
      return key.withUnsafeMutableBytes { keyBytes in
        value.withUnsafeMutableBytes { valueBytes in
          var first = MDB_val(mv_size: keyBytes.count, mv_data: keyBytes.baseAddress)
          var second = MDB_val(mv_size: valueBytes.count, mv_data: valueBytes.baseAddress)
          return body(&first, &second)
        }
      }
    }

    private func check(_ call: String, _ code: Int32) throws {
      guard code == MDB_SUCCESS else { throw Failure(call: call, code: code) }
    }
  }
}
