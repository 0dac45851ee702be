import KuraCore

extension LMDBWriteTransaction {
  func setChecksReferences(_ isOn: Bool) throws(StoreError) {
    try checkOpen()
    checksReferences = isOn
  }

  /// Changes what the catalogue says of a property; no record is written.
  func change(_ description: PropertyDescription, of name: String) throws(StoreError) {
    var model = try entry(name)
    let id = try propertyID(description.name, of: model)
    guard let place = model.properties.firstIndex(where: { $0.id == id }) else { return }
    let old = model.properties[place]
    guard old.type == description.type else {
      throw StoreError(
        .invalidSchema, "the type of \"\(name)\".\"\(old.name)\" cannot change in place",
        found: old.type.rawValue, expected: description.type.rawValue)
    }
    guard !model.primaryKey.contains(id) || !description.isOptional else {
      throw StoreError(
        .invalidSchema, "\"\(name)\".\"\(old.name)\" is part of the primary key",
        suggestion: "change the key first")
    }
    let catalogue = try current()
    var counters = catalogue.counters
    // Only what it makes of default and reference is wanted, not the number of a new property.
    var scratch = model
    let changed = try entry(description, &scratch, &counters, catalogue)
    if old.isOptional, !description.isOptional { try checkNoNulls(old, of: model) }
    model.properties[place].isOptional = changed.isOptional
    model.properties[place].defaultValue = changed.defaultValue
    model.properties[place].reference = changed.reference
    if changed.reference == nil {
      try removeIndexes(of: &model, &counters) {
        $0.kind == .reference && $0.properties == [id]
      }
    }
    try store(model, addingReferenceIndexes: &counters)
    guard let reference = changed.reference, reference.model != old.reference?.model else { return }
    try forEachRecord(of: model.id) { writer throws(StoreError) in
      try checkReferences(writer.oldRow, nil, writer)
    }
  }

  private func checkNoNulls(_ property: CatalogueModel.Property, of model: CatalogueModel)
    throws(StoreError)
  {
    guard let column = model.properties.firstIndex(where: { $0.id == property.id }) else { return }
    try forEachRecord(of: model.id) { writer throws(StoreError) in
      guard writer.oldRow[column].kind == .null else { return }
      throw StoreError(
        .missingValue, "a record of \"\(model.name)\" has no value of \"\(property.name)\"",
        suggestion: "give the records a value first")
    }
  }

  /// Puts a replacement in the place of a model: it takes the name, and the references to it.
  func replace(_ name: String, by replacement: String, _ indexes: [IndexDescription])
    throws(StoreError)
  {
    let old = try entry(name)
    var new = try entry(replacement)
    let catalogue = try current()
    var counters = catalogue.counters
    for database in [old.database] + old.indexes.map({ LMDBFormat.indexDatabase($0.id) }) {
      try snapshot.empty(try snapshot.existing(database, of: old))
      counters.dropped.append(database)
    }
    try remove(LMDBFormat.MetadataKey.model(old.id))
    var models = catalogue.models
    models[old.id] = nil
    new.name = name
    models[new.id] = new
    for (id, var model) in models {
      var isChanged = id == new.id
      for place in model.properties.indices
      where model.properties[place].reference?.model == old.id {
        model.properties[place].reference?.model = new.id
        isChanged = true
      }
      guard isChanged else { continue }
      models[id] = model
      try put(LMDBFormat.MetadataKey.model(id), model.json)
    }
    change(counters, models)
    for index in indexes { try add(index, to: name) }
    counters = try current().counters
    try store(try entry(name), addingReferenceIndexes: &counters)
  }
}
