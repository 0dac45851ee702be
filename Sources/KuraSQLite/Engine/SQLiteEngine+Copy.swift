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
    guard !FileNaming.exists(path) else { throw FileNaming.targetExists(path) }
    let transaction = try beginSQLRead()
    defer { transaction.end() }
    let temporary = FileNaming.temporaryName(for: path)
    defer {
      for suffix in ["", "-journal", "-wal", "-shm"] {
        unsafe unlink(FileName.bytes(of: temporary + suffix))
      }
    }
    do {
      if compacting {
        try compact(transaction, into: temporary, progress)
      } else {
        try copyPages(of: transaction, into: temporary, progress)
      }
      try FileSynchronisation.flush(temporary, for: path)
    } catch {
      var error = error
      if error.path == temporary { error.path = path }
      throw error
    }
    try FileNaming.give(temporary, itsName: path)
  }

  private func compact(
    _ transaction: SQLiteTransaction, into file: String, _ progress: ProgressHandler?
  ) throws(StoreError) {
    // VACUUM INTO refuses to run inside a transaction, so it takes its own snapshot.
    let connection = transaction.connection
    try connection.execute("ROLLBACK")
    if options.access != .readOnly { try connection.execute("PRAGMA query_only = OFF") }
    defer {
      if options.access != .readOnly { try? connection.execute("PRAGMA query_only = ON") }
      try? connection.execute("BEGIN")
    }
    let total = try connection.integer("PRAGMA page_count") ?? 0
    let size = max(512, try connection.integer("PRAGMA page_size") ?? 4096)
    // Before the statement, so that a missing folder is told from a missing source.
    try FileNaming.make(file)
    let statement = try connection.prepare("VACUUM INTO ?")
    // The text's bytes are the name, whether they are UTF-8 or not.
    let name = FileName.bytes(of: SQLiteConnection.absolutePath(file)).dropLast()
    try statement.bind(.malformedText(name.map { UInt8(bitPattern: $0) }), at: 1)
    try CopyProgress.watch(
      connection, options.limits, progress, total,
      done: { min(total, (FileStatus.at(file)?.size ?? 0) / size) },
      { () throws(StoreError) in try statement.run() })
    try progress?(total, total)
  }

  private func copyPages(
    of transaction: SQLiteTransaction, into file: String, _ progress: ProgressHandler?
  ) throws(StoreError) {
    try FileNaming.make(file)
    let target = try SQLiteConnection(file, .readWrite)
    defer { target.close() }
    guard
      let backup = unsafe sqlite3_backup_init(
        target.handle, "main", transaction.connection.handle, "main")
    else { throw unsafe target.error(sqlite3_errcode(target.handle), doing: "begin to copy") }
    var result = SQLITE_OK
    do throws(StoreError) {
      repeat {
        if let reason = options.limits, reason.mustStop() {
          throw reason.stopReason ?? StoreError(.cancelled, "the work was cancelled")
        }
        result = unsafe sqlite3_backup_step(backup, 1024)
        let total = unsafe Int64(sqlite3_backup_pagecount(backup))
        let remaining = unsafe Int64(sqlite3_backup_remaining(backup))
        try progress?(total - remaining, total)
      } while result == SQLITE_OK
    } catch {
      unsafe sqlite3_backup_finish(backup)
      throw error
    }
    let finished = unsafe sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE, finished == SQLITE_OK else {
      throw target.error(result == SQLITE_DONE ? finished : result, doing: "copy the pages")
    }
    // The copy carries the WAL mark of its source; it has no log of its own.
    _ = try target.text("PRAGMA journal_mode")
  }
}
