/// Observed numbers over the records of a query.
struct NumberState {
  let plan: ObservationPlan
  private let functions: [AggregateRequest.Function]
  private var numbers: [RunningNumber]
  private let matcher: ConditionMatcher
  private var told: [StoredValue]?

  init(_ plan: ObservationPlan, _ functions: [AggregateRequest.Function]) {
    self.plan = plan
    self.functions = functions
    numbers = functions.map { RunningNumber($0, plan.query.rowLayout) }
    matcher = ConditionMatcher(plan.query.condition)
  }

  /// The numbers after what happened; `nil` when they are those that were told last.
  mutating func look(
    _ transaction: any EngineReadTransaction, _ changes: [(ChangeSet, isSkipped: Bool)]?
  ) throws(StoreError) -> [StoredValue]? {
    let results: [StoredValue]
    if plan.reasonToRerun != nil {
      if let changes, !changes.contains(where: { concerns($0.0) }) { return nil }
      results = try transaction.aggregate(AggregateRequest(plan.query, functions))
    } else {
      if let changes, let keys = keys(changes) {
        try follow(keys, transaction)
      } else {
        try fill(transaction)
      }
      var found: [StoredValue] = []
      for number in numbers { found.append(try number.result()) }
      results = found
    }
    guard results != told else { return nil }
    told = results
    return results
  }

  private func concerns(_ set: ChangeSet) -> Bool {
    !set.isComplete || set.models.keys.contains { plan.models.contains($0) }
  }

  /// The keys that changes are about; `nil` for all.
  private func keys(_ changes: [(ChangeSet, isSkipped: Bool)]) -> Set<RecordKey>? {
    var keys: Set<RecordKey> = []
    for (set, _) in changes {
      switch set.changes(in: plan.query.layout.name) {
      case nil: continue
      case .everything?: return nil
      case .records(let records)?: keys.formUnion(records.map(\.key))
      }
    }
    return keys.count > ChangeRecorder.defaultLimit ? nil : keys
  }

  private mutating func follow(_ keys: Set<RecordKey>, _ transaction: any EngineReadTransaction)
    throws(StoreError)
  {
    let row = RowBuffer(columns: plan.query.layout.columns.count)
    for key in keys {
      row.reset()
      let isThere =
        try transaction.record(key, in: plan.query.layout, into: row) && matcher.matches(row)
      for index in numbers.indices {
        let column = numbers[index].function.column
        numbers[index].set(isThere ? column.map { row.value(at: $0) } ?? .null : nil, of: key)
      }
    }
  }

  private mutating func fill(_ transaction: any EngineReadTransaction) throws(StoreError) {
    var query = plan.query
    // No order is needed, and only these columns.
    let columns = Set(query.layout.keyColumns + functions.compactMap(\.column)).sorted()
    query.columns = columns
    query.order = query.layout.keyColumns.map { BoundSortTerm(column: $0) }
    var keyPlaces: [Int] = []
    for column in query.layout.keyColumns {
      if let place = columns.firstIndex(of: column) { keyPlaces.append(place) }
    }
    let places = functions.map { $0.column.flatMap { columns.firstIndex(of: $0) } }
    let cursor = try transaction.cursor(for: query)
    defer { cursor.close() }
    let row = RowBuffer(columns: columns.count)
    var found = functions.map { _ in [(RecordKey, StoredValue)]() }
    while try cursor.next(into: row) {
      guard let key = RecordKey(keyPlaces.map { row.value(at: $0) }) else { continue }
      for (index, place) in places.enumerated() {
        found[index].append((key, place.map { row.value(at: $0) } ?? .null))
      }
    }
    numbers = functions.map { RunningNumber($0, plan.query.rowLayout) }
    for index in numbers.indices { numbers[index].fill(found[index]) }
  }
}
