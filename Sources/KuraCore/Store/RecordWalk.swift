/// A walk over the records of a query, inside one transaction.
///
/// After the transaction's end ``next()`` throws ``StoreError/Code/transactionEnded``.
public final class RecordWalk {
  private let cursor: any RecordCursor
  private let layout: ModelLayout
  private let row: RowBuffer

  init(_ cursor: any RecordCursor, _ layout: ModelLayout) {
    self.cursor = cursor
    self.layout = layout
    row = RowBuffer(columns: layout.columns.count)
  }

  /// The next record; `nil` at the end.
  ///
  /// - Throws: ``StoreError/Code/transactionEnded``, ``StoreError/Code/undecodable``,
  ///   ``StoreError/Code/damaged`` and what else reading throws.
  public func next() throws(StoreError) -> Record? {
    guard try cursor.next(into: row) else { return nil }
    return Record(layout, copying: row)
  }

  /// Ends the walk before its end; more calls do nothing.
  public func close() { cursor.close() }
}
