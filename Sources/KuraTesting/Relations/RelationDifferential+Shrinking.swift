import Kura

extension RelationDifferential.Case {
  /// The same case with a little less, the largest steps first.
  var simpler: [Self] {
    var cases: [Self] = []
    func add(_ change: (inout Self) -> Void) {
      var copy = self
      change(&copy)
      cases.append(copy)
    }
    let count = relations.steps.count
    if count > 3 {
      add { $0.relations.steps.removeFirst(count / 2) }
      add { $0.relations.steps.removeLast(count / 2) }
    }
    for place in relations.steps.indices.reversed() { add { $0.relations.steps.remove(at: place) } }
    for (place, step) in relations.steps.enumerated() {
      if case .undone(let steps) = step {
        for inner in steps.indices where steps.count > 1 {
          var fewer = steps
          fewer.remove(at: inner)
          add { $0.relations.steps[place] = .undone(fewer) }
        }
        if steps.count == 1 { add { $0.relations.steps[place] = steps[0] } }
      }
      if case .deleteMatching(let query) = step {
        for condition in query.condition.simpler {
          add { $0.relations.steps[place] = .deleteMatching(Query(query.model, where: condition)) }
        }
      }
      if case .updateMatching(let query, let values) = step {
        for condition in query.condition.simpler {
          add {
            $0.relations.steps[place] = .updateMatching(
              Query(query.model, where: condition), values)
          }
        }
      }
    }
    if relations.isQueriedBeforeCommit { add { $0.relations.isQueriedBeforeCommit = false } }
    guard let question else { return cases }
    for place in question.aggregates.indices where question.aggregates.count > 1 {
      add { $0.question?.aggregates.remove(at: place) }
    }
    let query = question.query
    if query.distinct != nil { add { $0.question?.query.distinct = nil } }
    if query.limit != nil { add { $0.question?.query.limit = nil } }
    if query.offset > 0 { add { $0.question?.query.offset = 0 } }
    for place in query.order.indices { add { $0.question?.query.order.remove(at: place) } }
    for place in (query.columns ?? []).indices where query.columns?.count ?? 0 > 1 {
      add { $0.question?.query.columns?.remove(at: place) }
    }
    if query.groups == nil, query.columns != nil { add { $0.question?.query.columns = nil } }
    for condition in query.condition.simpler { add { $0.question?.query.condition = condition } }
    return cases
  }
}

extension Condition {
  /// Conditions with a part less.
  fileprivate var simpler: [Condition] {
    switch self {
    case .always, .never: []
    case .not(let part): [part] + part.simpler.map { .not($0) }
    case .all(let parts): ConditionShrinking.simpler(parts, { .all($0) }, \.simpler)
    case .any(let parts): ConditionShrinking.simpler(parts, { .any($0) }, \.simpler)
    case .quantified(let quantifier, let list?, let inner):
      [.always] + inner.simpler.map { .quantified(quantifier, list: list, $0) }
    case .oneOf(let operand, let values, let folding):
      [.always] + ConditionShrinking.fewer(values).map { .oneOf(operand, $0, folding) }
    default: [.always]
    }
  }
}
