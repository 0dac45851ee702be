import CSQLite
import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One connection to one SQLite file: owns the handle and turns every result code into an error.
///
/// A connection is opened without SQLite's own mutex; whoever owns it sees to it that one thread
/// uses it at a time. The handle lives as long as the connection: `sqlite3_close_v2` keeps it for
/// statements that are still there.
@safe
package final class SQLiteConnection {
  let handle: OpaquePointer
  /// The path for error messages, as the caller gave it.
  let path: String
  private var isClosed = false
  private(set) lazy var statements = StatementCache(self)
  let preparedModels = PreparedModels()
  /// What a running statement may still do; `nil` allows everything.
  var limits: ExecutionLimits?

  /// Whether the connection sees commits of others as they happen, so that they can be numbered.
  var countsCommits = false
  /// Whether the connection was seen in WAL mode, in which it then stays.
  var hasLog = false
  /// What the last one who noted changes knew of the tables.
  var keptShapes: ChangeShapes?

  /// Closes what a body closes, at a time when that does no harm; `nil` closes at once.
  var closing: ((@escaping () -> Void) -> Void)?

  /// Whether the file is still the one that was opened; `nil` where locks see to that.
  var isUnchanged: (() -> Bool)?

  /// The error for a file that somebody changed under a reader without locks.
  ///
  /// What was read may be of two moments, so it is neither complete nor damaged.
  func changedUnderReader() -> StoreError? {
    guard let isUnchanged, !isUnchanged() else { return nil }
    return StoreError(
      .locked, "somebody changed the file while it was read", path: path,
      suggestion: "try again")
  }

  /// How a file is opened.
  struct Mode {
    var flags: Int32
    var vfs: String?
    /// `immutable=1`: the file is promised not to change, no lock is taken and no side file read.
    var isImmutable = false

    static let readWrite = Mode(flags: SQLITE_OPEN_READWRITE)
    static let create = Mode(flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    static let readOnly = Mode(flags: SQLITE_OPEN_READONLY)
    static let immutable = Mode(flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, isImmutable: true)
  }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - file: The path to open.
  ///   - reportedPath: The path for messages, when another than the opened one.
  init(_ file: String, _ mode: Mode, reportedPath: String? = nil) throws(StoreError) {
    path = reportedPath ?? file
    guard !file.utf8.contains(0) else {
      throw StoreError(.missing, "a path cannot contain a NUL character", path: path)
    }
    // Debian's library reads a name that begins with `file:` as a URI even without the flag; an
    // absolute path never does.
    let absolute = SQLiteConnection.absolutePath(file)
    let name = mode.isImmutable ? SQLiteConnection.uri(absolute, "immutable=1") : absolute
    var opened: OpaquePointer?
    let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
    let result = unsafe sqlite3_open_v2(FileName.bytes(of: name), &opened, flags, mode.vfs)
    guard let opened = unsafe opened else {
      throw StoreError(.outOfMemory, "SQLite has no memory for a connection", path: path)
    }
    unsafe handle = opened
    guard result == SQLITE_OK else {
      let error = unsafe SQLiteErrors.error(result, handle, path: path, doing: "open the file")
      unsafe sqlite3_close_v2(opened)
      isClosed = true
      throw error
    }
  }

  deinit { close() }

  /// Closes the connection; statements that still live keep what they need.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    preparedModels.removeAll()
    statements.removeAll()
    let handle = unsafe handle
    if let closing {
      closing { unsafe sqlite3_close_v2(handle) }
    } else {
      unsafe sqlite3_close_v2(handle)
    }
  }

  /// Sets how long SQLite waits for locks of other connections.
  func setBusyTimeout(_ timeout: Duration) {
    unsafe sqlite3_busy_timeout(handle, Int32(clamping: timeout.milliseconds))
  }

  /// Sets one option of `sqlite3_db_config`.
  func configure(_ option: Int32, _ isOn: Bool) {
    _ = unsafe kura_sqlite3_db_config(handle, option, isOn ? 1 : 0, nil)
  }

  /// Whether SQLite lets nobody write the file; known once its first page was read.
  var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

  /// Whether no transaction is open.
  var isAutocommit: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

  /// Whether references that are only looked at later lead nowhere.
  var hasUnresolvedReferences: Bool {
    var (current, highest): (Int32, Int32) = (0, 0)
    let result = unsafe sqlite3_db_status(
      handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return result != SQLITE_OK || current != 0
  }

  /// The rows changed by the last statement itself, without what foreign keys and triggers did.
  var changes: Int64 { unsafe sqlite3_changes64(handle) }

  /// The rows changed by all statements so far.
  var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

  /// The number of the row inserted last.
  var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Executes statements without parameters and results.
  func execute(_ sql: String) throws(StoreError) {
    let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw error(result, doing: "execute a statement") }
  }

  /// Prepares one statement.
  func prepare(_ sql: String, isPersistent: Bool = false) throws(StoreError) -> SQLiteStatement {
    try SQLiteStatement(self, sql, isPersistent: isPersistent)
  }

  /// The first column of the first row as an integer; `nil` without a row.
  func integer(_ sql: String, _ values: StoredValue...) throws(StoreError) -> Int64? {
    let statement = try prepare(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The first column of the first row as text; `nil` without a row.
  func text(_ sql: String, _ values: StoredValue...) throws(StoreError) -> String? {
    let statement = try prepare(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    return try statement.step() ? statement.text(0) : nil
  }

  /// An error for a result code of this connection.
  func error(_ result: Int32, doing action: String) -> StoreError {
    if let reason = limits?.stopReason, result & 0xFF == SQLITE_INTERRUPT { return reason.at(path) }
    if let error = changedUnderReader() { return error }
    return unsafe SQLiteErrors.error(result, handle, path: path, doing: action)
  }

  /// The path made absolute without resolving links; SQLite then reads no meaning into it.
  static func absolutePath(_ path: String) -> String {
    guard path.utf8.first != UInt8(ascii: "/") else { return path }
    guard let folder = unsafe getcwd(nil, 0) else { return "./" + path }
    defer { unsafe free(folder) }
    return unsafe FileName.text(of: folder) + "/" + path
  }

  /// A `file:` URI of an absolute path: everything but unreserved characters is percent-encoded, so
  /// that no character of a name can be taken for a parameter.
  static func uri(_ absolute: String, _ parameters: String) -> String {
    var text = "file://"
    for character in FileName.bytes(of: absolute).dropLast() {
      let byte = UInt8(bitPattern: character)
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "/"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += byte < 16 ? "%0" + digits : "%" + digits
      }
    }
    return text + "?" + parameters
  }
}

extension Duration {
  /// Whole milliseconds, rounded up and at least zero.
  package var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    if overflow { return seconds < 0 ? 0 : .max }
    return max(0, product + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
