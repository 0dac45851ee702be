/// The records of one model inside one snapshot, for the planner and the executor that key-value
/// backends share.
///
/// A source belongs to one thread at a time. Every call after the end of its transaction throws
/// ``StoreError/Code/transactionEnded``.
package protocol RecordSource: AnyObject {
  /// The model.
  var layout: ModelLayout { get }
  /// How records are ordered.
  var key: KeyOffer { get }
  /// The indexes; a path names one by its position.
  var indexes: [IndexOffer] { get }
  /// About how many records there are.
  var estimatedCount: Int64 { get }
  /// Whether ``estimatedCount`` is the number of records in this snapshot.
  var isCountExact: Bool { get }
  /// What may end the work early; the executor looks at it, scans need not.
  var limits: ExecutionLimits? { get }

  /// Throws when the source can no longer be read.
  func checkOpen() throws(StoreError)

  /// Begins a walk, before its first record.
  func scan(_ path: AccessPath) throws(StoreError) -> any RecordScan

  /// Begins to read records by their keys, in any order.
  func fetch(columns: [Int]) throws(StoreError) -> any RecordFetch

  /// Appends the record key of the record whose only key column has a value, as the database has it.
  func appendRecordKey(_ value: ColumnSlot, to key: OrderedKey)
}

extension RecordSource {
  /// The bytes of the value.
  package func appendRecordKey(_ value: ColumnSlot, to key: OrderedKey) { key.append(value) }
}

/// A walk over the entries of one ``AccessPath``.
///
/// Rows have the layout's columns. What a scan puts into a row is borrowed and stays valid until the
/// scan's next call of `next`, `restart` or `close`. A scan that may copy bytes into a row, also in
/// `complete`, calls ``RowBuffer/reset()`` in `next` first, or the row would grow without end.
package protocol RecordScan: AnyObject {
  /// Moves to the next entry of the range and fills the path's ``AccessPath/columns``; the other
  /// slots have any content.
  ///
  /// - Returns: Whether there was one; after `false` only `restart` and `close` are called.
  /// - Throws: ``StoreError/Code/damaged``, ``StoreError/Code/undecodable``,
  ///   ``StoreError/Code/transactionEnded``.
  func next(into row: RowBuffer) throws(StoreError) -> Bool

  /// Fills those of the path's ``AccessPath/columns`` that other records give; called after `next`
  /// when there are any and the record is still wanted.
  func derive(_ row: RowBuffer) throws(StoreError)

  /// Fills the path's ``AccessPath/laterColumns`` of the current record.
  func complete(_ row: RowBuffer) throws(StoreError)

  /// The current record's key, as its database has it: at most 511 bytes, cut if it must be; valid
  /// as long as the row.
  var recordKey: UnsafeRawBufferPointer { get }

  /// Moves before the first entry of another range of the same database; the direction stays.
  func restart(_ range: KeyRange) throws(StoreError)

  /// Frees what the walk holds; more calls do nothing.
  func close()
}

extension RecordScan {
  /// There are none.
  package func derive(_ row: RowBuffer) throws(StoreError) {}
}

/// Reads records by their keys.
package protocol RecordFetch: AnyObject {
  /// Fills the columns asked for from the record of a key that a scan gave.
  ///
  /// What the row borrows stays valid until the next call.
  ///
  /// - Returns: Whether there is such a record.
  /// - Throws: As ``RecordScan/next(into:)``.
  func read(_ recordKey: UnsafeRawBufferPointer, into row: RowBuffer) throws(StoreError) -> Bool

  /// Frees what reading holds; more calls do nothing.
  func close()
}
