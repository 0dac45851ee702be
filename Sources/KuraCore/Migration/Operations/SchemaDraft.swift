/// A schema in the making, which need not be consistent until it is finished.
struct SchemaDraft {
  let version: Int
  var models: [ModelDescription]

  init(_ schema: Schema) {
    version = schema.version
    models = schema.models
  }

  /// The checked schema.
  func finished(version: Int? = nil) throws(StoreError) -> Schema {
    try Schema(version: version ?? self.version, models)
  }

  /// The place of a model.
  func place(of name: String) throws(StoreError) -> Int {
    if let place = models.firstIndex(where: { $0.name == name }) { return place }
    let hint = closestMatch(name, in: models.map(\.name))
    throw StoreError(
      .unknownModel, "there is no model \"\(name.prefix(80))\"",
      suggestion: hint.map { "did you mean \"\($0)\"?" })
  }

  func model(_ name: String) throws(StoreError) -> ModelDescription {
    models[try place(of: name)]
  }

  /// Changes a model.
  mutating func change(
    _ name: String, _ body: (inout ModelDescription) throws(StoreError) -> Void
  ) throws(StoreError) {
    let place = try place(of: name)
    try body(&models[place])
  }

  /// Throws when there is a model of a name.
  func checkFree(_ name: String) throws(StoreError) {
    let folded = Schema.asciiFolded(name)
    guard let other = models.first(where: { Schema.asciiFolded($0.name) == folded }) else { return }
    throw StoreError(
      .invalidSchema, "there is already a model \"\(other.name)\"",
      suggestion: "use another name, or change the model that is there")
  }
}

extension ModelDescription {
  /// The place of a property.
  func place(of property: String) throws(StoreError) -> Int {
    if let place = properties.firstIndex(where: { $0.name == property }) { return place }
    let hint = closestMatch(property, in: properties.map(\.name))
    throw StoreError(
      .unknownProperty, "\"\(name)\" has no property \"\(property.prefix(80))\"",
      suggestion: hint.map { "did you mean \"\($0)\"?" })
  }

  /// Throws when there is a property of a name.
  func checkFree(_ property: String) throws(StoreError) {
    let folded = Schema.asciiFolded(property)
    guard let other = properties.first(where: { Schema.asciiFolded($0.name) == folded }) else {
      return
    }
    throw StoreError(
      .invalidSchema, "\"\(name)\" has already a property \"\(other.name)\"",
      suggestion: "use another name, or change the property that is there")
  }

  /// Gives a property another name in keys and indexes as well.
  mutating func rename(_ old: String, to new: String) throws(StoreError) {
    let place = try place(of: old)
    if Schema.asciiFolded(old) != Schema.asciiFolded(new) { try checkFree(new) }
    properties[place].name = new
    primaryKey = primaryKey.map { $0 == old ? new : $0 }
    for index in indexes.indices {
      indexes[index].properties = indexes[index].properties.map { $0 == old ? new : $0 }
    }
  }

  /// The model whose records own the lists that this model keeps, if it keeps lists.
  var listOwner: String? {
    list == nil ? nil : property(named: ListDescription.owner)?.reference?.target
  }
}
