import KuraCore

extension LMDBWriteTransaction {
  func apply(_ change: SchemaChange) throws(StoreError) {
    try checkOpen()
    try atomically { () throws(StoreError) in
      try located { () throws(StoreError) in
        switch change {
        case .createModel(let model): try create(model, withIndexes: true)
        case .createReplacement(let model): try create(model, withIndexes: false)
        case .replaceModel(let name, let replacement, let indexes):
          try replace(name, by: replacement, indexes)
        case .changeProperty(let model, let property): try self.change(property, of: model)
        case .setList(let name, let list):
          var model = try entry(name)
          model.list = list
          try store(model)
        case .dropModel(let name): try drop(name)
        case .addProperty(let model, let property): try add(property, to: model)
        case .removeProperty(let model, let property): try remove(property, from: model)
        case .renameProperty(let model, let old, let new): try rename(old, to: new, in: model)
        case .renameModel(let old, let new): try rename(old, to: new)
        case .addIndex(let model, let index): try add(index, to: model)
        case .removeIndex(let model, let index): try remove(index, from: model)
        }
      }
    }
    recorder?.note(change)
  }

  /// The catalogue; a file that can be written always has one.
  func current() throws(StoreError) -> Catalogue {
    guard let catalogue else {
      throw StoreError(.foreign, "Kura did not make this file", path: life.path)
    }
    return catalogue
  }

  /// The model of a name.
  func entry(_ name: String) throws(StoreError) -> CatalogueModel {
    let catalogue = try current()
    guard let model = catalogue.model(named: name) else {
      throw StoreError(.unknownModel, "there is no model \"\(name.prefix(80))\"")
    }
    return model
  }

  /// Writes a model's entry and takes it over.
  func store(_ model: CatalogueModel, _ counters: Catalogue.Counters? = nil) throws(StoreError) {
    let catalogue = try current()
    try put(LMDBFormat.MetadataKey.model(model.id), model.json)
    var models = catalogue.models
    models[model.id] = model
    change(counters ?? catalogue.counters, models)
  }

  // MARK: Models

  private func create(_ description: ModelDescription, withIndexes: Bool) throws(StoreError) {
    let catalogue = try current()
    let folded = Schema.asciiFolded(description.name)
    guard !catalogue.models.values.contains(where: { Schema.asciiFolded($0.name) == folded })
    else {
      throw StoreError(
        .invalidSchema, "there is already a model \"\(description.name)\"",
        suggestion: "remove it first, or use another name")
    }
    var counters = catalogue.counters
    let id: UInt32
    if let expected = expectedModels.removeValue(forKey: description.name) {
      id = expected
    } else {
      id = counters.model
      counters.model += 1
    }
    var model = CatalogueModel(
      id: id, name: description.name, primaryKey: [], properties: [], indexes: [], shapes: [],
      cut: [], nextProperty: 1, list: description.list)
    for property in description.properties {
      model.properties.append(try entry(property, &model, &counters, catalogue))
    }
    model.primaryKey = description.primaryKey.compactMap { model.property(named: $0)?.id }
    for index in withIndexes ? description.indexes : [] {
      model.indexes.append(
        CatalogueModel.Index(
          id: counters.index,
          properties: index.properties.compactMap { model.property(named: $0)?.id },
          isUnique: index.isUnique, kind: .declared))
      counters.index += 1
    }
    if withIndexes { model.addReferenceIndexes(&counters) }
    model.shapes = [model.currentShape]
    guard model.isConsistent, model.primaryKey.count == description.primaryKey.count else {
      throw StoreError(
        .invalidSchema, "the model \"\(description.name)\" contradicts itself",
        suggestion: "check it by making a schema of it")
    }
    for name in [model.database] + model.indexes.map({ LMDBFormat.indexDatabase($0.id) }) {
      try snapshot.create(name)
      counters.dropped.removeAll { $0 == name }
    }
    try store(model, counters)
  }

  /// The catalogue's form of a new property.
  func entry(
    _ property: PropertyDescription, _ model: inout CatalogueModel,
    _ counters: inout Catalogue.Counters, _ catalogue: Catalogue
  ) throws(StoreError) -> CatalogueModel.Property {
    var reference: CatalogueModel.Reference?
    if let target = property.reference {
      let id: UInt32
      if target.target == model.name {
        id = model.id
      } else if let existing = catalogue.model(named: target.target)?.id
        ?? expectedModels[target.target]
      {
        id = existing
      } else {
        // The target is made later in the transaction, under this number.
        id = counters.model
        counters.model += 1
        expectedModels[target.target] = id
      }
      reference = CatalogueModel.Reference(model: id, onDelete: target.onDelete)
    }
    defer { model.nextProperty += 1 }
    let value = try property.defaultValue.map { value throws(StoreError) in
      try value.coerced(to: property.type, isOptional: true)
    }
    return CatalogueModel.Property(
      id: model.nextProperty, name: property.name, type: property.type,
      isOptional: property.isOptional, defaultValue: value.flatMap { $0.isNull ? nil : $0 },
      initial: nil, reference: reference)
  }

  private func drop(_ name: String) throws(StoreError) {
    let model = try entry(name)
    let catalogue = try current()
    var counters = catalogue.counters
    for database in [model.database] + model.indexes.map({ LMDBFormat.indexDatabase($0.id) }) {
      try snapshot.empty(try snapshot.existing(database, of: model))
      counters.dropped.append(database)
    }
    var models = catalogue.models
    models[model.id] = nil
    if models.values.contains(where: { other in
      other.properties.contains { $0.reference?.model == model.id }
    }) {
      // Whoever makes a model of the name again in this transaction makes the references whole.
      expectedModels[name] = model.id
    }
    try remove(LMDBFormat.MetadataKey.model(model.id))
    change(counters, models)
  }
}

extension CatalogueModel {
  /// Gives each reference an index by which those that refer to a record are found, unless there is
  /// one or the records themselves are in that order.
  mutating func addReferenceIndexes(_ counters: inout Catalogue.Counters) {
    for property in properties where property.reference != nil {
      guard primaryKey.first != property.id,
        !indexes.contains(where: { $0.properties.first == property.id })
      else { continue }
      indexes.append(
        Index(id: counters.index, properties: [property.id], isUnique: false, kind: .reference))
      counters.index += 1
    }
  }
}
