import CSQLite
import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Turns SQLite's result codes into errors with a code, a sentence and a suggestion.
enum SQLiteErrors {
  /// The error of a call that returned a code other than OK, ROW and DONE.
  static func error(_ result: Int32, _ handle: OpaquePointer?, path: String?, doing action: String)
    -> StoreError
  {
    let message =
      unsafe handle.flatMap { unsafe sqlite3_errmsg($0) }.map { unsafe String(cString: $0) } ?? ""
    let extended = unsafe handle.map { unsafe sqlite3_extended_errcode($0) } ?? result
    let code = extended & 0xFF == result & 0xFF ? extended : result
    var error = unsafe describe(code, message, handle, action)
    if code & 0xFF == SQLITE_CANTOPEN, let path, let reason = tooLong(path) { error = reason }
    error.path = path
    error.engineCode = code
    return error
  }

  private static func describe(
    _ code: Int32, _ message: String, _ handle: OpaquePointer?, _ action: String
  ) -> StoreError {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return StoreError(
        .locked, "the database is locked by another connection or process",
        suggestion: "wait until the other one is done, or allow a longer wait")
    case SQLITE_CORRUPT:
      return StoreError(
        .damaged, "the database is damaged: \(message)",
        suggestion: "check the file with `store-inspect check` and restore a backup")
    case SQLITE_NOTADB:
      return StoreError(
        .unknownFormat, "the file is not an SQLite database, or it is encrypted",
        suggestion: "give another file, or decrypt this one first")
    case SQLITE_FULL:
      return StoreError(
        .diskFull, "no space is left for the database", suggestion: "free space and try again")
    case SQLITE_NOMEM:
      return StoreError(.outOfMemory, "SQLite ran out of memory trying to \(action)")
    case SQLITE_READONLY where code == SQLITE_READONLY_DIRECTORY:
      return StoreError(
        .readOnlyLocation, "the folder does not allow writing",
        suggestion: "change the folder's permissions, or open the file for reading only")
    case SQLITE_READONLY where code == SQLITE_READONLY_DBMOVED:
      return StoreError(
        .replaced, "the file was removed or replaced while it was open",
        suggestion: "close the store and open it again")
    case SQLITE_READONLY:
      return StoreError(
        .readOnly, "the database cannot be written: \(message)",
        suggestion: "open it for writing, in a folder that can be written")
    case SQLITE_PERM, SQLITE_AUTH:
      return StoreError(
        .readOnly, "this connection does not allow that: \(message)",
        suggestion: "open the file for writing, or leave the statement out")
    case SQLITE_CANTOPEN:
      return unsafe cannotOpen(message, handle)
    case SQLITE_IOERR:
      return unsafe inputOutput(code, message, handle, action)
    case SQLITE_ABORT:
      return StoreError(
        .transactionFailed, "the transaction was rolled back, so the walk cannot go on",
        suggestion: "begin another transaction")
    case SQLITE_INTERRUPT:
      return StoreError(.cancelled, "the statement was cancelled")
    case SQLITE_CONSTRAINT:
      return constraint(code, message)
    case SQLITE_TOOBIG:
      return unsafe tooLarge(message, handle)
    case SQLITE_MISMATCH:
      return StoreError(.wrongType, "a row number must be an integer")
    case SQLITE_RANGE:
      return StoreError(.invalidSQL, "the statement has no parameter of that number")
    case SQLITE_SCHEMA:
      return StoreError(.locked, "the schema changed while the statement was prepared")
    case SQLITE_ERROR where message == "unsupported file format":
      // The header's schema format number (byte 44) is none that SQLite has.
      return StoreError(
        .unsupportedFormat, "the file's schema format is newer than this SQLite, or damaged",
        suggestion: "use a newer version, or check where the file comes from")
    case SQLITE_ERROR:
      return StoreError(.invalidSQL, message.isEmpty ? "the SQL is wrong" : message)
    default:
      return StoreError(
        .internalError, "SQLite could not \(action): \(message) (code \(code))",
        suggestion: "report this with the code")
    }
  }

  /// The limit is the connection's: for a file that is only read it follows from the file's size.
  private static func tooLarge(_ message: String, _ handle: OpaquePointer?) -> StoreError {
    let isStatement = message == "statement too long"
    let kind = isStatement ? SQLITE_LIMIT_SQL_LENGTH : SQLITE_LIMIT_LENGTH
    let limit = unsafe handle.map { unsafe sqlite3_limit($0, kind, -1) }
    if isStatement {
      return StoreError(
        .invalidSQL, "the SQL statement is too long", expected: limit.map { "at most \($0) bytes" },
        suggestion: "give values as parameters, or use several statements")
    }
    return StoreError(
      .tooLarge, "a text, value or row is larger than this connection allows",
      expected: limit.map { "at most \($0) bytes" },
      suggestion: "compute or store it in parts")
  }

  private static func cannotOpen(_ message: String, _ handle: OpaquePointer?) -> StoreError {
    let reason = unsafe handle.map { unsafe sqlite3_system_errno($0) } ?? 0
    switch reason {
    case EACCES, EPERM:
      return StoreError(
        .noPermission, "the file or its folder does not allow access",
        suggestion: "check the owner and permissions")
    case EROFS:
      return StoreError(
        .readOnlyLocation, "the file system is read-only", suggestion: "open it for reading")
    case ENOENT, ENOTDIR:
      return StoreError(.missing, "there is no such file or folder", suggestion: "check the path")
    case EISDIR:
      return StoreError(.isFolder, "the path is a folder", suggestion: "name a file")
    case EMFILE, ENFILE:
      return StoreError(.limitReached, "too many files are open", suggestion: "close some")
    case ENOSPC:
      return StoreError(.diskFull, "no space is left for the database", suggestion: "free space")
    default:
      return StoreError(
        .noPermission, "the file cannot be opened: \(message)", suggestion: "check the path")
    }
  }

  private static func inputOutput(
    _ code: Int32, _ message: String, _ handle: OpaquePointer?, _ action: String
  ) -> StoreError {
    let reason = unsafe handle.map { unsafe sqlite3_system_errno($0) } ?? 0
    if reason == ENOSPC || reason == EDQUOT || reason == EFBIG {
      return StoreError(
        .diskFull, "no space is left for the database", suggestion: "free space and try again")
    }
    if code == SQLITE_IOERR_NOMEM {
      return StoreError(.outOfMemory, "SQLite ran out of memory trying to \(action)")
    }
    let detail = unsafe reason == 0 ? message : String(cString: strerror(reason))
    return StoreError(
      .ioError, "the operating system failed to read or write the database: \(detail)",
      suggestion: "check the disk, then open the store again")
  }

  /// A reference that leads nowhere.
  static func brokenReference(found: String?) -> StoreError {
    StoreError(
      .brokenReference,
      "a reference points at no record, or a record to delete is still referred to", found: found)
  }

  /// Constraint failures; SQLite's message names table and columns, never values.
  private static func constraint(_ code: Int32, _ message: String) -> StoreError {
    let subject = message.firstRange(of: "failed: ").map { String(message[$0.upperBound...]) } ?? ""
    switch code {
    case SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_ROWID:
      return StoreError(
        .duplicateKey, "there is already a record with this key", found: subject,
        suggestion: "use another key, or upsert")
    case SQLITE_CONSTRAINT_UNIQUE:
      return StoreError(
        .notUnique, "another record has the same value of a unique property", found: subject)
    case SQLITE_CONSTRAINT_NOTNULL:
      return StoreError(.missingValue, "a required property has no value", found: subject)
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return brokenReference(found: nil)
    case SQLITE_CONSTRAINT_DATATYPE:
      return StoreError(.wrongType, "a value is not of the property's type", found: subject)
    case SQLITE_CONSTRAINT_TRIGGER where message.hasPrefix("FOREIGN KEY"):
      return brokenReference(found: nil)
    default:
      return StoreError(.constraint, "a constraint of the file refuses the value: \(message)")
    }
  }
}
