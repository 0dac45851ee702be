/// The parts of a condition that must all hold, and what they say about single columns.
///
/// It belongs to one thread: it remembers what it found out.
final class ConjunctReading {
  let conjuncts: [BoundCondition]
  private let offer: SourceOffer
  private var findings: [Int: [ValueRangeReader.Finding?]] = [:]
  private var plainFindings: [Int: [ValueRangeReader.Finding?]] = [:]

  init(_ condition: BoundCondition, _ offer: SourceOffer) {
    conjuncts = condition.conjuncts
    self.offer = offer
  }

  /// What each part says about a column.
  func findings(_ column: Int, form: KeyOffer.Form = .ordered) -> [ValueRangeReader.Finding?] {
    if let known = form == .plain ? plainFindings[column] : findings[column] { return known }
    let reader = ValueRangeReader(column: column, of: offer.layout, form: form)
    let found = conjuncts.map { reader.read($0) }
    if form == .plain { plainFindings[column] = found } else { findings[column] = found }
    return found
  }

  /// The values with which all parts can be fulfilled; `nil` when nothing is known.
  func values(_ column: Int, form: KeyOffer.Form = .ordered) -> ValueRanges? {
    let sets = findings(column, form: form).compactMap { $0?.ranges }
    return sets.isEmpty ? nil : .intersection(sets[...])
  }

  /// Whether all records have the same value of a column.
  func isConstant(_ column: Int) -> Bool {
    guard let values = values(column) else { return false }
    return values.count <= 1 && values.hasPointsOnly
  }

  /// A walk through a database with all that the parts say about its keys.
  func candidate(_ database: AccessPath.Database) -> AccessCandidate {
    let layout = offer.layout
    let count = max(Double(offer.estimatedCount), PlanningCost.smallestCount)
    let index: IndexOffer? =
      if case .index(let number) = database { offer.indexes[number] } else { nil }
    let form = index == nil ? offer.key.form : .ordered
    let components = index?.components ?? (form == .opaque ? [] : layout.keyColumns)
    let known = components.map { values($0, form: form) }
    let builder = KeyRangeBuilder(
      zip(components, known).map { column, values in
        (values, index == nil ? nil : layout.columns[column].type.orderRank)
      })

    let used = components.prefix(builder.componentCount)
    var contributing: Set<Int> = []
    var exact: Set<Int> = []
    var share = 1.0
    for (position, column) in used.enumerated() {
      for (number, finding) in findings(column, form: form).enumerated() {
        guard let finding else { continue }
        contributing.insert(number)
        if finding.isExact, builder.isExact { exact.insert(number) }
      }
      guard let values = known[position] else { continue }
      let own = PlanningCost.share(of: values, layout.columns[column].type, count: count)
      share *= position == 0 ? own : max(own, 0.05)
    }

    let isUnique = index?.isUnique ?? true
    let hasNoNull = zip(components, known).allSatisfy { column, values in
      !layout.columns[column].isOptional || (values.map { !$0.includesNull } ?? false)
    }
    var estimate = share * count
    if isUnique, hasNoNull, used.count == components.count, !components.isEmpty,
      known.allSatisfy({ $0?.hasPointsOnly ?? false })
    {
      estimate = min(estimate, known.reduce(1) { $0 * Double($1?.count ?? 1) })
    }

    let isTrusted = (index?.isOrderTrusted ?? true) && offer.key.isOrderTrusted
    let all = components + layout.keyColumns.filter { !components.contains($0) }
    let order = isTrusted ? all.filter { !isConstant($0) } : []
    let uniqueCount =
      isUnique && hasNoNull && index != nil
      ? components.filter { !isConstant($0) }.count : nil
    return AccessCandidate(
      database: database, ranges: builder.ranges, contributing: contributing, exact: exact,
      order: order, entryColumns: index != nil && isTrusted ? Set(all) : [],
      uniqueCount: uniqueCount, componentCount: builder.componentCount,
      estimatedCount: builder.ranges.isEmpty ? 0 : max(1, estimate))
  }
}
