extension QueryPlanner {
  /// The most walks of a union: each looks at the conditions of those before it.
  private static let maximumWalkCount = 64

  /// The best plan that walks once for each branch of an OR, when every branch has an index.
  ///
  /// No memory is needed to find duplicates: a record that a walk finds was found before exactly when
  /// it fulfils an earlier branch.
  func union() -> QueryPlan? {
    var best: QueryPlan?
    for (position, part) in reading.conjuncts.enumerated() {
      guard case .any(let branches) = part, let plan = union(of: branches, at: position),
        plan.estimatedCost < best?.estimatedCost ?? .infinity
      else { continue }
      best = plan
    }
    return best
  }

  private func union(of branches: [BoundCondition], at position: Int) -> QueryPlan? {
    let groups = QueryPlanner.grouped(branches)
    guard (2...QueryPlanner.maximumWalkCount).contains(groups.count) else { return nil }
    var others = reading.conjuncts
    others.remove(at: position)
    var walks: [PlannedWalk] = []
    for (number, branch) in groups.enumerated() {
      let condition = BoundCondition.conjunction([branch] + others)
      let branchReading = ConjunctReading(condition, offer)
      let databases = [.primary] + offer.indexes.indices.map { AccessPath.Database.index($0) }
      let candidates = databases.map { branchReading.candidate($0) }
      if candidates.contains(where: \.ranges.isEmpty) { continue }
      guard
        let candidate = candidates.filter(\.isBounded)
          .min(by: { $0.estimatedCount < $1.estimatedCount })
      else { return nil }
      walks.append(walk(candidate, branchReading, without: Array(groups[..<number])))
    }
    guard !walks.isEmpty else { return nil }
    return plan(of: walks)
  }

  /// Branches with those on the same single column together, which makes one walk of several ranges.
  private static func grouped(_ branches: [BoundCondition]) -> [BoundCondition] {
    var groups: [[BoundCondition]] = []
    var places: [Int: Int] = [:]
    for branch in branches {
      let columns = branch.columns
      if columns.count == 1, let column = columns.first {
        if let place = places[column] {
          groups[place].append(branch)
          continue
        }
        places[column] = groups.count
      }
      groups.append([branch])
    }
    return groups.map { .disjunction($0) }
  }
}
