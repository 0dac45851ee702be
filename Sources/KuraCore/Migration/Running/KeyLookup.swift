/// Finds the new key of a record by its old one, as long as the model has the old one.
final class KeyLookup {
  private let transaction: any EngineReadTransaction
  private let layout: ModelLayout
  private let column: Int
  private let row: RowBuffer

  /// - Parameters:
  ///   - layout: The layout of the model with its old key.
  ///   - column: The column that will be the key.
  init(_ transaction: any EngineReadTransaction, _ layout: ModelLayout, _ column: Int) {
    self.transaction = transaction
    self.layout = layout
    self.column = column
    row = RowBuffer(columns: layout.columns.count)
  }

  /// The new key; `nil` when there is no such record.
  func newKey(of old: StoredValue) throws(StoreError) -> StoredValue? {
    guard try transaction.record(RecordKey(old), in: layout, into: row) else { return nil }
    return row.value(at: column)
  }
}
