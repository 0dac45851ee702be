import CSQLite
import KuraCore

/// The source of connections to a private copy of somebody's file.
struct PrivateCopySource: ConnectionSource {
  let path: String
  private let reportedPath: String
  private let options: EngineOptions
  /// Whether the log beside the copy is left out.
  private let isImmutable: Bool
  var notices: [String] { [] }

  init(_ path: String, reportedPath: String, _ options: EngineOptions, isImmutable: Bool) {
    self.path = path
    self.reportedPath = reportedPath
    self.options = options
    self.isImmutable = isImmutable
  }

  func openReader() throws(StoreError) -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path, isImmutable ? .immutable : .readWrite, reportedPath: reportedPath)
    if !isImmutable {
      // The log is read once and by this connection: no index of it is shared with others.
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    }
    connection.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    let size = FileStatus.at(path)?.size ?? 0
    try UntrustedSettings.apply(
      to: connection, fileSize: size + (FileStatus.at(path + "-wal")?.size ?? 0),
      trustsSchema: !options.isUntrusted)
    options.limits?.install(on: connection)
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    return connection
  }

  func openWriter() throws(StoreError) -> SQLiteConnection {
    throw StoreError(.readOnly, "a private copy is only read", path: reportedPath)
  }

  func isCurrent() throws(StoreError) -> Bool { true }
  func finish() {}
}
