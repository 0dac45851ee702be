/// Deletes records together with those that their owning lists hold.
///
/// Backends know references only. Of the lists, the store sees to it: it follows owning lists, and the
/// references that cascade on the way to one, and deletes what it found, all in one savepoint.
struct OwnedDeletion {
  private let store: Store
  private let writer: any EngineWriteTransaction
  private var found: [(model: ModelLayout, key: RecordKey)] = []
  private var seen: [String: Set<RecordKey>] = [:]

  init(_ store: Store, _ writer: any EngineWriteTransaction) {
    self.store = store
    self.writer = writer
  }

  /// Deletes records of a model.
  ///
  /// - Returns: The number of those that were there.
  mutating func delete(_ keys: [RecordKey], of layout: ModelLayout) throws(StoreError) -> Int {
    for key in keys { add(key, layout) }
    let count = found.count
    var place = 0
    while place < found.count {
      let (layout, key) = found[place]
      try follow(layout, key)
      place += 1
    }
    // A rule may remove a record with an earlier one.
    return try writer.delete(found).prefix(count).count { $0 }
  }

  private mutating func add(_ key: RecordKey, _ layout: ModelLayout) {
    if seen[layout.name, default: []].insert(key).inserted { found.append((layout, key)) }
  }

  private mutating func follow(_ layout: ModelLayout, _ key: RecordKey) throws(StoreError) {
    for model in store.schema.models {
      if let list = model.list {
        guard list.isOwning, model.target(of: ListDescription.owner) == layout.name,
          let name = model.target(of: ListDescription.target)
        else { continue }
        let target = try store.layout(of: name)
        let elements = try StoredList(try store.layout(of: model.name), writer)
          .elements(of: key.first)
        for element in elements { add(element.target, target) }
      } else if store.ownership.contains(model.name) {
        let referring = try store.layout(of: model.name)
        for (column, property) in model.properties.enumerated()
        where property.reference?.target == layout.name && property.reference?.onDelete == .cascade
        {
          let query = BoundQuery(
            layout: referring, condition: .compareValue(column: column, .equal, key.first))
          for key in try OwnedDeletion.keys(of: query, writer) { add(key, referring) }
        }
      }
    }
  }

  /// The keys of the records of a query.
  static func keys(of query: BoundQuery, _ transaction: any EngineReadTransaction)
    throws(StoreError) -> [RecordKey]
  {
    var query = query
    query.columns = query.layout.keyColumns
    let cursor = try transaction.cursor(for: query)
    defer { cursor.close() }
    let row = RowBuffer(columns: query.layout.keyColumns.count)
    var keys: [RecordKey] = []
    while try cursor.next(into: row) {
      if let key = RecordKey((0..<row.count).map { row.value(at: $0) }) { keys.append(key) }
    }
    return keys
  }
}

extension ModelDescription {
  /// The model that a property's values are keys of.
  fileprivate func target(of property: String) -> String? {
    self.property(named: property)?.reference?.target
  }
}

extension Schema {
  /// The models whose records, when they are deleted, may take records of owning lists with them.
  var ownership: Set<String> {
    var names = Set(
      models.filter { $0.list?.isOwning == true }
        .compactMap { $0.target(of: ListDescription.owner) })
    while true {
      let more = models.filter { model in
        model.list == nil && !names.contains(model.name)
      }.flatMap { model in
        // A record of this model takes those with it that refer to it and cascade.
        models.contains { referring in
          names.contains(referring.name)
            && referring.properties.contains {
              $0.reference?.target == model.name && $0.reference?.onDelete == .cascade
            }
        } ? [model.name] : []
      }
      guard !more.isEmpty else { return names }
      names.formUnion(more)
    }
  }
}
