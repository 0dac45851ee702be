/// Computes the numbers of an ``AggregateRequest`` over a source.
struct AggregateExecution {
  private let request: AggregateRequest
  private let source: any RecordSource
  private let memoryLimit: Int

  init(
    _ request: AggregateRequest, _ source: any RecordSource,
    memoryLimit: Int = ExternalSorter.usualMemoryLimit
  ) {
    self.request = request
    self.source = source
    self.memoryLimit = memoryLimit
  }

  func run() throws(StoreError) -> [StoredValue] {
    try request.check()
    var results: [StoredValue?] = []
    for function in request.functions { results.append(try shortcut(function)) }
    var rest: [AggregateRequest.Function] = []
    for (function, result) in zip(request.functions, results) where result == nil {
      rest.append(function)
    }
    var found = try walk(rest).makeIterator()
    return results.map { $0 ?? found.next() ?? .null }
  }

  /// One pass over what the query selects.
  private func walk(_ functions: [AggregateRequest.Function]) throws(StoreError) -> [StoredValue] {
    guard !functions.isEmpty else { return [] }
    var query = request.query
    // Without a window the order says nothing; DISTINCT has its own.
    if query.limit == nil, query.offset == 0 { query.order = [] }
    return try Accumulator.results(of: functions, over: query) { query throws(StoreError) in
      QueryCursor(
        QueryPlanner.plan(query, over: SourceOffer(source)), source, memoryLimit: memoryLimit)
    }
  }

  /// A result that needs no pass.
  private func shortcut(_ function: AggregateRequest.Function) throws(StoreError) -> StoredValue? {
    let query = request.query
    switch function {
    case .count:
      let keys = source.layout.keyColumns
      let isWhole =
        query.distinct.map { !keys.isEmpty && keys.allSatisfy($0.contains) } ?? true
      guard source.isCountExact, isWhole, query.condition.simplified == .always else { return nil }
      let rest = max(0, source.estimatedCount - Int64(clamping: query.offset))
      return .integer(min(rest, query.limit.map { Int64($0) } ?? .max))
    case .minimum(let column): return try end(column, isDescending: false)
    case .maximum(let column): return try end(column, isDescending: true)
    case .sum, .average: return nil
    }
  }

  /// The least or greatest value, when it stands at an end of a walk that leaves nothing to look for.
  private func end(_ column: Int, isDescending: Bool) throws(StoreError) -> StoredValue? {
    let query = request.query
    guard query.limit == nil, query.offset == 0, query.distinct == nil else { return nil }
    let present = BoundCondition.compareValue(column: column, .notEqual, .null)
    let ordered = BoundQuery(
      layout: query.layout, condition: .conjunction([query.condition, present]),
      order: [BoundSortTerm(column: column, isDescending: isDescending)], limit: 1,
      columns: [column])
    let plan = QueryPlanner.plan(ordered, over: SourceOffer(source))
    guard plan.isAtEndOfWalk(of: column) else { return nil }
    let cursor = QueryCursor(plan, source, memoryLimit: memoryLimit)
    defer { cursor.close() }
    let row = RowBuffer(columns: 1)
    return try cursor.next(into: row) ? row.value(at: 0) : .null
  }
}
