package import Kura

extension GeneratedStore {
  /// What is done to a store of the first rows before it is queried.
  package enum Step: Sendable {
    /// Writes a row of the layout at that time.
    case write([StoredValue], WriteMode)
    /// Sets columns of the record of a key.
    case update(RecordKey, columns: [Int], [StoredValue])
    /// Sets columns of all records of a query.
    case updateMatching(BoundQuery, columns: [Int], [StoredValue])
    /// Deletes the record of a key.
    case delete(RecordKey)
    /// Deletes all records of a query.
    case deleteMatching(BoundQuery)
    /// Changes the schema.
    case change(SchemaChange)
    /// Commits, and begins another transaction.
    case commit
    /// Does something, and undoes it.
    case undone([Step])

    /// Whether rows are others afterwards.
    var changesLayout: Bool {
      switch self {
      case .change(.addIndex), .change(.removeIndex): false
      case .change: true
      default: false
      }
    }
  }

  /// The model after all steps.
  package var finalModel: ModelDescription { model.applying(steps) }

  /// Adds random steps.
  mutating func addSteps(_ random: inout RepeatableGenerator) {
    guard Int.random(in: 0..<3, using: &random) > 0 else { return }
    isQueriedBeforeCommit = Bool.random(using: &random)
    var state = State(model: model, rows: rows, isLong: hasLongValues)
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      if let step = state.step(&random, depth: 1) { steps.append(step) }
    }
    samples = state.rows
  }

  /// What a store may have after some steps: values worth writing, looking for and deleting.
  private struct State {
    var model: ModelDescription
    var rows: [[StoredValue]]
    let isLong: Bool

    mutating func step(_ random: inout RepeatableGenerator, depth: Int) -> Step? {
      switch Int.random(in: 0..<17, using: &random) {
      case 0, 1: return write(.insert, &random)
      case 2, 3: return write(.upsert, &random)
      case 4, 5:
        let (columns, row) = change(&random)
        return key(&random).map { .update($0, columns: columns, row) }
      case 6, 7:
        let (columns, row) = change(&random)
        return .updateMatching(selection(&random), columns: columns, row)
      case 8: return key(&random).map { .delete($0) }
      case 9: return .deleteMatching(selection(&random))
      case 10: return .commit
      case 11 where depth > 0:
        // Changes of the layout would be undone as well.
        let before = self
        let steps = (0..<3).compactMap { _ in step(&random, depth: depth - 1) }
        self = before
        return .undone(
          steps.filter { step in
            if case .change = step { return false }
            if case .commit = step { return false }
            return true
          })
      default:
        guard depth > 0, let change = schemaChange(&random) else { return nil }
        rows = rows.map { change.convert($0, of: model) }
        model = model.applying(change)
        return .change(change)
      }
    }

    private func value(_ column: Int, _ random: inout RepeatableGenerator) -> StoredValue {
      GeneratedStore.value(of: model.properties[column], isLong: isLong, &random)
    }

    private mutating func write(_ mode: WriteMode, _ random: inout RepeatableGenerator) -> Step {
      var row = model.properties.indices.map { value($0, &random) }
      let layout = ModelLayout(model)
      if let other = rows.randomElement(using: &random), mode == .upsert {
        for column in layout.keyColumns { row[column] = other[column] }
      }
      switch Int.random(in: 0..<12, using: &random) {
      case 0: row[Int.random(in: row.indices, using: &random)] = .null
      case 1 where layout.keyColumns.count == 1: row[layout.keyColumns[0]] = .null
      default: rows.append(row)
      }
      return .write(row, mode)
    }

    private mutating func change(_ random: inout RepeatableGenerator) -> ([Int], [StoredValue]) {
      let row = model.properties.indices.map { value($0, &random) }
      let count = Int.random(in: 1...2, using: &random)
      var columns = Array(row.indices.shuffled(using: &random).prefix(count))
      // Changes of keys mostly fail, and then tell little.
      let keys = ModelLayout(model).keyColumns
      if Int.random(in: 0..<3, using: &random) > 0 { columns.removeAll(where: keys.contains) }
      if let other = rows.randomElement(using: &random) {
        var mixed = other
        for column in columns { mixed[column] = row[column] }
        rows.append(mixed)
      }
      return (columns, row)
    }

    private func key(_ random: inout RepeatableGenerator) -> RecordKey? {
      let keys = ModelLayout(model).keyColumns
      if let row = rows.randomElement(using: &random), Int.random(in: 0..<5, using: &random) > 0,
        !keys.contains(where: { row[$0].isNull })
      {
        return RecordKey(keys.map { row[$0] })
      }
      return RecordKey(keys.map { value($0, &random) })
    }

    private func selection(_ random: inout RepeatableGenerator) -> BoundQuery {
      var query = GeneratedStore(model: model, rows: rows).query(&random)
      query.columns = nil
      return query
    }

    private func schemaChange(_ random: inout RepeatableGenerator) -> SchemaChange? {
      let names = model.properties.map(\.name)
      let free = (0...6).map { "c\($0)" }.filter { !names.contains($0) }
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        guard let name = free.randomElement(using: &random) else { return nil }
        return .addProperty(model: model.name, added(name, &random))
      case 1:
        let needed = model.primaryKey + model.indexes.flatMap(\.properties)
        return names.filter { !needed.contains($0) }.randomElement(using: &random)
          .map { .removeProperty(model: model.name, $0) }
      case 2:
        guard let old = names.randomElement(using: &random),
          let new = free.randomElement(using: &random)
        else { return nil }
        return .renameProperty(model: model.name, from: old, to: new)
      case 3: return .renameModel(from: model.name, to: model.name == "Item" ? "Thing" : "Item")
      case 4:
        let index = GeneratedStore.index(over: model.properties, &random)
        guard !model.indexes.contains(where: { $0.properties == index.properties }) else {
          return nil
        }
        return .addIndex(model: model.name, index)
      default:
        return model.indexes.randomElement(using: &random)
          .map { .removeIndex(model: model.name, $0) }
      }
    }

    /// A property that records which are there can have: optional, or with a value for them.
    private func added(_ name: String, _ random: inout RepeatableGenerator) -> PropertyDescription {
      var property = GeneratedStore.property(name, &random)
      if !property.isOptional || Bool.random(using: &random) {
        property.defaultValue = SampleValues.edges(property.type).randomElement(using: &random)
      }
      return property
    }
  }
}
