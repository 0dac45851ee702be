import CSQLite
import KuraCore

/// One prepared statement.
package final class SQLiteStatement {
  let handle: OpaquePointer
  let sql: String
  let columnCount: Int
  private unowned let connection: SQLiteConnection

  /// Prepares the one statement of a text.
  ///
  /// - Throws: ``StoreError/Code/invalidSQL`` also when a second statement follows.
  init(_ connection: SQLiteConnection, _ sql: String, isPersistent: Bool = false)
    throws(StoreError)
  {
    self.connection = connection
    self.sql = sql
    var prepared: OpaquePointer?
    var text = sql
    var hasTail = false
    let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let result = text.withUTF8 { bytes -> Int32 in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(
          connection.handle, characters.baseAddress, Int32(clamping: characters.count), flags,
          &prepared, &tail)
        if code == SQLITE_OK, let tail, let base = characters.baseAddress {
          hasTail = SQLiteStatement.hasStatement(
            UnsafeRawBufferPointer(bytes).dropFirst(tail - base))
        }
        return code
      }
    }
    guard result == SQLITE_OK else {
      throw connection.error(result, doing: "prepare a statement")
    }
    guard let prepared else {
      throw StoreError(
        .invalidSQL, "there is no SQL statement in the text", path: connection.path,
        suggestion: "give one statement")
    }
    handle = prepared
    columnCount = Int(sqlite3_column_count(prepared))
    guard !hasTail else {
      throw StoreError(
        .invalidSQL, "more than one SQL statement in the text", path: connection.path,
        suggestion: "give one statement at a time")
    }
  }

  deinit { sqlite3_finalize(handle) }

  /// Whether the statement changes nothing in the file.
  var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Moves to the next row; `false` at the end.
  @inline(__always)
  func step() throws(StoreError) -> Bool {
    let result = sqlite3_step(handle)
    if result == SQLITE_ROW { return true }
    if result == SQLITE_DONE { return false }
    let error = connection.error(result, doing: "execute a statement")
    sqlite3_reset(handle)
    throw error
  }

  /// Executes a statement without results and makes it ready for the next time.
  func run() throws(StoreError) {
    let result = sqlite3_step(handle)
    if result != SQLITE_DONE, result != SQLITE_ROW {
      let error = connection.error(result, doing: "execute a statement")
      sqlite3_reset(handle)
      throw error
    }
    sqlite3_reset(handle)
  }

  /// Makes the statement ready for the next execution; parameters keep their values.
  func reset() { sqlite3_reset(handle) }

  /// Whether a part of a text has more than white space, comments and semicolons.
  private static func hasStatement(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool {
    var index = rest.startIndex
    while index < rest.endIndex {
      let byte = rest[index]
      let next = index + 1 < rest.endIndex ? rest[index + 1] : 0
      switch byte {
      case 0x09, 0x0A, 0x0C, 0x0D, 0x20, UInt8(ascii: ";"):
        index += 1
      case UInt8(ascii: "-") where next == UInt8(ascii: "-"):
        while index < rest.endIndex, rest[index] != 0x0A { index += 1 }
      case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
        index += 2
        while index < rest.endIndex,
          !(rest[index] == UInt8(ascii: "/") && rest[index - 1] == UInt8(ascii: "*"))
        {
          index += 1
        }
        index += 1
      case 0: return false
      default: return true
      }
    }
    return false
  }
}
