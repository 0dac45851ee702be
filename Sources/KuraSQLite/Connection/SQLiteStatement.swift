import CSQLite
import KuraCore

/// One prepared statement.
///
/// It owns its handle from `init` to `deinit`; SQLite checks column and parameter numbers itself.
@safe
package final class SQLiteStatement {
  let handle: OpaquePointer
  let sql: String
  /// The text after the statement.
  let tail: Substring.UTF8View
  let columnCount: Int
  private unowned let connection: SQLiteConnection

  /// Prepares the one statement of a text.
  ///
  /// - Throws: ``StoreError/Code/invalidSQL`` also when a second statement follows.
  convenience init(_ connection: SQLiteConnection, _ sql: String, isPersistent: Bool = false)
    throws(StoreError)
  {
    try self.init(connection, firstOf: sql, isPersistent: isPersistent)
    var rest = SQLTokens(tail)
    guard rest.isAtEnd() else {
      throw StoreError(
        .invalidSQL, "more than one SQL statement in the text", path: connection.path,
        suggestion: "give one statement at a time")
    }
  }

  /// Prepares the first statement of a text; ``tail`` is what follows it.
  init(_ connection: SQLiteConnection, firstOf sql: String, isPersistent: Bool = false)
    throws(StoreError)
  {
    self.connection = connection
    self.sql = sql
    var prepared: OpaquePointer?
    var text = sql
    var used = 0
    let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let result = text.withUTF8 { bytes -> Int32 in
      unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
        var tail: UnsafePointer<CChar>?
        let code = unsafe sqlite3_prepare_v3(
          connection.handle, characters.baseAddress, Int32(clamping: characters.count), flags,
          &prepared, &tail)
        if code == SQLITE_OK, let tail = unsafe tail, let base = characters.baseAddress {
          used = unsafe tail - base
        }
        return code
      }
    }
    guard result == SQLITE_OK else {
      throw connection.error(result, doing: "prepare a statement")
    }
    guard let prepared = unsafe prepared else {
      throw StoreError(
        .invalidSQL, "there is no SQL statement in the text", path: connection.path,
        suggestion: "give one statement")
    }
    unsafe handle = prepared
    tail = sql.utf8.dropFirst(used)
    columnCount = unsafe Int(sqlite3_column_count(prepared))
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Whether the statement changes nothing in the file.
  var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }

  /// Moves to the next row; `false` at the end.
  @inline(__always)
  func step() throws(StoreError) -> Bool {
    let result = unsafe sqlite3_step(handle)
    return result == SQLITE_ROW ? true : try end(result)
  }

  /// The end of the rows, as a step's result says it; never `true`.
  func end(_ result: Int32) throws(StoreError) -> Bool {
    if result == SQLITE_DONE {
      if let error = connection.changedUnderReader() {
        unsafe sqlite3_reset(handle)
        throw error
      }
      return false
    }
    let error = connection.error(result, doing: "execute a statement")
    unsafe sqlite3_reset(handle)
    throw error
  }

  /// Executes a statement without results and makes it ready for the next time.
  func run() throws(StoreError) {
    let result = unsafe sqlite3_step(handle)
    if result != SQLITE_DONE, result != SQLITE_ROW {
      let error = connection.error(result, doing: "execute a statement")
      unsafe sqlite3_reset(handle)
      throw error
    }
    unsafe sqlite3_reset(handle)
  }

  /// Makes the statement ready for the next execution; parameters keep their values.
  func reset() { unsafe sqlite3_reset(handle) }

  /// Sets every parameter to null and lets go of the values.
  func clearBindings() { unsafe sqlite3_clear_bindings(handle) }
}
