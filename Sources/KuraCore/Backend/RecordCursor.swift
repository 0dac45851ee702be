/// A walk over the rows of one query inside one transaction.
///
/// A cursor belongs to its transaction: it must not be used after the transaction's end, and it
/// throws ``StoreError/Code/transactionEnded`` when it is.
public protocol RecordCursor: AnyObject {
  /// The names of the columns; two columns of a raw query may have the same name.
  var columnNames: [String] { get }

  /// Moves to the next row and fills the buffer, whose count is that of ``columnNames``.
  ///
  /// What the buffer borrows stays valid until the next call of `next` or `close`.
  ///
  /// - Returns: Whether there was a row.
  /// - Throws: ``StoreError/Code/damaged``, ``StoreError/Code/undecodable``,
  ///   ``StoreError/Code/locked``, ``StoreError/Code/cancelled``, ``StoreError/Code/timedOut``.
  func next(into row: RowBuffer) throws(StoreError) -> Bool

  /// Ends the walk and frees what it holds; more calls do nothing.
  func close()

  /// About how many rows there are, where that is known without a walk, to make room for them; else 0.
  var expectedCount: Int { get }
}

extension RecordCursor {
  /// The number is not known.
  public var expectedCount: Int { 0 }
}
