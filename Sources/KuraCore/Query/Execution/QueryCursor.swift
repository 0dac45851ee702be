/// Executes a ``QueryPlan``: the cursor of key-value backends.
package final class QueryCursor: RecordCursor {
  package let columnNames: [String]
  private let plan: QueryPlan
  private let source: any RecordSource
  /// Whether the walk's order is the query's.
  private let isDirect: Bool
  // What every record passes is not optional: to look into an optional retains what is there.
  /// The walk, when its order is the query's.
  private let stream: RowStream
  private let dropsNeighbours: Bool
  private let adjacent: AdjacentDistinct
  /// What sorts, when it is not.
  private let keys: KeyStream?
  private var fetch: (any RecordFetch)?
  /// A row of the layout's columns, unless the caller's row is one.
  private let ownRow: RowBuffer
  private let usesOwnRow: Bool
  /// The layout's columns of the result, for the own row.
  private let projection: UnsafeMutableBufferPointer<Int>
  private let state: UnsafeMutablePointer<State>

  /// What changes from record to record, behind a pointer: exclusive access to properties of a class
  /// is checked when the program runs.
  private struct State {
    var toSkip: Int
    var left: Int
    var isAtEnd = false
  }

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
    columnNames = plan.columns.map { column in
      layout.columns.indices.contains(column) ? layout.columns[column].name : ""
    }
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(
        toSkip: max(0, plan.query.offset), left: plan.query.limit.map { max(0, $0) } ?? .max))
    projection = .allocate(capacity: plan.columns.count)
    _ = projection.initialize(from: plan.columns)
    usesOwnRow = !plan.columns.elementsEqual(layout.columns.indices)
    ownRow = RowBuffer(columns: usesOwnRow ? layout.columns.count : 0)
    isDirect = plan.order == .served && !plan.distinct.isSorted
    stream = RowStream(plan, source)
    keys = isDirect ? nil : KeyStream(plan, source, memoryLimit: memoryLimit)
    if isDirect, case .adjacent(let columns) = plan.distinct {
      dropsNeighbours = true
      adjacent = AdjacentDistinct(columns, layout)
    } else {
      dropsNeighbours = false
      adjacent = AdjacentDistinct([], layout)
    }
  }

  deinit {
    close()
    projection.deallocate()
    state.deallocate()
  }

  package func next(into row: RowBuffer) throws(StoreError) -> Bool {
    guard !state.pointee.isAtEnd else {
      try source.checkOpen()
      return false
    }
    do {
      if usesOwnRow {
        if try advance(ownRow) {
          for place in 0..<projection.count { row[place] = ownRow[projection[place]] }
          return true
        }
      } else if try advance(row) {
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
    keys?.recordKey ?? stream.recordKey
  }

  package func close() {
    state.pointee.isAtEnd = true
    stream.close()
    keys?.close()
    fetch?.close()
    fetch = nil
  }

  private func advance(_ row: RowBuffer) throws(StoreError) -> Bool {
    guard state.pointee.left > 0 else { return false }
    guard isDirect else { return try advanceSorted(row) }
    while try stream.next(into: row) {
      if dropsNeighbours, !adjacent.isNew(row) { continue }
      if state.pointee.toSkip > 0 {
        state.pointee.toSkip -= 1
        continue
      }
      state.pointee.left -= 1
      return true
    }
    return false
  }

  @inline(never)
  private func advanceSorted(_ row: RowBuffer) throws(StoreError) -> Bool {
    guard let keys else { return false }
    // The records may be sorted long before the last of them is asked for.
    if plan.columns.isEmpty { try source.checkOpen() }
    while try keys.next() {
      if state.pointee.toSkip > 0 {
        state.pointee.toSkip -= 1
        continue
      }
      if !plan.columns.isEmpty {
        // A record that this transaction has deleted meanwhile is left out.
        guard try fetching().read(keys.recordKey, into: row) else { continue }
      }
      state.pointee.left -= 1
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
