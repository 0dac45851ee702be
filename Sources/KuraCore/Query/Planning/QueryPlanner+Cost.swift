extension QueryPlanner {
  /// What one walk costs without looking for its ranges, given the share of records that its filter
  /// lets through.
  func cost(_ path: AccessPath, _ candidate: AccessCandidate, _ share: Double) -> Double {
    let count = candidate.estimatedCount
    guard path.database != .primary else { return count * PlanningCost.record }
    guard path.readsEntryOnly else { return count * (PlanningCost.entry + PlanningCost.fetch) }
    let fetched = path.laterColumns.isEmpty ? 0 : count * share
    return count * PlanningCost.entry + fetched * PlanningCost.fetch
  }

  /// What walks cost together with what follows them.
  func costAfter(
    _ walking: Double, found: Double, _ order: QueryPlan.Order, _ distinct: QueryPlan.Distinct
  ) -> Double {
    let wanted = query.limit.map { Double($0) + Double(query.offset) } ?? .infinity
    let given = min(found, wanted)
    let fetching = columns.isEmpty ? 0 : given * PlanningCost.fetch
    if distinct.isSorted {
      return walking + found * PlanningCost.sort + fetching
    }
    switch order {
    case .served: return walking * min(1, wanted / max(found, 1))
    case .grouped:
      // A group is read to its end before its first record is known.
      let group = max(1, found / 100)
      let part = min(1, (wanted + group) / max(found, 1))
      return walking * part + found * part * PlanningCost.sort / 2 + fetching
    case .sorted:
      let sorting = wanted < found / 2 ? PlanningCost.top : PlanningCost.sort
      return walking + found * sorting + fetching
    }
  }
}
