import Kura

extension BackendDifferential.Case {
  /// The same case with a little less, the largest steps first.
  var simpler: [Self] {
    var cases: [Self] = []
    func add(_ change: (inout Self) -> Void) {
      var copy = self
      change(&copy)
      cases.append(copy)
    }
    let count = store.rows.count
    if count > 1 {
      add { $0.store.rows.removeFirst(count / 2) }
      add { $0.store.rows.removeLast(count / 2) }
    }
    for row in 0..<count { add { $0.store.rows.remove(at: row) } }
    for (place, step) in store.steps.enumerated() {
      if case .undone(let steps) = step {
        for inner in steps.indices {
          var fewer = steps
          fewer.remove(at: inner)
          add { $0.store.steps[place] = .undone(fewer) }
        }
      }
      // Later rows and queries have the columns of the changed layout.
      if !step.changesLayout { add { $0.store.steps.remove(at: place) } }
    }
    if let place = store.steps.firstIndex(where: \.changesLayout) {
      add { $0.store.startAfterChange(place) }
    }
    if store.isQueriedBeforeCommit { add { $0.store.isQueriedBeforeCommit = false } }
    for index in store.model.indexes.indices { add { $0.store.model.indexes.remove(at: index) } }
    if functions.count > 1 {
      for function in functions { add { $0.functions = [function] } }
      add { $0.functions = [] }
    } else if !functions.isEmpty {
      add { $0.functions = [] }
    }
    if query.distinct != nil { add { $0.query.distinct = nil } }
    if query.limit != nil { add { $0.query.limit = nil } }
    if query.offset > 0 { add { $0.query.offset = 0 } }
    for (place, term) in query.order.enumerated()
    where !query.layout.keyColumns.contains(term.column) {
      add { $0.query.order.remove(at: place) }
    }
    for condition in query.condition.simpler { add { $0.query.condition = condition } }
    for (row, values) in store.rows.enumerated() where store.rows.count < 5 {
      for (column, property) in store.model.properties.enumerated()
      where property.isOptional && !values[column].isNull {
        add { $0.store.rows[row][column] = .null }
      }
    }
    return cases
  }
}

extension GeneratedStore {
  /// Leaves out the first change of the layout: the model is made as it is after it.
  fileprivate mutating func startAfterChange(_ place: Int) {
    guard case .change(let change) = steps[place] else { return }
    for step in steps[..<place] { if case .write(let row, _) = step { rows.append(row) } }
    let before = model.applying(steps[..<place])
    rows = rows.map { change.convert($0, of: before) }
    model = before.applying(change)
    steps.removeFirst(place + 1)
  }
}

extension BoundCondition {
  /// Conditions with a part less.
  fileprivate var simpler: [BoundCondition] {
    switch self {
    case .always, .never: return []
    case .not(let part): return [part] + part.simpler.map { .not($0) }
    case .all(let parts): return ConditionShrinking.simpler(parts, { .all($0) }, \.simpler)
    case .any(let parts): return ConditionShrinking.simpler(parts, { .any($0) }, \.simpler)
    case .oneOf(let column, let values):
      return [.always]
        + ConditionShrinking.fewer(values).map { .oneOf(column: column, $0) }
    default: return [.always]
    }
  }
}
