/// Says of records, in the order of a walk over all of them, whether a query finds them.
///
/// Conditions on the record itself are evaluated on the row. What looks at other records is asked of the
/// engine: a second walk gives the keys that are found, in the order of the first one.
final class RecordSelection {
  private let matcher: ConditionMatcher?
  private let cursor: (any RecordCursor)?
  private let keyColumns: [Int]
  private let found: RowBuffer
  private var hasFound = false

  /// Whether the walk over all records must be in the order of the key.
  var needsKeyOrder: Bool { cursor != nil }

  init(_ query: BoundQuery, _ transaction: any EngineReadTransaction) throws(StoreError) {
    keyColumns = query.layout.keyColumns
    found = RowBuffer(columns: keyColumns.count)
    guard query.condition.hasSubquery || !query.derived.isEmpty else {
      matcher = ConditionMatcher(query.condition)
      cursor = nil
      return
    }
    var keys = query
    keys.columns = keyColumns
    keys.order = keyColumns.map { BoundSortTerm(column: $0) }
    matcher = nil
    let cursor = try transaction.cursor(for: keys)
    self.cursor = cursor
    hasFound = try cursor.next(into: found)
  }

  /// Whether the query finds a record; called once for each, in order.
  func contains(_ row: RowBuffer) throws(StoreError) -> Bool {
    if let matcher { return matcher.matches(row) }
    guard hasFound, let cursor else { return false }
    for (place, column) in keyColumns.enumerated() {
      guard found[place].compares(.equal, to: row[column]) else { return false }
    }
    hasFound = try cursor.next(into: found)
    return true
  }

  func close() { cursor?.close() }
}
