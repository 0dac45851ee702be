import CSQLite
import KuraCore

/// SQL functions for the text operators of conditions: byte for byte, on text and data alike.
///
/// SQLite's own LIKE folds ASCII case and instr stops at nothing useful for data of another type.
/// The functions are direct-only: the schema of a hostile file cannot call them.
enum TextFunctions {
  /// The function that gives a text as a comparison sees it.
  static let fold = "kura_fold"
  /// The function that does the same with a pattern of LIKE.
  static let foldPattern = "kura_fold_pattern"
  /// The function of MATCHES.
  static let matches = "kura_matches"

  /// The name of the function of an operator.
  static func name(_ function: Condition.TextOperator) -> String {
    switch function {
    case .contains: "kura_contains"
    case .beginsWith: "kura_begins_with"
    case .endsWith: "kura_ends_with"
    case .like: "kura_like"
    }
  }

  /// Makes the functions known to a connection.
  static func register(on connection: SQLiteConnection) throws(StoreError) {
    try unsafe register("kura_contains", on: connection) { context, _, values in
      unsafe TextFunctions.call(context, values) { unsafe TextMatching.contains($0, $1) }
    }
    try unsafe register("kura_begins_with", on: connection) { context, _, values in
      unsafe TextFunctions.call(context, values) { unsafe TextMatching.begins($0, with: $1) }
    }
    try unsafe register("kura_ends_with", on: connection) { context, _, values in
      unsafe TextFunctions.call(context, values) { unsafe TextMatching.ends($0, with: $1) }
    }
    try unsafe register("kura_like", on: connection) { context, _, values in
      unsafe TextFunctions.call(context, values) { unsafe TextMatching.like($0, pattern: $1) }
    }
    try registerFolding(on: connection)
    try unsafe register(matches, arguments: 3, on: connection) { context, _, values in
      unsafe TextFunctions.callMatches(context, values)
    }
  }

  typealias Body =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  /// - Parameter folders: What the function finds as its user data, owned by the connection then.
  static func register(
    _ name: String, arguments count: Int32 = 2, on connection: SQLiteConnection,
    folders: FolderSet? = nil, _ body: Body
  ) throws(StoreError) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    let owned = unsafe folders.map { unsafe Unmanaged.passRetained($0).toOpaque() }
    // SQLite calls the destructor also when it does not take the function.
    let result = unsafe sqlite3_create_function_v2(
      connection.handle, name, count, flags, owned, body, nil, nil,
      { folders in
        if let folders = unsafe folders {
          unsafe Unmanaged<FolderSet>.fromOpaque(folders).release()
        }
      })
    guard result == SQLITE_OK else { throw connection.error(result, doing: "add a function") }
  }

  private static func call(
    _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) {
    guard let values = unsafe values, let left = unsafe bytes(values[0]),
      let right = unsafe bytes(values[1]),
      unsafe left.isData == right.isData
    else { return unsafe sqlite3_result_int(context, 0) }
    unsafe sqlite3_result_int(context, body(left.bytes, right.bytes) ? 1 : 0)
  }

  /// The bytes of a text or data value; `nil` for other values.
  static func bytes(_ value: OpaquePointer?) -> (
    bytes: UnsafeRawBufferPointer, isData: Bool
  )? {
    guard let value = unsafe value else { return nil }
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_TEXT:
      let start = unsafe sqlite3_value_text(value)
      return unsafe (
        UnsafeRawBufferPointer(
          start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))), false
      )
    case SQLITE_BLOB:
      let start = unsafe sqlite3_value_blob(value)
      return unsafe (
        UnsafeRawBufferPointer(
          start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))), true
      )
    default: return nil
    }
  }
}
