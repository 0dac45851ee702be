import CSQLite
import KuraCore

/// What a connection to somebody's file may do: read, within limits, and nothing of its own accord.
///
/// Source: sqlite.org/security.html, section "Untrusted SQLite database files".
enum UntrustedSettings {
  static func apply(
    to connection: SQLiteConnection, fileSize: Int64, trustsSchema: Bool
  ) throws(StoreError) {
    connection.configure(SQLITE_DBCONFIG_DEFENSIVE, true)
    connection.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, trustsSchema || mustTrustSchema)
    connection.configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    connection.configure(SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false)
    connection.configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
    connection.configure(SQLITE_DBCONFIG_WRITABLE_SCHEMA, false)
    connection.configure(SQLITE_DBCONFIG_DQS_DDL, true)
    connection.configure(SQLITE_DBCONFIG_DQS_DML, false)
    // No stored value can be larger than the file; a computed one shall not be much larger either.
    let length = min(1_000_000_000, max(32 << 20, fileSize + 1 << 20))
    for (limit, value) in [
      (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LENGTH, Int32(clamping: length)),
      (SQLITE_LIMIT_SQL_LENGTH, 4_000_000), (SQLITE_LIMIT_EXPR_DEPTH, 1000),
      (SQLITE_LIMIT_COMPOUND_SELECT, 500), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50_000),
      (SQLITE_LIMIT_TRIGGER_DEPTH, 10),
    ] {
      unsafe sqlite3_limit(connection.handle, limit, value)
    }
    try TextFunctions.register(on: connection)
    try ArithmeticFunction.register(on: connection)
    try NumberFunctions.register(on: connection)
    try connection.execute("PRAGMA query_only = ON; PRAGMA cell_size_check = ON")
    unsafe sqlite3_set_authorizer(
      connection.handle,
      { _, action, first, second, _, _ in
        unsafe UntrustedSettings.allows(action, first, second) ? SQLITE_OK : SQLITE_DENY
      }, nil)
  }

  /// Whether the library (as 3.40 does) does not count its own JSON functions as innocuous: without
  /// trust it would refuse whole files that have an index or view on JSON, of which there are many.
  ///
  /// Trust then gives little away: the connection knows no functions but SQLite's own and ours, ours
  /// cannot be called by a schema, and the authorizer refuses the two of SQLite's that do harm.
  private static let mustTrustSchema: Bool = {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
    guard let memory = try? SQLiteConnection("json", .init(flags: flags)) else { return false }
    let innocuous = try? memory.integer(
      "SELECT count(*) FROM pragma_function_list "
        + "WHERE name = 'json_extract' AND flags & 0x200000")
    return innocuous == 0
  }()

  /// The pragmas that only tell something.
  static let pragmas: Set<String> = [
    "application_id", "auto_vacuum", "cell_size_check", "collation_list", "compile_options",
    "data_version", "database_list", "encoding", "foreign_key_check", "foreign_key_list",
    "freelist_count", "function_list", "index_info", "index_list", "index_xinfo",
    "integrity_check", "journal_mode", "max_page_count", "module_list", "page_count",
    "page_size", "pragma_list", "query_only", "quick_check", "schema_version", "synchronous",
    "table_info", "table_list", "table_xinfo", "user_version",
  ]
  /// Those among them whose argument is a name and not a new value.
  static let pragmasWithArgument: Set<String> = [
    "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo",
    "integrity_check", "quick_check", "table_info", "table_list", "table_xinfo",
  ]

  /// Denies what reaches beyond the file or switches these settings off; that nothing is written is
  /// seen to by the way the file is opened.
  private static func allows(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?
  ) -> Bool {
    switch action {
    case SQLITE_ATTACH, SQLITE_DETACH: return false
    case SQLITE_PRAGMA:
      guard let first = unsafe first else { return false }
      let name = unsafe String(cString: first).lowercased()
      return unsafe pragmas.contains(name) && (second == nil || pragmasWithArgument.contains(name))
    case SQLITE_FUNCTION:
      guard let second = unsafe second else { return true }
      let name = unsafe String(cString: second).lowercased()
      return name != "load_extension" && name != "fts3_tokenizer"
    default: return true
    }
  }
}
