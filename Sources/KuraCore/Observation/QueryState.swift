/// The rows of an observed query and how they come from one commit to another one.
struct QueryState<Element: Sendable> {
  let plan: ObservationPlan
  private(set) var rows = Rope<ObservedRow<Element>>()
  /// The rows by key, unless the key says where a row is.
  private var rowsByKey: [RecordKey: ObservedRow<Element>] = [:]
  private let matcher: ConditionMatcher

  /// So many changed records cost more one by one than the query does again.
  private static var most: Int { ChangeRecorder.defaultLimit }

  init(_ plan: ObservationPlan) {
    self.plan = plan
    matcher = ConditionMatcher(plan.query.condition)
  }

  /// Reads all rows anew.
  mutating func rerun(_ maker: RowMaker<Element>) throws(StoreError) -> RowDifference {
    let old = rows
    let new = try maker.all()
    rows = Rope(new)
    if plan.reasonToRerun == nil, !plan.isOrderedByKey {
      rowsByKey = Dictionary(new.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }
    return QueryState.difference(from: old, to: new)
  }

  /// Follows changes.
  ///
  /// - Returns: What there is to tell, without what the observer asked not to be told.
  mutating func follow(_ changes: [(ChangeSet, isSkipped: Bool)], _ maker: RowMaker<Element>)
    throws(StoreError) -> RowDifference
  {
    var (silent, told): (Set<RecordKey>, Set<RecordKey>) = ([], [])
    var (mustRerun, isAllSkipped) = (false, true)
    for (set, isSkipped) in changes where concerns(set) {
      if !isSkipped { isAllSkipped = false }
      guard plan.reasonToRerun == nil, let keys = keys(set) else {
        mustRerun = true
        continue
      }
      if isSkipped { silent.formUnion(keys) } else { told.formUnion(keys) }
    }
    if mustRerun || silent.count + told.count > QueryState.most {
      let difference = try rerun(maker)
      return isAllSkipped ? RowDifference() : difference
    }
    silent.subtract(told)
    if !silent.isEmpty { _ = try look(at: silent, maker) }
    return told.isEmpty ? RowDifference() : try look(at: told, maker)
  }

  private func concerns(_ set: ChangeSet) -> Bool {
    !set.isComplete || set.models.keys.contains { plan.models.contains($0) }
  }

  /// The keys of the records that a change set is about; `nil` for all.
  private func keys(_ set: ChangeSet) -> [RecordKey]? {
    var keys: [RecordKey] = []
    for model in plan.models {
      switch set.changes(in: model) {
      case nil: continue
      case .everything?: return nil
      case .records(let changes)?:
        // The key of a list's element begins with that of the list's owner.
        let isList = model != plan.query.layout.name
        keys += changes.map { isList ? RecordKey($0.key.first) : $0.key }
      }
    }
    return keys
  }

  private mutating func look(at keys: Set<RecordKey>, _ maker: RowMaker<Element>)
    throws(StoreError) -> RowDifference
  {
    var looked: [(old: ObservedRow<Element>?, oldIndex: Int, new: ObservedRow<Element>?)] = []
    for key in keys {
      let (old, oldIndex) = find(key, maker)
      let new = try maker.one(key, matcher)
      if let old, let new, old.order == new.order, old.fingerprint == new.fingerprint,
        plan.tellsAll
      {
        continue
      }
      if old != nil || new != nil { looked.append((old, oldIndex, new)) }
    }
    // What is removed does not move what is before it.
    for (old, index, new) in looked.sorted(by: { $0.oldIndex > $1.oldIndex }) {
      guard let old else { continue }
      if let new, new.order == old.order {
        rows.replace(at: index, with: new)
      } else {
        rows.remove(at: index)
      }
      rowsByKey[old.key] = nil
    }
    for (old, _, new) in looked {
      guard let new else { continue }
      if !plan.isOrderedByKey { rowsByKey[new.key] = new }
      if old?.order != new.order { rows.insert(new, at: index(of: new.order)) }
    }
    let changes = looked.map { old, oldIndex, new in
      DifferenceBuilder.Change(
        key: (new ?? old)?.key ?? RecordKey(.null), oldIndex: old == nil ? nil : oldIndex,
        newIndex: new.map { index(of: $0.order) },
        isModified: old?.fingerprint != new?.fingerprint)
    }
    return DifferenceBuilder.difference(changes)
  }

  private func index(of order: [UInt8]) -> Int {
    rows.firstIndex { $0.order.precedes(order) }
  }

  /// The row of a key and its index.
  private func find(_ key: RecordKey, _ maker: RowMaker<Element>) -> (ObservedRow<Element>?, Int) {
    if !plan.isOrderedByKey, rowsByKey[key] == nil { return (nil, -1) }
    let index = index(of: rowsByKey[key]?.order ?? maker.order(of: key))
    guard let row = rows.element(at: index), row.key == key else { return (nil, -1) }
    return (row, index)
  }

  /// The difference between rows of which nothing is known.
  private static func difference(
    from old: Rope<ObservedRow<Element>>, to new: [ObservedRow<Element>]
  ) -> RowDifference {
    var places: [RecordKey: (Int, Fingerprint)] = [:]
    places.reserveCapacity(old.count)
    for (index, row) in old.enumerated() { places[row.key] = (index, row.fingerprint) }
    var changes: [DifferenceBuilder.Change] = []
    changes.reserveCapacity(max(old.count, new.count))
    for (index, row) in new.enumerated() {
      let earlier = places.removeValue(forKey: row.key)
      changes.append(
        .init(
          key: row.key, oldIndex: earlier?.0, newIndex: index,
          isModified: earlier?.1 != row.fingerprint))
    }
    for (key, place) in places {
      changes.append(.init(key: key, oldIndex: place.0, newIndex: nil, isModified: false))
    }
    return DifferenceBuilder.difference(changes)
  }
}
