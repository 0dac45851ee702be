import CSQLite
import KuraCore

extension SQLiteStatement {
  /// Binds a value in SQLite's natural form; parameters count from 1.
  func bind(_ value: StoredValue, at index: Int) throws(StoreError) {
    let position = Int32(clamping: index)
    let result: Int32
    switch value {
    case .null: result = unsafe sqlite3_bind_null(handle, position)
    case .bool(let value): result = unsafe sqlite3_bind_int64(handle, position, value ? 1 : 0)
    case .integer(let value): result = unsafe sqlite3_bind_int64(handle, position, value)
    case .double(let value): result = unsafe sqlite3_bind_double(handle, position, value)
    case .decimal(let value): result = bindText(value.sortableText, position)
    case .date(let value): result = bindText(value.description, position)
    case .text(let value): result = bindText(value, position)
    case .malformedText(let bytes):
      result = unsafe bytes.withUnsafeBytes { bytes in
        unsafe sqlite3_bind_text64(
          handle, position, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
          UInt64(bytes.count), kura_sqlite3_transient(), UInt8(SQLITE_UTF8))
      }
    case .data(let bytes):
      result = unsafe bytes.withUnsafeBytes { unsafe bindData($0, position) }
    case .uuid(let value): result = bindText(ValueText.text(of: value), position)
    case .objectID(let value): result = bindText(value.description, position)
    }
    guard result == SQLITE_OK else { throw failure(result) }
  }

  /// Binds a slot in the form that Kura's files give its kind; the bytes are copied.
  func bind(_ slot: ColumnSlot, at index: Int) throws(StoreError) {
    let position = Int32(clamping: index)
    let result: Int32
    switch slot.kind {
    case .null: result = unsafe sqlite3_bind_null(handle, position)
    case .bool, .integer: result = unsafe sqlite3_bind_int64(handle, position, slot.integer)
    case .double: result = unsafe sqlite3_bind_double(handle, position, slot.double)
    case .text, .malformedText:
      let bytes = unsafe slot.bytes
      result = unsafe sqlite3_bind_text64(
        handle, position, bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText,
        UInt64(bytes.count), kura_sqlite3_transient(), UInt8(SQLITE_UTF8))
    case .data: result = unsafe bindData(slot.bytes, position)
    case .decimal, .date, .uuid, .objectID:
      let text = ValueText.text(of: slot)
      result = bindText(text, position)
    }
    guard result == SQLITE_OK else { throw failure(result) }
  }

  /// Binds a slot whose bytes stay where they are until the statement was reset.
  @inline(__always)
  func bindBorrowing(_ slot: ColumnSlot, at position: Int32) throws(StoreError) {
    let result: Int32
    switch slot.kind {
    case .null: result = unsafe sqlite3_bind_null(handle, position)
    case .bool, .integer: result = unsafe sqlite3_bind_int64(handle, position, slot.integer)
    case .double: result = unsafe sqlite3_bind_double(handle, position, slot.double)
    case .text:
      let bytes = unsafe slot.bytes
      result = unsafe sqlite3_bind_text64(
        handle, position, bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText,
        UInt64(bytes.count), kura_sqlite3_static(), UInt8(SQLITE_UTF8))
    case .data where slot.word1 > 0:
      let bytes = unsafe slot.bytes
      result = unsafe sqlite3_bind_blob64(
        handle, position, bytes.baseAddress, UInt64(bytes.count), kura_sqlite3_static())
    case .malformedText, .data, .decimal, .date, .uuid, .objectID:
      return try bind(slot, at: Int(position))
    }
    guard result == SQLITE_OK else { throw failure(result) }
  }

  private func bindText(_ text: String, _ position: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
        unsafe sqlite3_bind_text64(
          handle, position, characters.baseAddress ?? emptyText, UInt64(characters.count),
          kura_sqlite3_transient(), UInt8(SQLITE_UTF8))
      }
    }
  }

  private func bindData(_ bytes: UnsafeRawBufferPointer, _ position: Int32) -> Int32 {
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      // A null pointer would bind NULL instead of empty data.
      return unsafe sqlite3_bind_zeroblob(handle, position, 0)
    }
    return unsafe sqlite3_bind_blob64(
      handle, position, base, UInt64(bytes.count), kura_sqlite3_transient())
  }

  private func failure(_ result: Int32) -> StoreError {
    unsafe SQLiteErrors.error(result, sqlite3_db_handle(handle), path: nil, doing: "bind a value")
  }

  /// The integer of a column of the current row.
  func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(handle, Int32(column)) }

  /// The text of a column of the current row, malformed bytes repaired; `nil` for null.
  func text(_ column: Int) -> String? {
    guard let characters = unsafe sqlite3_column_text(handle, Int32(column)) else { return nil }
    let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
    return unsafe String(
      decoding: UnsafeBufferPointer(start: characters, count: count), as: UTF8.self)
  }

  /// The name of a result column.
  func columnName(_ column: Int) -> String {
    unsafe sqlite3_column_name(handle, Int32(column)).map { unsafe String(cString: $0) } ?? ""
  }

  /// The value of a column of the current row in SQLite's own types, borrowed until the next step.
  @inline(__always)
  func slot(_ column: Int32) -> ColumnSlot { unsafe SQLiteStatement.slot(handle, column) }

  /// The same of a statement's handle.
  @inline(__always)
  static func slot(_ handle: OpaquePointer, _ column: Int32) -> ColumnSlot {
    // The value is read in place: this connection has no mutex, so that SQLite makes no difference
    // between protected and unprotected values (sqlite3.h, `sqlite3_value`).
    guard let value = unsafe sqlite3_column_value(handle, column) else { return ColumnSlot(.null) }
    return unsafe slot(of: value)
  }

  /// A value in SQLite's own types, borrowed as long as the value is there.
  @inline(__always)
  static func slot(of value: OpaquePointer) -> ColumnSlot {
    // Comparisons, the most frequent first: a jump through a table is harder to foresee.
    let type = unsafe sqlite3_value_type(value)
    if type == SQLITE_INTEGER {
      return unsafe ColumnSlot(.integer, UInt64(bitPattern: sqlite3_value_int64(value)))
    }
    if type == SQLITE_TEXT {
      // Without memory for converting UTF-16 there is no address, see ``ColumnCodec``.
      guard let start = unsafe sqlite3_value_text(value) else { return ColumnSlot(.malformedText) }
      let count = unsafe Int(sqlite3_value_bytes(value))
      let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
      let isText = unsafe UTF8Validation.isASCII(start, count) || UTF8Validation.isValid(bytes)
      return unsafe ColumnSlot(isText ? .text : .malformedText, borrowing: bytes)
    }
    if type == SQLITE_FLOAT {
      return unsafe ColumnSlot(.double, sqlite3_value_double(value).bitPattern)
    }
    guard type == SQLITE_BLOB else { return ColumnSlot(.null) }
    let start = unsafe sqlite3_value_blob(value)
    let count = unsafe Int(sqlite3_value_bytes(value))
    return unsafe ColumnSlot(
      .data, borrowing: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}

/// An address for texts without bytes: a null pointer would bind NULL.
// The byte never changes and is never freed, so every thread may read it.
private nonisolated(unsafe) let emptyText: UnsafePointer<CChar> = {
  let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  unsafe byte.initialize(to: 0)
  return unsafe UnsafePointer(byte)
}()
