/// Executes a ``QueryPlan``: the cursor of key-value backends.
package final class QueryCursor: RecordCursor {
  package let columnNames: [String]
  private let plan: QueryPlan
  private let source: any RecordSource
  private let layoutCount: Int
  /// The walk, when its order is the query's.
  private let stream: RowStream?
  private var adjacent: AdjacentDistinct?
  /// What sorts, when it is not.
  private let keys: KeyStream?
  private var fetch: (any RecordFetch)?
  /// A row of the layout's columns, unless the caller's row is one.
  private let ownRow: RowBuffer?
  private var toSkip: Int
  private var left: Int
  private var isAtEnd = false

  /// Makes a cursor before the first record; nothing is read yet.
  ///
  /// - Parameter memoryLimit: The bytes of memory that sorting may use.
  package init(
    _ plan: QueryPlan, _ source: any RecordSource,
    memoryLimit: Int = ExternalSorter.usualMemoryLimit
  ) {
    self.plan = plan
    self.source = source
    let layout = source.layout
    layoutCount = layout.columns.count
    columnNames = plan.columns.map { column in
      layout.columns.indices.contains(column) ? layout.columns[column].name : ""
    }
    toSkip = max(0, plan.query.offset)
    left = plan.query.limit.map { max(0, $0) } ?? .max
    ownRow =
      plan.columns.elementsEqual(0..<layoutCount) ? nil : RowBuffer(columns: layoutCount)
    if plan.order == .served, !plan.distinct.isSorted {
      stream = RowStream(plan, source)
      keys = nil
      if case .adjacent(let columns) = plan.distinct {
        adjacent = AdjacentDistinct(columns, layout)
      }
    } else {
      stream = nil
      keys = KeyStream(plan, source, memoryLimit: memoryLimit)
    }
  }

  deinit { close() }

  package func next(into row: RowBuffer) throws(StoreError) -> Bool {
    guard !isAtEnd else {
      try source.checkOpen()
      return false
    }
    do {
      if try advance(ownRow ?? row) {
        if let ownRow {
          for (place, column) in plan.columns.enumerated() { row[place] = ownRow[column] }
        }
        return true
      }
    } catch {
      close()
      throw error
    }
    close()
    return false
  }

  /// The current record's key, as the source's database has it; valid until the next call.
  package var recordKey: UnsafeRawBufferPointer {
    stream?.recordKey ?? keys?.recordKey ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  package func close() {
    isAtEnd = true
    stream?.close()
    keys?.close()
    fetch?.close()
    fetch = nil
  }

  private func advance(_ row: RowBuffer) throws(StoreError) -> Bool {
    guard left > 0 else { return false }
    guard let stream else { return try advanceSorted(row) }
    while try stream.next(into: row) {
      if adjacent != nil, adjacent?.isNew(row) == false { continue }
      if toSkip > 0 {
        toSkip -= 1
        continue
      }
      left -= 1
      return true
    }
    return false
  }

  private func advanceSorted(_ row: RowBuffer) throws(StoreError) -> Bool {
    guard let keys else { return false }
    // The records may be sorted long before the last of them is asked for.
    if plan.columns.isEmpty { try source.checkOpen() }
    while try keys.next() {
      if toSkip > 0 {
        toSkip -= 1
        continue
      }
      if !plan.columns.isEmpty {
        // A record that this transaction has deleted meanwhile is left out.
        guard try fetching().read(keys.recordKey, into: row) else { continue }
      }
      left -= 1
      return true
    }
    return false
  }

  private func fetching() throws(StoreError) -> any RecordFetch {
    if let fetch { return fetch }
    let fetch = try source.fetch(columns: Set(plan.columns).sorted())
    self.fetch = fetch
    return fetch
  }
}
