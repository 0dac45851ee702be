import CSQLite
import KuraCore

/// A mark that changes with every commit of anybody, read on a connection of its own.
///
/// SQLite counts, for each connection, how often what it had read was no longer current. One
/// connection that never writes therefore counts every commit that it finds.
final class CommitCounter {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// The count now.
  func value() throws(StoreError) -> UInt64 {
    // Reading brings the connection up to date.
    _ = try connection.integer("SELECT 1 FROM sqlite_schema LIMIT 1")
    var version: UInt32 = 0
    let result = unsafe sqlite3_file_control(
      connection.handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    guard result == SQLITE_OK else {
      throw connection.error(result, doing: "read the count of commits")
    }
    return UInt64(version)
  }

  /// The number of the newest commit; `nil` when it is not known.
  func number(_ numbers: CommitNumbers) throws(StoreError) -> UInt64? {
    if let number = numbers.newest(connection) { return number }
    guard connection.countsCommits, !connection.hasLog else { return nil }
    // A first read maps the log's index, and it stays mapped.
    try connection.execute("BEGIN")
    defer { if !connection.isAutocommit { try? connection.execute("COMMIT") } }
    _ = try connection.integer("SELECT 1 FROM sqlite_schema LIMIT 1")
    return numbers.newest(connection)
  }
}
