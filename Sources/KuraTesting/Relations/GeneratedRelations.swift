package import Kura

/// Models that refer to each other, made of a seed, and what is done to their records.
package struct GeneratedRelations: Sendable {
  /// What is done to a store before it is queried.
  package enum Step: Sendable {
    /// Writes a new record.
    case insert(String, [String: StoredValue])
    /// Writes a record in the place of the one of the same key.
    case upsert(String, [String: StoredValue])
    /// Sets properties of the record of a key.
    case update(String, RecordKey, [String: StoredValue])
    /// Sets properties of all records of a query.
    case updateMatching(Query, [String: StoredValue])
    /// Deletes the record of a key.
    case delete(String, RecordKey)
    /// Deletes all records of a query.
    case deleteMatching(Query)
    /// Does something, and undoes it.
    case undone([Step])
    /// Commits, and begins another transaction.
    case commit
    /// Commits, closes the store and opens it again.
    case reopen
  }

  /// The models and those of their lists.
  package var schema: Schema
  /// What is done.
  package var steps: [Step]
  /// Whether queries run inside the transaction of the last steps.
  package var isQueriedBeforeCommit = false
  /// The records afterwards, from which conditions take values.
  private(set) var sample: PlainStore
  /// The keys of each model's records, few, so that records meet.
  private var keys: [String: [StoredValue]] = [:]

  /// Makes relations of parts.
  package init(schema: Schema, steps: [Step]) {
    self.schema = schema
    self.steps = steps
    sample = PlainStore(schema)
  }

  /// Makes random steps over models.
  ///
  /// - Parameter schema: The models; `nil` makes random ones.
  /// - Throws: When the random models make no schema, which is a mistake of the generator.
  package init(_ random: inout RepeatableGenerator, schema: Schema? = nil) throws {
    let schema = try schema ?? GeneratedRelations.schema(&random)
    self.init(schema: schema, steps: [])
    for model in schema.models where model.list == nil {
      let type = model.property(named: model.primaryKey[0])?.type ?? .integer
      keys[model.name] = Array(SampleValues.edges(type).shuffled(using: &random).prefix(8))
    }
    isQueriedBeforeCommit = Int.random(in: 0..<3, using: &random) == 0
    for _ in 0..<Int.random(in: 5...60, using: &random) {
      let step = step(&random, isNew: true)
      steps.append(step)
    }
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let step = step(&random, isNew: false)
      steps.append(step)
    }
  }

  // MARK: Models

  private static func schema(_ random: inout RepeatableGenerator) throws -> Schema {
    let keyTypes: [ValueType] = [
      .integer, .integer, .text, .objectID, .uuid, .double, .data, .date,
    ]
    let names = ["Team", "Player", "Match"]
    let types = names.map { _ in keyTypes.randomElement(using: &random) ?? .integer }
    var models: [ModelDescription] = []
    for (place, name) in names.enumerated() {
      var properties = [PropertyDescription("id", types[place])]
      for number in 0..<Int.random(in: 2...4, using: &random) {
        var property = GeneratedStore.property("p\(number)", &random)
        if property.type == .any || property.type == .json { property.type = .text }
        properties.append(property)
      }
      for (number, target) in names.indices.shuffled(using: &random).enumerated()
      where Int.random(in: 0..<2, using: &random) == 0 {
        let isOptional = target >= place || Int.random(in: 0..<4, using: &random) > 0
        let rules: [ReferenceDescription.DeleteRule] =
          isOptional ? [.nullify, .nullify, .cascade, .deny] : [.cascade, .deny]
        properties.append(
          PropertyDescription(
            "r\(number)", types[target], isOptional: isOptional,
            reference: ReferenceDescription(
              to: names[target], onDelete: rules.randomElement(using: &random) ?? .deny)))
      }
      var indexes: [IndexDescription] = []
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let index = GeneratedStore.index(over: properties, &random)
        if !indexes.contains(where: { $0.properties == index.properties }) { indexes.append(index) }
      }
      models.append(
        ModelDescription(name, primaryKey: ["id"], properties: properties, indexes: indexes))
    }
    var lists: [ModelDescription] = []
    for number in 0..<Int.random(in: 1...3, using: &random) {
      let owner = models.randomElement(using: &random)
      let target = models.randomElement(using: &random)
      let rule: ReferenceDescription.DeleteRule =
        Int.random(in: 0..<4, using: &random) == 0 ? .deny : .cascade
      let list = ListDescription(
        property: "l\(number)", isOwning: Int.random(in: 0..<3, using: &random) == 0)
      if let model = ListDescription.model(list, of: owner, to: target, onDelete: rule) {
        lists.append(model)
      }
    }
    return try Schema(version: 1, models + lists)
  }

  // MARK: Steps

  private mutating func step(_ random: inout RepeatableGenerator, isNew: Bool) -> Step {
    let step = isNew ? newRecord(&random) : change(&random, depth: 1)
    _ = sample.perform(step)
    return step
  }

  private mutating func newRecord(_ random: inout RepeatableGenerator) -> Step {
    let model = someModel(&random)
    let values = values(model, &random)
    return Int.random(in: 0..<4, using: &random) == 0
      ? .upsert(model.name, values) : .insert(model.name, values)
  }

  private mutating func change(_ random: inout RepeatableGenerator, depth: Int) -> Step {
    let model = someModel(&random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: return newRecord(&random)
    case 2, 3: return .update(model.name, key(model, &random), changes(model, &random))
    case 4: return .updateMatching(selection(model, &random), changes(model, &random))
    case 5, 6, 7: return .delete(model.name, key(model, &random))
    case 8: return .deleteMatching(selection(model, &random))
    case 9 where depth > 0:
      return .undone((0..<3).map { _ in change(&random, depth: 0) })
    case 10 where depth > 0: return .commit
    case 11 where depth > 0: return .reopen
    default: return .delete(model.name, key(model, &random))
    }
  }

  private func someModel(_ random: inout RepeatableGenerator) -> ModelDescription {
    schema.models.randomElement(using: &random) ?? schema.models[0]
  }

  private func selection(_ model: ModelDescription, _ random: inout RepeatableGenerator) -> Query {
    Query(model.name, where: condition(model, depth: 1, &random))
  }

  /// A value that a property may have, mostly one that refers to a record.
  private func value(_ property: PropertyDescription, _ random: inout RepeatableGenerator)
    -> StoredValue
  {
    if property.isOptional, Int.random(in: 0..<5, using: &random) == 0 { return .null }
    if let target = property.reference?.target {
      let rows = sample.tables[target] ?? []
      if let row = rows.randomElement(using: &random), Int.random(in: 0..<8, using: &random) > 0,
        let model = schema.model(named: target), let key = sample.key(row, model).first
      {
        return key
      }
      return keys[target]?.randomElement(using: &random) ?? .null
    }
    return GeneratedStore.value(of: property, isLong: false, &random)
  }

  private func values(_ model: ModelDescription, _ random: inout RepeatableGenerator)
    -> [String: StoredValue]
  {
    var values: [String: StoredValue] = [:]
    for property in model.properties { values[property.name] = value(property, &random) }
    if model.list != nil {
      values[ListDescription.position] = .integer(Int64.random(in: 0...3, using: &random))
      values[ListDescription.element] = .integer(Int64.random(in: 0...5, using: &random))
    } else {
      values[model.primaryKey[0]] = keys[model.name]?.randomElement(using: &random) ?? 0
    }
    return values
  }

  private func changes(_ model: ModelDescription, _ random: inout RepeatableGenerator)
    -> [String: StoredValue]
  {
    let free = model.properties.filter { !model.primaryKey.contains($0.name) }
    let some = free.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random))
    return Dictionary(uniqueKeysWithValues: some.map { ($0.name, value($0, &random)) })
  }

  private func key(_ model: ModelDescription, _ random: inout RepeatableGenerator) -> RecordKey {
    if let row = (sample.tables[model.name] ?? []).randomElement(using: &random),
      let key = RecordKey(sample.key(row, model))
    {
      return key
    }
    let values = values(model, &random)
    return RecordKey(model.primaryKey.map { values[$0] ?? 0 }) ?? RecordKey(0)
  }
}
