/// The keys of the records that a query selects, all found before the first is given: whoever changes
/// the records may do so while walking.
package final class RecordKeyWalk {
  private let sorter: ExternalSorter

  init(_ query: BoundQuery, _ source: any RecordSource, memoryLimit: Int) throws(StoreError) {
    var query = query
    query.columns = []
    if query.limit == nil, query.offset == 0 { query.order = [] }
    let plan = QueryPlanner.plan(query, over: SourceOffer(source))
    let cursor = QueryCursor(plan, source, memoryLimit: memoryLimit)
    defer { cursor.close() }
    sorter = ExternalSorter(memoryLimit: memoryLimit, limits: source.limits)
    let row = RowBuffer(columns: 0)
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    while try cursor.next(into: row) { try sorter.add(cursor.recordKey, nothing) }
    try sorter.finish()
  }

  /// Moves to the next key, in the order of the database.
  package func next() throws(StoreError) -> Bool { try sorter.next() }

  /// The current key; valid until the next call of ``next()``.
  package var recordKey: UnsafeRawBufferPointer { sorter.key }
}
