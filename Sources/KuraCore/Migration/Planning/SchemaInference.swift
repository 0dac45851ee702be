/// Finds the operations that lead from one schema to another without losing anything: declared renames,
/// what is added, and other defaults.
struct SchemaInference {
  private(set) var operations: [MigrationOperation] = []
  private(set) var current: Schema
  private let wanted: Schema

  /// Infers what can be inferred.
  init(from old: Schema, to wanted: Schema) throws(StoreError) {
    current = old
    self.wanted = wanted
    try rename()
    try addModels()
    try changeModels()
  }

  /// What is left to be explained by a migration.
  var rest: SchemaDiff { SchemaDiff(from: current, to: wanted) }

  private mutating func apply(_ operation: MigrationOperation) throws(StoreError) {
    current = try operation.applied(to: current)
    operations.append(operation)
  }

  // MARK: Renames

  private mutating func rename() throws(StoreError) {
    for rename in wanted.renames where rename.property == nil {
      guard current.model(named: rename.model) == nil, current.model(named: rename.from) != nil,
        wanted.model(named: rename.from) == nil
      else { continue }
      try apply(.renameModel(from: rename.from, to: rename.model))
    }
    for rename in wanted.renames {
      guard let name = rename.property, let model = current.model(named: rename.model),
        let target = wanted.model(named: rename.model)
      else { continue }
      let isProperty =
        model.property(named: rename.from) != nil && model.property(named: name) == nil
        && target.property(named: name) != nil && target.property(named: rename.from) == nil
      let isList =
        current.hasList(rename.from, of: rename.model) && !current.hasList(name, of: rename.model)
        && wanted.hasList(name, of: rename.model)
      guard isProperty || isList else { continue }
      try apply(.renameProperty(model: rename.model, from: rename.from, to: name))
    }
  }

  // MARK: Additions

  /// New models, those first to which others refer.
  private mutating func addModels() throws(StoreError) {
    var left = wanted.models.filter { current.model(named: $0.name) == nil }
    var late: [(model: String, property: String, reference: ReferenceDescription)] = []
    while !left.isEmpty {
      let known = Set(current.models.map(\.name))
      if let place = left.firstIndex(where: { model in
        model.properties.allSatisfy { property in
          guard let target = property.reference?.target else { return true }
          return target == model.name || known.contains(target)
        }
      }) {
        try apply(.createModel(left.remove(at: place)))
        continue
      }
      // Models that refer to each other in a circle: one of them gets its references afterwards.
      guard let place = left.firstIndex(where: { $0.list == nil }) else { break }
      var model = left.remove(at: place)
      for (index, property) in model.properties.enumerated() {
        guard let reference = property.reference, !known.contains(reference.target),
          reference.target != model.name
        else { continue }
        model.properties[index].reference = nil
        late.append((model.name, property.name, reference))
      }
      try apply(.createModel(model))
    }
    for (model, property, reference) in late {
      try apply(.addReference(model: model, property: property, reference))
    }
  }

  private mutating func changeModels() throws(StoreError) {
    for change in rest.changes {
      switch change {
      case .propertyAdded(let model, let property) where change.isAdditive:
        // A reference has no default; the records that are there refer to nothing.
        try apply(.addProperty(model: model, property))
      case .propertyChanged(let model, let old, let new):
        var other = old
        other.defaultValue = new.defaultValue
        guard other == new else { continue }
        try apply(
          .changeProperty(
            model: model, new.name, PropertyChange(defaultValue: new.defaultValue ?? .null)))
      default: continue
      }
    }
    for change in rest.changes {
      guard case .indexAdded(let model, let index) = change, change.isAdditive else { continue }
      let known = current.model(named: model)?.properties.map(\.name) ?? []
      guard index.properties.allSatisfy(known.contains) else { continue }
      try apply(.addIndex(model: model, index))
    }
  }
}

extension Schema {
  /// Whether a model has a list of a name.
  func hasList(_ name: String, of model: String) -> Bool {
    models.contains { $0.list?.property == name && $0.listOwner == model }
  }
}
