import CSQLite
import KuraCore

/// A walk over the rows of one statement.
@safe
final class SQLiteCursor: RecordCursor {
  private struct Column: BitwiseCopyable {
    let codec: ColumnCodec
    let plainKind: ColumnSlot.Kind
  }

  let columnNames: [String]
  // A pointer, because an array would be counted and checked for each row.
  private let columns: UnsafeMutablePointer<Column>
  private let columnCount: Int
  private let modelName: String
  private let transaction: SQLiteTransaction
  private var statement: SQLiteStatement?
  /// The statement's handle while there is one: the statement itself would be retained for each row.
  @exclusivity(unchecked) private var handle: OpaquePointer?
  private let isCached: Bool
  /// Whether the walk is in a write: SQLite lets walks go on after it rolled a write back, but then
  /// they read something else.
  private let isInWrite: Bool

  init(
    _ statement: SQLiteStatement, names: [String], codecs: [ColumnCodec], model: String,
    in transaction: SQLiteTransaction, isCached: Bool
  ) {
    self.statement = statement
    unsafe handle = statement.handle
    columnNames = names
    columnCount = codecs.count
    unsafe columns = .allocate(capacity: max(1, codecs.count))
    for (index, codec) in codecs.enumerated() {
      unsafe (columns + index).initialize(to: Column(codec: codec, plainKind: codec.plainKind))
    }
    modelName = model
    self.transaction = transaction
    self.isCached = isCached
    isInWrite = transaction.canWrite
    transaction.add(self)
  }

  deinit {
    close()
    unsafe columns.deallocate()
  }

  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    guard let handle = unsafe handle, row.count >= columnCount else { return try refuse(row) }
    if isInWrite { try transaction.checkNotRolledBack() }
    let result = unsafe sqlite3_step(handle)
    guard result == SQLITE_ROW else { return try finish(result) }
    let slots = unsafe row.storage
    for index in 0..<columnCount {
      let column = unsafe columns[index]
      guard
        unsafe column.codec.read(
          handle, Int32(truncatingIfNeeded: index), plainKind: column.plainKind,
          into: slots + index)
      else { throw undecodable(index) }
    }
    return true
  }

  /// What a call says that cannot give a row.
  private func refuse(_ row: RowBuffer) throws(StoreError) -> Bool {
    guard statement != nil else {
      try transaction.checkOpen()
      return false
    }
    throw StoreError(.internalError, "a row has fewer columns than the walk gives")
  }

  /// The end of the walk, or why there is none.
  private func finish(_ result: Int32) throws(StoreError) -> Bool {
    defer { close() }
    do throws(StoreError) {
      return try statement?.end(result) ?? false
    } catch {
      if statement?.isReadOnly == false { transaction.walkFailed() }
      throw error
    }
  }

  private func undecodable(_ column: Int) -> StoreError {
    let connection = transaction.connection
    if unsafe sqlite3_errcode(connection.handle) == SQLITE_NOMEM {
      return connection.error(SQLITE_NOMEM, doing: "read a value")
    }
    return StoreError(
      .undecodable,
      "a stored value of \"\(modelName)\".\"\(columnNames[column])\" is not of the property's type",
      path: connection.path, expected: "\(unsafe columns[column].codec)",
      suggestion: "check the file with `store-inspect check --deep`")
  }

  func close() {
    guard let statement else { return }
    self.statement = nil
    unsafe handle = nil
    if isCached { transaction.connection.statements.put(statement) } else { statement.reset() }
    transaction.remove(self)
  }
}
