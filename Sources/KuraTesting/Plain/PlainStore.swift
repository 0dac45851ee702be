package import Kura

/// The records of a store as arrays, written and deleted by the definitions without any cleverness:
/// what two backends are held against, so that both being wrong alike is seen.
package struct PlainStore: Sendable {
  /// Why a write is refused.
  package struct Refusal: Error, Hashable {
    /// The code of the error that a store throws.
    package let code: StoreError.Code
  }

  /// The models.
  package let schema: Schema
  /// The rows of each model, in no order.
  package private(set) var tables: [String: [[StoredValue]]] = [:]
  let evaluators: [String: PlainEvaluator]

  /// Makes an empty store.
  package init(_ schema: Schema) {
    self.schema = schema
    evaluators = Dictionary(
      uniqueKeysWithValues: schema.models.map {
        ($0.name, PlainEvaluator(layout: ModelLayout($0), rows: []))
      })
  }

  func model(_ name: String) throws(Refusal) -> ModelDescription {
    guard let model = schema.model(named: name) else { throw Refusal(code: .unknownModel) }
    return model
  }

  func isEqual(_ left: StoredValue, _ right: StoredValue) -> Bool {
    evaluators.first?.value.compare(left, right) == 0
  }

  /// The key of a row.
  package func key(_ row: [StoredValue], _ model: ModelDescription) -> [StoredValue] {
    model.primaryKey.compactMap { name in model.place(of: name).map { row[$0] } }
  }

  /// The place of the row of a key.
  func place(_ key: [StoredValue], _ model: ModelDescription) -> Int? {
    tables[model.name]?.firstIndex { row in
      let other = self.key(row, model)
      return other.count == key.count && zip(other, key).allSatisfy { isEqual($0, $1) }
    }
  }

  // MARK: Writing

  /// Writes a record.
  package mutating func write(
    _ name: String, _ values: [String: StoredValue], _ mode: WriteMode
  ) throws(Refusal) {
    let model = try self.model(name)
    let row = model.properties.map { values[$0.name] ?? $0.defaultValue ?? .null }
    for (value, property) in zip(row, model.properties) where value.isNull && !property.isOptional {
      throw Refusal(code: .missingValue)
    }
    let old = self.place(key(row, model), model)
    if old != nil, mode == .insert { throw Refusal(code: .duplicateKey) }
    try check([row], besides: old.map { [$0] } ?? [], model)
    if let old {
      // A key that is equal in another form, such as the other zero, is written as well.
      tables[name]?[old] = row
    } else {
      tables[name, default: []].append(row)
    }
  }

  /// Sets properties of the record of a key.
  package mutating func update(
    _ name: String, _ key: RecordKey, _ values: [String: StoredValue]
  ) throws(Refusal) -> Bool {
    let model = try self.model(name)
    guard let place = self.place(key.values, model) else { return false }
    try set(values, at: [place], model)
    return true
  }

  /// Sets properties of the records of a query.
  package mutating func update(_ query: Query, _ values: [String: StoredValue]) throws(Refusal)
    -> Int
  {
    let model = try self.model(query.model)
    let places = self.places(query, model)
    try set(values, at: places, model)
    return places.count
  }

  func places(_ query: Query, _ model: ModelDescription) -> [Int] {
    records(query).compactMap { place(key($0, model), model) }
  }

  private mutating func set(
    _ values: [String: StoredValue], at places: [Int], _ model: ModelDescription
  ) throws(Refusal) {
    guard !places.isEmpty, let rows = tables[model.name] else { return }
    var changed = places.map { rows[$0] }
    for (column, property) in model.properties.enumerated() {
      guard let value = values[property.name] else { continue }
      if value.isNull, !property.isOptional { throw Refusal(code: .missingValue) }
      for index in changed.indices { changed[index][column] = value }
    }
    try check(changed, besides: places, model)
    for (place, row) in zip(places, changed) { tables[model.name]?[place] = row }
  }

  /// Throws when rows, in the place of others, break a unique index or refer to nothing.
  private func check(_ rows: [[StoredValue]], besides places: [Int], _ model: ModelDescription)
    throws(Refusal)
  {
    let gone = Set(places)
    let others = (tables[model.name] ?? []).enumerated().filter { !gone.contains($0.offset) }
      .map(\.element)
    for index in model.indexes where index.isUnique {
      let columns = index.properties.compactMap { model.place(of: $0) }
      for (number, row) in rows.enumerated() where !columns.contains(where: { row[$0].isNull }) {
        for other in others + rows[..<number]
        where columns.allSatisfy({ isEqual(row[$0], other[$0]) }) {
          throw Refusal(code: .notUnique)
        }
      }
    }
    for (column, property) in model.properties.enumerated() {
      guard let reference = property.reference else { continue }
      let target = try self.model(reference.target)
      for row in rows where !row[column].isNull {
        let isOwn =
          target.name == model.name && rows.contains { isEqual(key($0, model)[0], row[column]) }
        guard isOwn || place([row[column]], target) != nil else {
          throw Refusal(code: .brokenReference)
        }
      }
    }
  }

  // MARK: Deleting

  /// Deletes the record of a key.
  package mutating func delete(_ name: String, _ key: RecordKey) throws(Refusal) -> Bool {
    let model = try self.model(name)
    guard let place = self.place(key.values, model) else { return false }
    try delete([place], of: model)
    return true
  }

  /// Deletes the records of a query, at once.
  package mutating func delete(_ query: Query) throws(Refusal) -> Int {
    let model = try self.model(query.model)
    let places = self.places(query, model)
    try delete(places, of: model)
    return places.count
  }

  private mutating func delete(_ places: [Int], of model: ModelDescription) throws(Refusal) {
    var gone: [String: Set<Int>] = [:]
    var pending = places.map { (model: model, place: $0) }
    while let (model, place) = pending.popLast() {
      guard gone[model.name, default: []].insert(place).inserted else { continue }
      let row = tables[model.name]?[place] ?? []
      forEachReferring(row, model) { referring, _, place, property in
        if property.reference?.onDelete == .cascade { pending.append((referring, place)) }
      }
      for keeper in schema.models where keeper.list?.isOwning == true {
        guard keeper.reference(ListDescription.owner)?.target == model.name,
          let name = keeper.reference(ListDescription.target)?.target,
          let target = schema.model(named: name),
          let owner = keeper.place(of: ListDescription.owner),
          let column = keeper.place(of: ListDescription.target)
        else { continue }
        for element in tables[keeper.name] ?? [] where isEqual(element[owner], key(row, model)[0]) {
          if let place = self.place([element[column]], target) { pending.append((target, place)) }
        }
      }
    }
    var cleared: [(model: String, place: Int, column: Int)] = []
    var isDenied = false
    for (name, places) in gone {
      let model = try self.model(name)
      for place in places {
        forEachReferring(tables[name]?[place] ?? [], model) { referring, column, place, property in
          guard gone[referring.name]?.contains(place) != true else { return }
          if property.reference?.onDelete == .nullify {
            cleared.append((referring.name, place, column))
          } else {
            isDenied = true
          }
        }
      }
    }
    if isDenied { throw Refusal(code: .brokenReference) }
    for (name, place, column) in cleared { tables[name]?[place][column] = .null }
    for (name, places) in gone {
      tables[name] = tables[name]?.enumerated().filter { !places.contains($0.offset) }.map(
        \.element)
    }
  }

  private func forEachReferring(
    _ row: [StoredValue], _ target: ModelDescription,
    _ body: (ModelDescription, _ column: Int, _ place: Int, PropertyDescription) -> Void
  ) {
    for model in schema.models {
      for (column, property) in model.properties.enumerated()
      where property.reference?.target == target.name {
        for (place, other) in (tables[model.name] ?? []).enumerated()
        where isEqual(other[column], key(row, target)[0]) {
          body(model, column, place, property)
        }
      }
    }
  }
}

extension ModelDescription {
  /// The place of a property.
  func place(of name: String) -> Int? { properties.firstIndex { $0.name == name } }

  /// The reference that a property is.
  func reference(_ name: String) -> ReferenceDescription? { property(named: name)?.reference }
}
