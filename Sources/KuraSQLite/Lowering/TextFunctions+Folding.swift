import CSQLite
import KuraCore

/// The folders that a connection's functions use; a connection belongs to one thread at a time.
final class FolderSet {
  private var folders: [TextFolder?] = []

  /// The folder of some options.
  func folder(_ folding: TextComparison) -> TextFolder {
    let place = Int(folding.rawValue)
    while folders.count <= place { folders.append(nil) }
    if let folder = folders[place] { return folder }
    let folder = TextFolder(folding)
    folders[place] = folder
    return folder
  }
}

extension TextFunctions {
  static func registerFolding(on connection: SQLiteConnection) throws(StoreError) {
    try unsafe register(fold, on: connection, folders: FolderSet()) { context, _, values in
      unsafe TextFunctions.callFold(context, values)
    }
    try unsafe register(foldPattern, on: connection) { context, _, values in
      unsafe TextFunctions.callFoldPattern(context, values)
    }
  }

  /// `kura_fold(value, options)`: values that are no texts stay as they are.
  private static func callFold(
    _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard let values = unsafe values, let data = unsafe sqlite3_user_data(context) else { return }
    guard let text = unsafe bytes(values[0]), unsafe !text.isData else {
      return unsafe sqlite3_result_value(context, values[0])
    }
    let folding = unsafe TextComparison(
      rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int(values[1])))
    let folders = unsafe Unmanaged<FolderSet>.fromOpaque(data).takeUnretainedValue()
    unsafe setText(context, folders.folder(folding).fold(text.bytes))
  }

  private static func callFoldPattern(
    _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard let values = unsafe values else { return }
    guard let text = unsafe bytes(values[0]), unsafe !text.isData else {
      return unsafe sqlite3_result_value(context, values[0])
    }
    let folding = unsafe TextComparison(
      rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int(values[1])))
    let row = RowBuffer(columns: 1)
    row[0] = unsafe ColumnSlot(.text, borrowing: text.bytes)
    row.setValue(row[0].value.folded(folding, isPattern: true), at: 0)
    unsafe setText(context, row[0].bytes)
  }

  /// Makes a text the result of a function.
  static func setText(_ context: OpaquePointer?, _ bytes: UnsafeRawBufferPointer) {
    let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard let start = unsafe start, unsafe !bytes.isEmpty else {
      return unsafe sqlite3_result_text(context, "", 0, TextFunctions.transient)
    }
    unsafe sqlite3_result_text64(
      context, start, UInt64(bytes.count), TextFunctions.transient, UInt8(SQLITE_UTF8))
  }

  /// SQLite copies what it is given.
  private static var transient: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
