import CSQLite
import KuraCore

/// Lets SQLite fill a replacement with one `INSERT … SELECT`.
///
/// Columns that stay never leave SQLite. The first one that changes is a function of the whole row,
/// which also sees what stays, for the proof; further ones read what that made.
final class ReplacementFill {
  /// What the most careful build of SQLite allows (limits.html, item 6).
  private static let maximumColumns = 100
  private static let takeName = "kura_take"
  private static let madeName = "kura_made"

  private let transform: any RecordTransform
  private let model: ModelLayout
  private let first: Int
  private let later: [Int]
  private let codecs: [(ColumnCodec, ColumnSlot.Kind)]
  private let accepted: [ColumnCodec]
  private let old: RowBuffer
  private let new: RowBuffer
  /// The texts and data of further columns: what they borrow may be gone when they are asked for.
  private var kept: [Int: (ColumnSlot, [UInt8])] = [:]
  private var failure: StoreError?
  /// Whether nothing is filled any more, though SQLite may still know the functions.
  private var isOver = false

  /// Fills a replacement.
  ///
  /// - Returns: Whether it was filled; models that are too wide for a function are not.
  static func run(
    _ replacement: PreparedModel, from model: PreparedModel, by transform: any RecordTransform,
    _ connection: SQLiteConnection
  ) throws(StoreError) -> Bool {
    guard let fill = ReplacementFill(replacement, model, transform) else { return false }
    try fill.run(replacement.layout, connection)
    return true
  }

  private init?(
    _ replacement: PreparedModel, _ model: PreparedModel, _ transform: any RecordTransform
  ) {
    let made = transform.copied.indices.filter { transform.copied[$0] == nil }
    guard let first = made.first, model.layout.columns.count <= ReplacementFill.maximumColumns,
      transform.copied.count == replacement.layout.columns.count,
      !model.layout.columns.contains(where: \.isGenerated)
    else { return nil }
    self.transform = transform
    self.model = model.layout
    self.first = first
    later = Array(made.dropFirst())
    codecs = model.codecs.map { ($0, $0.plainKind) }
    accepted = replacement.codecs
    old = RowBuffer(columns: model.layout.columns.count)
    new = RowBuffer(columns: replacement.layout.columns.count)
  }

  private func run(_ replacement: ModelLayout, _ connection: SQLiteConnection) throws(StoreError) {
    defer {
      isOver = true
      // SQLite refuses while a statement runs; it then keeps the functions until the next filling.
      for name in [ReplacementFill.takeName, ReplacementFill.madeName] {
        _ = unsafe sqlite3_create_function_v2(
          connection.handle, name, -1, SQLITE_UTF8, nil, nil, nil, nil, nil)
      }
    }
    try register(ReplacementFill.takeName, connection)
    try register(ReplacementFill.madeName, connection)
    let all = model.columns.indices.map { model.quotedColumn($0) }.joined(separator: ", ")
    let values = transform.copied.enumerated().map { place, source in
      if let source { return model.quotedColumn(source) }
      return place == first
        ? "\(ReplacementFill.takeName)(\(all))" : "\(ReplacementFill.madeName)(\(place))"
    }
    let columns = replacement.columns.indices.map { replacement.quotedColumn($0) }
    do {
      try connection.execute(
        "INSERT INTO \(SQLLiterals.quoted(replacement.name)) (\(columns.joined(separator: ", "))) "
          + "SELECT \(values.joined(separator: ", ")) FROM \(SQLLiterals.quoted(model.name))")
    } catch {
      throw failure ?? error
    }
  }

  private func register(_ name: String, _ connection: SQLiteConnection) throws(StoreError) {
    // SQLite lets go when it forgets the function, and also when it does not take it.
    let this = unsafe Unmanaged.passRetained(self).toOpaque()
    let isTake = name == ReplacementFill.takeName
    // Not deterministic: SQLite must call it for each row, and in the order of the columns.
    let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
    let result =
      isTake
      ? unsafe sqlite3_create_function_v2(
        connection.handle, name, -1, flags, this,
        { context, count, values in unsafe ReplacementFill.of(context)?.take(context, count, values)
        },
        nil, nil, { data in unsafe ReplacementFill.forget(data) })
      : unsafe sqlite3_create_function_v2(
        connection.handle, name, -1, flags, this,
        { context, count, values in unsafe ReplacementFill.of(context)?.give(context, count, values)
        },
        nil, nil, { data in unsafe ReplacementFill.forget(data) })
    guard result == SQLITE_OK else { throw connection.error(result, doing: "add a function") }
  }

  private static func forget(_ data: UnsafeMutableRawPointer?) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<ReplacementFill>.fromOpaque(data).release()
  }

  private static func of(_ context: OpaquePointer?) -> ReplacementFill? {
    guard let data = unsafe sqlite3_user_data(context) else { return nil }
    return unsafe Unmanaged<ReplacementFill>.fromOpaque(data).takeUnretainedValue()
  }

  /// Makes the row of a record and gives the first column.
  private func take(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard let values = unsafe values, Int(count) == codecs.count, !isOver else {
      return unsafe sqlite3_result_error_code(context, SQLITE_MISUSE)
    }
    do throws(StoreError) {
      for column in codecs.indices {
        guard let value = unsafe values[column] else { continue }
        let slot = unsafe SQLiteStatement.slot(of: value)
        let (codec, plainKind) = codecs[column]
        if slot.kind == plainKind || slot.kind == .null {
          old[column] = slot
        } else if let other = codec.other(slot) {
          old[column] = other
        } else {
          throw StoreError(
            .undecodable,
            "a stored value of \"\(model.name)\".\"\(model.columns[column].name)\" is not of the "
              + "property's type", suggestion: "check the file with `store-inspect check --deep`")
        }
      }
      try transform.fill(new, from: old)
      for column in later {
        let slot = new[column]
        kept[column] = unsafe (slot, slot.kind.isBorrowed ? Array(slot.bytes) : [])
      }
      if let error = unsafe give(new[first], column: first, context) { throw error }
    } catch {
      failure = error
      unsafe sqlite3_result_error_code(context, SQLITE_ABORT)
    }
  }

  /// Gives a further column of the row.
  private func give(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard count == 1, !isOver, let value = unsafe values?[0] else {
      return unsafe sqlite3_result_error_code(context, SQLITE_MISUSE)
    }
    let column = unsafe Int(sqlite3_value_int64(value))
    guard let (slot, bytes) = kept[column] else {
      return unsafe sqlite3_result_error_code(context, SQLITE_MISUSE)
    }
    let error = unsafe bytes.withUnsafeBytes { bytes in
      unsafe give(
        unsafe slot.kind.isBorrowed ? ColumnSlot(slot.kind, borrowing: bytes) : slot,
        column: column, context)
    }
    guard let error else { return }
    failure = error
    unsafe sqlite3_result_error_code(context, SQLITE_ABORT)
  }

  /// - Returns: Why the value cannot be given.
  private func give(_ slot: ColumnSlot, column: Int, _ context: OpaquePointer?) -> StoreError? {
    guard accepted[column].accepts(slot) else {
      return StoreError(.wrongType, "a made value cannot be stored", found: "\(slot.kind)")
    }
    switch slot.kind {
    case .null: unsafe sqlite3_result_null(context)
    case .bool, .integer: unsafe sqlite3_result_int64(context, slot.integer)
    case .double: unsafe sqlite3_result_double(context, slot.double)
    case .text, .malformedText: unsafe TextFunctions.setText(context, slot.bytes)
    case .data:
      let bytes = unsafe slot.bytes
      if let base = bytes.baseAddress, bytes.count > 0 {
        unsafe sqlite3_result_blob64(
          context, base, UInt64(bytes.count), kura_sqlite3_transient())
      } else {
        unsafe sqlite3_result_zeroblob(context, 0)
      }
    case .decimal, .date, .uuid, .objectID:
      var text = ValueText.text(of: slot)
      text.withUTF8 { bytes in
        unsafe TextFunctions.setText(context, UnsafeRawBufferPointer(bytes))
      }
    }
    return nil
  }
}
