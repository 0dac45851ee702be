/// A walk over the records of a typed query, inside one transaction.
///
/// After the transaction's end ``next()`` throws ``StoreError/Code/transactionEnded``.
public final class ModelWalk<Root: Model> {
  @usableFromInline let cursor: any RecordCursor
  @usableFromInline let row: RowBuffer
  @usableFromInline let reader: RowReader

  init(_ cursor: any RecordCursor, _ layout: ModelLayout, lists: ListReader?) {
    self.cursor = cursor
    row = RowBuffer(columns: layout.columns.count)
    reader = RowReader(row, layout, lists: lists)
  }

  /// The next record; `nil` at the end.
  ///
  /// - Throws: ``StoreError/Code/transactionEnded``, ``StoreError/Code/wrongType`` for a value that
  ///   the property's type cannot be, and what else reading throws.
  @inlinable public func next() throws(StoreError) -> Root? {
    guard try cursor.next(into: row) else { return nil }
    return try Root(from: reader)
  }

  /// Ends the walk before its end; more calls do nothing.
  @inlinable public func close() { cursor.close() }
}
