/// Chooses how to execute a query over the records and indexes of a key-value backend.
///
/// Rules, not statistics: the plan depends on the query, the indexes and the number of records only,
/// so that the same query is executed in the same way tomorrow.
package struct QueryPlanner {
  let query: BoundQuery
  let offer: SourceOffer
  let condition: BoundCondition
  let reading: ConjunctReading
  /// The terms that decide the order.
  let terms: [BoundSortTerm]
  /// The columns whose combinations count once, without those of which there is one value; `nil`
  /// when there is nothing to leave out.
  let distinct: [Int]?
  /// The columns of the result.
  let columns: [Int]
  let recordCount: Double

  /// Plans a query.
  package static func plan(_ query: BoundQuery, over offer: SourceOffer) -> QueryPlan {
    QueryPlanner(query, offer).plan()
  }

  init(_ query: BoundQuery, _ offer: SourceOffer) {
    self.query = query
    self.offer = offer
    condition = query.condition.simplified
    let reading = ConjunctReading(condition, offer)
    self.reading = reading
    let layout = offer.layout
    columns = query.columns ?? Array(layout.columns.indices)
    recordCount = max(Double(offer.estimatedCount), PlanningCost.smallestCount)
    terms = QueryPlanner.terms(query, layout, reading)
    distinct = query.distinct.flatMap { distinct in
      // Two records never have the same key.
      if !layout.keyColumns.isEmpty, layout.keyColumns.allSatisfy(distinct.contains) { return nil }
      return distinct.filter { !reading.isConstant($0) }
    }
  }

  /// An order without terms promises nothing, unless it decides which records there are.
  private static func terms(
    _ query: BoundQuery, _ layout: ModelLayout, _ reading: ConjunctReading
  ) -> [BoundSortTerm] {
    guard !query.order.isEmpty || query.limit != nil || query.offset > 0 else { return [] }
    var terms: [BoundSortTerm] = []
    var seen: Set<Int> = []
    var keysLeft = Set(layout.keyColumns.filter { !reading.isConstant($0) })
    let keys = layout.keyColumns.map { BoundSortTerm(column: $0) }
    for term in query.order + keys where seen.insert(term.column).inserted {
      if keysLeft.isEmpty, !layout.keyColumns.isEmpty { break }
      guard !reading.isConstant(term.column) else { continue }
      terms.append(term)
      keysLeft.remove(term.column)
    }
    return terms
  }

  func plan() -> QueryPlan {
    guard condition != .never, query.limit != 0 else { return empty }
    var best: QueryPlan?
    func offerPlan(_ plan: QueryPlan) {
      if plan.estimatedCost < best?.estimatedCost ?? .infinity { best = plan }
    }
    offerPlan(plan(with: reading.candidate(.primary)))
    for number in offer.indexes.indices {
      offerPlan(plan(with: reading.candidate(.index(number))))
    }
    if let union = union() { offerPlan(union) }
    guard let best, !best.steps.isEmpty else { return empty }
    return best
  }

  private var empty: QueryPlan {
    QueryPlan(
      query: query, steps: [], distinct: .none, order: .served, terms: [], columns: columns,
      indexNames: [], condition: .never, estimatedCost: 0)
  }

  /// The plan of one walk.
  private func plan(with candidate: AccessCandidate) -> QueryPlan {
    plan(of: candidate.ranges.isEmpty ? [] : [walk(candidate, reading, without: [])])
  }

  /// One walk with what is left to look at, the cheap parts first, and what was found before it.
  func walk(
    _ candidate: AccessCandidate, _ reading: ConjunctReading, without earlier: [BoundCondition]
  ) -> PlannedWalk {
    let parts = reading.conjuncts.enumerated()
    let left = parts.filter { !candidate.exact.contains($0.offset) }
      .map { ($0.element.effort(offer.layout), $0.offset, $0.element) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    let own = BoundCondition.conjunction(left.map(\.2))
    return PlannedWalk(
      candidate: candidate, filter: .conjunction([own] + earlier.map { .negation($0).simplified }),
      ownFilter: own,
      served: parts.filter { candidate.contributing.contains($0.offset) }.map(\.element))
  }

  /// A plan of walks that together find each record once.
  func plan(of walks: [PlannedWalk]) -> QueryPlan {
    let single = walks.count == 1 ? walks[0].candidate : nil
    var match = OrderMatch.unordered
    if let single {
      match = OrderMatch(columns: single.order, uniqueCount: single.uniqueCount, terms: terms)
    } else {
      match.isComplete = terms.isEmpty
    }
    let distinct = distinctMethod(single, &match)
    var order: QueryPlan.Order =
      match.isComplete ? .served : match.count > 0 ? .grouped(match.count) : .sorted
    if case .sorted(let columns, _) = distinct {
      order = isOrderOfSorting(columns) ? .served : .sorted
    }
    let isDirect = order == .served && !distinct.isSorted
    var needed = isDirect ? Set(columns) : Set(terms.map(\.column))
    switch distinct {
    case .none: break
    case .adjacent(let columns), .sorted(let columns, _): needed.formUnion(columns)
    }
    if distinct.isSorted, !offer.key.isOrderTrusted { needed.formUnion(offer.layout.keyColumns) }

    var plan = QueryPlan(
      query: query, steps: [], distinct: distinct, order: order, terms: terms, columns: columns,
      indexNames: offer.indexes.map(\.name), condition: condition, estimatedCost: 0)
    var found = 0.0
    var walking = 0.0
    for walk in walks {
      let isDescending = match.isDescending && match.count > 0 && single != nil
      let path = path(walk.candidate, walk.filter, needed, isOutput: isDirect, isDescending)
      let share = PlanningCost.share(of: walk.filter, offer.layout)
      plan.steps.append(
        QueryPlan.Step(
          path: path, ranges: walk.candidate.ranges, filter: walk.filter,
          ownFilter: walk.ownFilter, served: walk.served,
          estimatedCount: walk.candidate.estimatedCount))
      found += walk.candidate.estimatedCount * share
      walking += cost(path, walk.candidate, share)
    }
    let searches = Double(walks.reduce(0) { $0 + $1.candidate.ranges.count })
    plan.estimatedCost =
      searches * PlanningCost.search + costAfter(walking, found: found, order, distinct)
    return plan
  }

  /// How DISTINCT is to be done over a walk.
  private func distinctMethod(_ single: AccessCandidate?, _ match: inout OrderMatch)
    -> QueryPlan.Distinct
  {
    guard let distinct else { return .none }
    if let single {
      let (first, rest) = (
        single.order.prefix(distinct.count), single.order.dropFirst(distinct.count)
      )
      let keys = offer.layout.keyColumns.filter {
        !distinct.contains($0) && !reading.isConstant($0)
      }
      if !keys.isEmpty, first.count == distinct.count, Set(first) == Set(distinct),
        Array(rest) == keys
      {
        // Forward only: backward the first record in key order would come last.
        if match.isDescending { match = .unordered }
        return .adjacent(distinct)
      }
    }
    let isInKeyOrder =
      single.map { candidate in
        candidate.database == .primary
          || candidate.order == offer.layout.keyColumns.filter { !reading.isConstant($0) }
      } ?? false
    match = .unordered
    return .sorted(distinct, inKeyOrder: isInKeyOrder && offer.key.isOrderTrusted)
  }

  /// Whether records sorted for DISTINCT are in the query's order.
  private func isOrderOfSorting(_ columns: [Int]) -> Bool {
    let keys = offer.layout.keyColumns.filter { !columns.contains($0) && !reading.isConstant($0) }
    let sorted = columns + keys
    return terms.count <= sorted.count
      && zip(terms, sorted).allSatisfy { $0.column == $1 && !$0.isDescending }
  }

  /// What a walk reads of records and where.
  private func path(
    _ candidate: AccessCandidate, _ filter: BoundCondition, _ needed: Set<Int>, isOutput: Bool,
    _ isDescending: Bool
  ) -> AccessPath {
    let layout = offer.layout
    let looked = filter.columns
    // An ordered key does not keep the sign of a zero, so results take doubles from the record.
    let readable =
      isOutput
      ? candidate.entryColumns.filter { layout.columns[$0].type != .double }
      : candidate.entryColumns
    var path = AccessPath(
      candidate.database, range: candidate.ranges.first ?? .all, isDescending: isDescending,
      columns: [])
    if candidate.database != .primary, looked.isSubset(of: candidate.entryColumns) {
      path.readsEntryOnly = true
      if needed.isSubset(of: readable) {
        path.columns = looked.union(needed).sorted()
        return path
      }
      if filter != .always {
        path.columns = looked.sorted()
        path.laterColumns = needed.subtracting(looked.intersection(readable)).sorted()
        return path
      }
      path.readsEntryOnly = false
    }
    path.columns = (filter == .always ? needed : looked).sorted()
    path.laterColumns = filter == .always ? [] : needed.subtracting(looked).sorted()
    return path
  }
}

/// A walk as a plan has it.
struct PlannedWalk {
  var candidate: AccessCandidate
  var filter: BoundCondition
  var ownFilter: BoundCondition
  var served: [BoundCondition]
}

extension QueryPlan.Distinct {
  var isSorted: Bool { if case .sorted = self { true } else { false } }
}
