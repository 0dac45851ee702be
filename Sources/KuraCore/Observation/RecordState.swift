/// The last told state of one record.
struct RecordState<Root: Model> {
  private let key: RecordKey
  private let model: String
  private let lists: [String]
  private var last: Root?

  init(_ key: RecordKey) {
    self.key = key
    model = Root.modelName
    lists = Root.modelLists.map { ListDescription.modelName(Root.modelName, $0.property) }
  }

  /// The models whose changes matter.
  var models: Set<String> { Set(lists + [model]) }

  /// What there is to tell of a snapshot.
  ///
  /// - Parameter changes: What changed; `nil` for anything.
  mutating func look(
    _ transaction: ReadTransaction, isFirst: Bool, _ changes: [(ChangeSet, isSkipped: Bool)]?
  ) throws(StoreError) -> RecordChange<Root>? {
    if let changes, !changes.contains(where: { concerns($0.0) }) { return nil }
    guard let rootKey = Root.Key(recordKey: key) else {
      throw StoreError(.wrongKey, "the key of the observed record cannot be read")
    }
    let now = try transaction.record(Root.self, key: rootKey)
    defer { last = now }
    if isFirst { return .initial(now) }
    switch (last, now) {
    case (nil, nil): return nil
    case (_, nil): return .deletion
    case (let old, let new?):
      let names = try RecordState.differing(old, new, try transaction.modelAccess(Root.self))
      return names.isEmpty ? nil : .update(new, properties: names)
    }
  }

  private func concerns(_ set: ChangeSet) -> Bool {
    if isAmong(set.changes(in: model), { $0 == key }) { return true }
    return lists.contains { isAmong(set.changes(in: $0)) { $0.first == key.first } }
  }

  private func isAmong(_ changes: ChangeSet.ModelChanges?, _ isKey: (RecordKey) -> Bool) -> Bool {
    switch changes {
    case nil: false
    case .everything?: true
    case .records(let records)?: records.contains { isKey($0.key) }
    }
  }

  /// The names of the properties and lists in which two records differ: all, when there was none.
  private static func differing(_ old: Root?, _ new: Root, _ access: ModelAccess)
    throws(StoreError) -> [String]
  {
    let names = access.layout.columns.map(\.name) + Root.modelLists.map(\.property)
    guard let old else { return names }
    let (before, after) = (
      RowBuffer(columns: access.layout.columns.count),
      RowBuffer(columns: access.layout.columns.count)
    )
    let (listsBefore, listsAfter) = (
      ListCollector(count: access.lists.count), ListCollector(count: access.lists.count)
    )
    try old.write(to: RowWriter(before, access.layout, lists: listsBefore))
    try new.write(to: RowWriter(after, access.layout, lists: listsAfter))
    var differing: [String] = []
    for (index, column) in access.layout.columns.enumerated()
    where !before[index].isIdentical(to: after[index]) {
      differing.append(column.name)
    }
    for (index, list) in Root.modelLists.enumerated()
    where listsBefore.lists[index] != listsAfter.lists[index] {
      differing.append(list.property)
    }
    return differing
  }
}

/// The last told state of one list.
struct ListState<Target: Model> {
  private let owner: RecordKey
  private let layout: ModelLayout
  private var last: [StoredListElement] = []

  init(_ owner: RecordKey, _ layout: ModelLayout) {
    self.owner = owner
    self.layout = layout
  }

  /// What there is to tell of a snapshot.
  ///
  /// - Parameter changes: What changed; `nil` for anything.
  mutating func look(
    _ transaction: any EngineReadTransaction, isFirst: Bool,
    _ changes: [(ChangeSet, isSkipped: Bool)]?
  ) throws(StoreError) -> ListChange<Target>? {
    if let changes, !changes.contains(where: { concerns($0.0) }) { return nil }
    let now = try StoredList(layout, transaction).elements(of: owner.first)
    defer { last = now }
    let list = try ReferenceList<Target>(now)
    if isFirst { return .initial(list) }
    let difference = ListState.difference(from: last, to: now)
    return difference.isEmpty ? nil : .update(list, difference)
  }

  private func concerns(_ set: ChangeSet) -> Bool {
    switch set.changes(in: layout.name) {
    case nil: false
    case .everything?: true
    case .records(let records)?: records.contains { $0.key.first == owner.first }
    }
  }

  private static func difference(from old: [StoredListElement], to new: [StoredListElement])
    -> RowDifference
  {
    // Identities are unique in what Kura writes; a damaged file may repeat one.
    var places: [RecordKey: Int] = [:]
    for (index, key) in keys(old).enumerated() { places[key] = index }
    var changes: [DifferenceBuilder.Change] = []
    for (index, key) in keys(new).enumerated() {
      let place = places.removeValue(forKey: key)
      changes.append(
        .init(
          key: key, oldIndex: place, newIndex: index,
          isModified: place.map { old[$0].target != new[index].target } ?? false))
    }
    for (key, place) in places {
      changes.append(.init(key: key, oldIndex: place, newIndex: nil, isModified: false))
    }
    return DifferenceBuilder.difference(changes)
  }

  private static func keys(_ elements: [StoredListElement]) -> [RecordKey] {
    var counts: [Int64: Int64] = [:]
    return elements.map { element in
      let count = counts[element.id, default: 0]
      counts[element.id] = count + 1
      guard count > 0 else { return RecordKey(.integer(element.id)) }
      return RecordKey(first: .integer(element.id), rest: [.integer(count)])
    }
  }
}
