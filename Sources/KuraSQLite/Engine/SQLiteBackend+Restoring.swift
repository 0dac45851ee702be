import CSQLite
public import KuraCore

extension SQLiteBackend {
  /// Puts a checked copy in the place of a store that nobody has open.
  ///
  /// A database that SQLite can read is overwritten in one of its own transactions: locks, log and
  /// recovery are SQLite's, and no other program can apply an old log to the new content.
  public func restore(_ path: String, from backup: String, timeout: Duration) throws(StoreError) {
    // A log beside the backup belongs to it.
    let hasLog = (FileStatus.at(backup + "-wal")?.size ?? 0) > 0
    let target: SQLiteConnection
    do {
      try SQLiteRestoring.checkIsUnused(path)
      target = try SQLiteConnection(path, .readWrite)
      target.setBusyTimeout(timeout)
      // Reads the header and, after a crash, recovers the log.
      _ = try target.text("PRAGMA schema_version")
    } catch {
      switch error.code {
      case .missing, .unknownFormat, .damaged, .empty:
        guard !hasLog else {
          throw StoreError(
            .unsupportedFormat, "the backup has a log beside it", path: backup,
            suggestion: "open the backup once and close it")
        }
        return try FileReplacement.replace(
          path, by: backup, sidecars: ["-wal", "-shm", "-journal"])
      default: throw error
      }
    }
    defer { target.close() }
    let source = try SQLiteConnection(backup, hasLog ? .readOnly : .immutable)
    defer { source.close() }
    guard
      try source.integer("PRAGMA page_size") == target.integer("PRAGMA page_size")
    else {
      throw StoreError(
        .unsupportedFormat, "the backup has pages of another size than the store", path: path,
        suggestion: "remove the store first")
    }
    try target.execute("PRAGMA synchronous = EXTRA")
    guard let copy = unsafe sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
      throw unsafe target.error(sqlite3_errcode(target.handle), doing: "begin to restore")
    }
    let result = unsafe sqlite3_backup_step(copy, -1)
    let finished = unsafe sqlite3_backup_finish(copy)
    guard result == SQLITE_DONE, finished == SQLITE_OK else {
      throw target.error(result == SQLITE_DONE ? finished : result, doing: "restore the pages")
    }
    // Into the file itself, so that it is whole without its log; nobody else has it open.
    _ = try target.text("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}

private enum SQLiteRestoring {
  /// Throws when this or another process has a store open.
  static func checkIsUnused(_ path: String) throws(StoreError) {
    if let status = FileStatus.at(path), OpenFileRegistry.shared.holdsLocks(status.id) {
      throw StoreError(
        .locked, "this process has the store open", path: path, suggestion: "close it first")
    }
    let holders = LockHolders.processes(of: path)
    guard holders.isEmpty else {
      throw StoreError(
        .locked, "another process has the store open", path: path,
        found: LockHolders.describe(holders), suggestion: "close it there first")
    }
  }
}
