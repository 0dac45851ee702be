import KuraCore

extension LMDBWriteTransaction {
  // MARK: Properties

  /// Adds a property: the records that are there get no byte, they read its initial value.
  func add(_ description: PropertyDescription, to name: String) throws(StoreError) {
    var model = try entry(name)
    try checkName(description.name, among: model.properties.map(\.name), "property")
    let catalogue = try current()
    var counters = catalogue.counters
    var property = try entry(description, &model, &counters, catalogue)
    if !property.isOptional, property.defaultValue == nil {
      let records = try snapshot.existing(model.database, of: model)
      guard try snapshot.count(records) == 0 else {
        throw StoreError(
          .missingValue, "the records of \"\(name)\" would have no value of \"\(property.name)\"",
          suggestion: "give the property a default value, or make it optional")
      }
    }
    guard property.reference == nil || property.defaultValue == nil else {
      throw StoreError(
        .invalidSchema, "an added reference cannot have a default value",
        suggestion: "add it without, then set it")
    }
    property.initial = property.defaultValue
    model.properties.append(property)
    model.addCurrentShape()
    try store(model, addingReferenceIndexes: &counters)
  }

  /// Removes a property: its values stay in the records that have them, and nobody reads them.
  func remove(_ property: String, from name: String) throws(StoreError) {
    var model = try entry(name)
    let id = try propertyID(property, of: model)
    guard !model.primaryKey.contains(id) else {
      throw StoreError(
        .invalidSchema, "\"\(name)\".\"\(property)\" is part of the primary key",
        suggestion: "change the key first")
    }
    guard !model.indexes.contains(where: { $0.kind == .declared && $0.properties.contains(id) })
    else {
      throw StoreError(
        .invalidSchema, "an index names \"\(name)\".\"\(property)\"",
        suggestion: "remove the index first")
    }
    var counters = try current().counters
    try removeIndexes(of: &model, &counters) { $0.properties.contains(id) }
    model.properties.removeAll { $0.id == id }
    model.addCurrentShape()
    try store(model, counters)
  }

  func rename(_ old: String, to new: String, in name: String) throws(StoreError) {
    var model = try entry(name)
    let id = try propertyID(old, of: model)
    try checkName(
      new, among: model.properties.filter { $0.id != id }.map(\.name), "property")
    for index in model.properties.indices where model.properties[index].id == id {
      model.properties[index].name = new
    }
    try store(model)
  }

  func rename(_ old: String, to new: String) throws(StoreError) {
    var model = try entry(old)
    let others = try current().models.values.filter { $0.id != model.id }.map(\.name)
    try checkName(new, among: others, "model")
    model.name = new
    try store(model)
  }

  // MARK: Indexes

  func add(_ description: IndexDescription, to name: String) throws(StoreError) {
    var model = try entry(name)
    var properties: [UInt32] = []
    for property in description.properties {
      properties.append(try propertyID(property, of: model))
    }
    guard
      !model.indexes.contains(where: {
        $0.kind == .declared && $0.properties == properties && $0.isUnique == description.isUnique
      })
    else {
      throw StoreError(.invalidSchema, "\"\(name)\" has this index already")
    }
    var counters = try current().counters
    let index = CatalogueModel.Index(
      id: counters.index, properties: properties, isUnique: description.isUnique, kind: .declared)
    counters.index += 1
    model.indexes.append(index)
    guard model.isConsistent else {
      throw StoreError(
        .invalidSchema, "\"\(name)\" cannot have an index on these properties",
        suggestion: "name each property once, and none of type any or json")
    }
    // The new index serves the references that had one for themselves.
    try removeIndexes(of: &model, &counters) {
      $0.kind == .reference && $0.properties.first == properties.first
    }
    try snapshot.create(LMDBFormat.indexDatabase(index.id))
    try store(model, counters)
    try build([index.id], of: model.id)
  }

  func remove(_ description: IndexDescription, from name: String) throws(StoreError) {
    var model = try entry(name)
    let properties = description.properties.compactMap { model.property(named: $0)?.id }
    guard properties.count == description.properties.count,
      model.indexes.contains(where: {
        $0.kind == .declared && $0.properties == properties && $0.isUnique == description.isUnique
      })
    else {
      throw StoreError(.invalidSchema, "\"\(name)\" has no such index")
    }
    var counters = try current().counters
    try removeIndexes(of: &model, &counters) {
      $0.kind == .declared && $0.properties == properties && $0.isUnique == description.isUnique
    }
    try store(model, addingReferenceIndexes: &counters)
  }

  /// Removes indexes from an entry that is not stored yet, and their entries.
  func removeIndexes(
    of model: inout CatalogueModel, _ counters: inout Catalogue.Counters,
    where isMeant: (CatalogueModel.Index) -> Bool
  ) throws(StoreError) {
    for index in model.indexes where isMeant(index) {
      let name = LMDBFormat.indexDatabase(index.id)
      try snapshot.empty(try snapshot.existing(name, of: model))
      counters.dropped.append(name)
      model.cut.remove(name)
    }
    model.indexes.removeAll(where: isMeant)
  }

  /// Stores an entry after giving each reference without an index one of its own.
  func store(
    _ model: CatalogueModel, addingReferenceIndexes counters: inout Catalogue.Counters
  ) throws(StoreError) {
    var model = model
    let before = Set(model.indexes.map(\.id))
    model.addReferenceIndexes(&counters)
    let new = model.indexes.map(\.id).filter { !before.contains($0) }
    for id in new { try snapshot.create(LMDBFormat.indexDatabase(id)) }
    try store(model, counters)
    try build(new, of: model.id)
  }

  /// Writes the entries of new indexes for the records that are there.
  private func build(_ indexes: [UInt32], of model: UInt32) throws(StoreError) {
    guard !indexes.isEmpty else { return }
    try forEachRecord(of: model) { writer throws(StoreError) in
      let built = writer.indexes.filter { indexes.contains($0.model.id) }
      for index in writer.indexes { index.isChanged = false }
      for index in built {
        index.isChanged = true
        index.entry.begin(writer.oldRow)
        if index.model.isUnique { try checkUnique(index, writer) }
        unsafe index.entry.finish(writer.key.bytes)
      }
      try noteCuts(writer)
      for index in built { try putEntry(index) }
    }
  }

  /// Reads every record of a model into the writer's old row, its key into the writer's key.
  func forEachRecord(of model: UInt32, _ body: (ModelWriter) throws(StoreError) -> Void)
    throws(StoreError)
  {
    let writer = try writer(model)
    let cursor = try snapshot.cursor(writer.records.database)
    defer { cursor.close() }
    var count = 0
    var isFound = try cursor.first()
    while isFound {
      count += 1
      if count % 1024 == 0, let limits, limits.mustStop() {
        throw limits.stopReason ?? StoreError(.cancelled, "the work was cancelled")
      }
      unsafe try writer.reader.readWhole(key: cursor.key, value: cursor.value, into: writer.oldRow)
      writer.key.truncate()
      unsafe writer.key.append(cursor.key)
      try body(writer)
      isFound = try cursor.next()
    }
  }

  // MARK: Names

  func propertyID(_ name: String, of model: CatalogueModel) throws(StoreError) -> UInt32 {
    if let property = model.property(named: name) { return property.id }
    let hint = closestMatch(name, in: model.properties.map(\.name))
    throw StoreError(
      .unknownProperty, "\"\(model.name)\" has no property \"\(name.prefix(80))\"",
      suggestion: hint.map { "did you mean \"\($0)\"?" })
  }

  private func checkName(_ name: String, among others: [String], _ kind: String)
    throws(StoreError)
  {
    try Schema.checkNames([name], of: kind)
    let folded = Schema.asciiFolded(name)
    guard !others.contains(where: { Schema.asciiFolded($0) == folded }) else {
      throw StoreError(
        .invalidSchema, "there is already a \(kind) \"\(name)\" (letter case does not count)",
        suggestion: "use another name")
    }
  }
}

extension CatalogueModel {
  /// Makes sure that there is a shape for records that are written from now on.
  mutating func addCurrentShape() {
    if currentShapeNumber == nil { shapes.append(currentShape) }
  }
}
