import CSQLite
import KuraCore

/// Where an engine's connections come from: a file of its own, memory, or somebody's file.
protocol ConnectionSource: Sendable {
  /// What the user should know about how the file is opened.
  var notices: [String] { get }
  /// The path that is really open: a private copy has another one than the user's.
  var path: String { get }
  /// Opens a connection that only reads.
  func openReader() throws(StoreError) -> SQLiteConnection
  /// Opens the connection that writes.
  func openWriter() throws(StoreError) -> SQLiteConnection
  /// Throws when the file under open connections is no longer the one they read; `false` asks to
  /// open them anew.
  func isCurrent() throws(StoreError) -> Bool
  /// Called once, after the last connection is closed.
  func finish()
}

/// The source of stores that Kura writes: WAL, one writer, readers that write nothing.
struct OwnFileSource: ConnectionSource {
  let path: String
  let options: EngineOptions
  let token: OpenFileRegistry.Token
  var notices: [String] { [] }

  init(_ path: String, _ options: EngineOptions, create: Bool) throws(StoreError) {
    self.path = path
    self.options = options
    token = try OpenFileRegistry.shared.register(path, format: .sqlite, create: create)
  }

  func openWriter() throws(StoreError) -> SQLiteConnection {
    do {
      return try openAnyWriter()
    } catch {
      let mayBePermission: Set<StoreError.Code> = [.readOnly, .noPermission, .ioError]
      guard mayBePermission.contains(error.code), let reason = FileErrors.writing(path) else {
        throw error
      }
      throw reason
    }
  }

  private func openAnyWriter() throws(StoreError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path, .readWrite)
    try OwnFileSource.prepare(connection, options)
    let isOurs = try OwnFileSource.isOurs(connection)
    try checkWritable(connection)
    if isOurs { try MetadataTables.checkWritable(connection) }
    try OwnFileSource.retryingBusy(for: options.busyTimeout) { () throws(StoreError) in
      // The journal mode is a property of the file; somebody else's file keeps the one it has.
      if isOurs { _ = try connection.text("PRAGMA journal_mode = WAL") }
    }
    // In rollback mode FULL does not sync the folder after the commit and lost the last commit in 14
    // of 100 power cuts; EXTRA lost none.
    let mode = try connection.text("PRAGMA journal_mode")
    let level =
      options.durability == .relaxed ? "NORMAL" : mode?.lowercased() == "wal" ? "FULL" : "EXTRA"
    try connection.execute("PRAGMA synchronous = \(level)")
    return connection
  }

  /// Throws for a file that SQLite opened for reading only although it was asked to write.
  private func checkWritable(_ connection: SQLiteConnection) throws(StoreError) {
    guard connection.isReadOnly else { return }
    if let reason = FileErrors.writing(path) { throw reason }
    // Byte 18 of the header, the version that is needed to write (fileformat2.html §1.3.3).
    throw StoreError(
      .newerFormat, "the file needs a newer SQLite to be written", path: path,
      suggestion: "update SQLite, or open the file for reading only")
  }

  /// Whether the file is Kura's, or empty and about to become so.
  private static func isOurs(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
    let identifier = try connection.integer("PRAGMA application_id")
    if identifier == MetadataTables.applicationID { return true }
    return try connection.integer("SELECT 1 FROM sqlite_schema LIMIT 1") == nil
  }

  func openReader() throws(StoreError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path, .readWrite)
    try OwnFileSource.prepare(connection, options)
    // Only the writer checkpoints: two checkpointing connections meet the WAL-reset fault of
    // SQLite before 3.51.3.
    try connection.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA query_only = ON")
    connection.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    return connection
  }

  func isCurrent() throws(StoreError) -> Bool {
    guard FileStatus.at(path)?.id == token.file else {
      throw StoreError(
        .replaced, "the file was removed or replaced while it was open", path: path,
        suggestion: "close the store and open it again")
    }
    return true
  }

  func finish() { OpenFileRegistry.shared.release(token) }

  static func prepare(_ connection: SQLiteConnection, _ options: EngineOptions) throws(StoreError) {
    connection.countsCommits = true
    connection.setBusyTimeout(options.busyTimeout)
    connection.configure(SQLITE_DBCONFIG_DQS_DDL, false)
    connection.configure(SQLITE_DBCONFIG_DQS_DML, false)
    connection.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    connection.configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
    options.limits?.install(on: connection)
    try TextFunctions.register(on: connection)
    try ArithmeticFunction.register(on: connection)
    try NumberFunctions.register(on: connection)
    try retryingBusy(for: options.busyTimeout) { () throws(StoreError) in
      try connection.execute("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON")
    }
  }

  /// Repeats what SQLite answers with "locked" at once, without asking its busy handler, as when
  /// two connections switch a new file to WAL.
  static func retryingBusy(
    for time: Duration, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    let deadline = ContinuousClock.now + time
    while true {
      do {
        return try body()
      } catch {
        guard error.code == .locked, ContinuousClock.now < deadline else { throw error }
        sqlite3_sleep(2)
      }
    }
  }
}
