import CSQLite
package import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension SQLiteEngine {
  /// Copies the last commit page by page, or record by record when compacting, into a temporary
  /// name beside the target, which takes its name only when it is whole and on disk.
  package func copy(to target: StoreLocation, compacting: Bool, progress: ProgressHandler?)
    throws(StoreError)
  {
    guard case .file(let path) = target else {
      throw StoreError(.invalidQuery, "the target of a copy must be a file")
    }
    guard FileStatus.at(path) == nil else { throw SQLiteEngine.exists(path) }
    let transaction = try beginSQLRead()
    defer { transaction.end() }
    let temporary = "\(path).\(getpid()).\(UInt64.random(in: 0...UInt64.max)).partial"
    defer {
      for suffix in ["", "-journal", "-wal", "-shm"] { unlink(temporary + suffix) }
    }
    if compacting {
      try compact(transaction, into: temporary)
    } else {
      try copyPages(of: transaction, into: temporary, progress)
    }
    try FileSynchronisation.flush(temporary, for: path)
    // `link` refuses an existing target, which `rename` would replace.
    guard link(temporary, path) == 0 else {
      throw errno == EEXIST ? SQLiteEngine.exists(path) : FileErrors.creating(errno, path)
    }
  }

  private static func exists(_ path: String) -> StoreError {
    StoreError(
      .targetExists, "the target exists already", path: path,
      suggestion: "name another target, or remove this one first")
  }

  private func compact(_ transaction: SQLiteTransaction, into file: String) throws(StoreError) {
    // VACUUM INTO refuses to run inside a transaction, so it takes its own snapshot.
    let connection = transaction.connection
    try connection.execute("ROLLBACK")
    if options.access != .readOnly { try connection.execute("PRAGMA query_only = OFF") }
    defer {
      if options.access != .readOnly { try? connection.execute("PRAGMA query_only = ON") }
      try? connection.execute("BEGIN")
    }
    let statement = try connection.prepare("VACUUM INTO ?")
    try statement.bind(.text(SQLiteConnection.absolutePath(file)), at: 1)
    try statement.run()
  }

  private func copyPages(
    of transaction: SQLiteTransaction, into file: String, _ progress: ProgressHandler?
  ) throws(StoreError) {
    let target = try SQLiteConnection(file, .create)
    defer { target.close() }
    guard
      let backup = sqlite3_backup_init(target.handle, "main", transaction.connection.handle, "main")
    else { throw target.error(sqlite3_errcode(target.handle), doing: "begin to copy") }
    var result = SQLITE_OK
    do {
      repeat {
        result = sqlite3_backup_step(backup, 1024)
        let total = Int64(sqlite3_backup_pagecount(backup))
        try progress?(total - Int64(sqlite3_backup_remaining(backup)), total)
      } while result == SQLITE_OK
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let finished = sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE, finished == SQLITE_OK else {
      throw target.error(result == SQLITE_DONE ? finished : result, doing: "copy the pages")
    }
    // The copy carries the WAL mark of its source; it has no log of its own.
    _ = try target.text("PRAGMA journal_mode")
  }
}
