import CSQLite
import KuraCore

/// A walk over the rows of one statement.
final class SQLiteCursor: RecordCursor {
  let columnNames: [String]
  private let codecs: [ColumnCodec]
  private let modelName: String
  private let transaction: SQLiteTransaction
  private var statement: SQLiteStatement?
  private let isCached: Bool
  /// Whether the walk is in a write: SQLite lets walks go on after it rolled a write back, but then
  /// they read something else.
  private let isInWrite: Bool

  init(
    _ statement: SQLiteStatement, names: [String], codecs: [ColumnCodec], model: String,
    in transaction: SQLiteTransaction, isCached: Bool
  ) {
    self.statement = statement
    columnNames = names
    self.codecs = codecs
    modelName = model
    self.transaction = transaction
    self.isCached = isCached
    isInWrite = transaction.canWrite
    transaction.add(self)
  }

  deinit { close() }

  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    guard let statement else {
      try transaction.checkOpen()
      return false
    }
    if isInWrite { try transaction.checkNotRolledBack() }
    let hasRow: Bool
    do {
      hasRow = try statement.step()
    } catch {
      close()
      throw error
    }
    guard hasRow else {
      close()
      return false
    }
    for index in codecs.indices {
      guard let slot = codecs[index].read(statement, Int32(truncatingIfNeeded: index)) else {
        throw undecodable(index)
      }
      row[index] = slot
    }
    return true
  }

  private func undecodable(_ column: Int) -> StoreError {
    let connection = transaction.connection
    if unsafe sqlite3_errcode(connection.handle) == SQLITE_NOMEM {
      return connection.error(SQLITE_NOMEM, doing: "read a value")
    }
    return StoreError(
      .undecodable,
      "a stored value of \"\(modelName)\".\"\(columnNames[column])\" is not of the property's type",
      path: connection.path, expected: "\(codecs[column])",
      suggestion: "check the file with `store-inspect check --deep`")
  }

  func close() {
    guard let statement else { return }
    self.statement = nil
    if isCached { transaction.connection.statements.put(statement) } else { statement.reset() }
    transaction.remove(self)
  }
}
