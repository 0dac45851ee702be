extension MigrationOperation {
  /// Reads the operation's conditions and expressions against the schema that they are about.
  func checkExpressions(from old: Schema, to new: Schema) throws(StoreError) {
    switch self {
    case .addProperty(let model, let property, let value?):
      try MigrationOperation.check(value, for: property, of: model, in: old)
    case .transform(let name, let condition, let values, _):
      guard let model = new.model(named: name) else { return }
      if let condition { try MigrationOperation.check(condition: condition, of: name, in: new) }
      for (property, text) in values.sorted(by: { $0.key < $1.key }) {
        guard let property = model.property(named: property) else { continue }
        try MigrationOperation.check(text, for: property, of: name, in: new)
      }
    case .delete(let model, let condition?, _, _):
      try MigrationOperation.check(condition: condition, of: model, in: new)
    case .assert(let assertion):
      switch assertion.expectation {
      case .count(let condition?, _, _), .every(let condition):
        try MigrationOperation.check(condition: condition, of: assertion.model, in: new)
      default: break
      }
    default: break
    }
  }

  private static func check(
    _ text: String, for property: PropertyDescription, of model: String, in schema: Schema
  ) throws(StoreError) {
    guard let description = schema.model(named: model) else { return }
    let expression = try MigrationExpression(text, of: ModelLayout(description))
    guard expression.fits(property) else {
      throw StoreError(
        .wrongType, "the expression for \"\(model)\".\"\(property.name)\" is of another type",
        found: expression.type?.rawValue, expected: property.type.rawValue,
        suggestion: "change the property's type with a conversion instead")
    }
  }

  private static func check(condition: String, of model: String, in schema: Schema)
    throws(StoreError)
  {
    _ = try MigrationOperation.query(condition, of: model, in: schema)
  }

  /// The checked query of a condition; all records without one.
  static func query(_ condition: String?, of model: String, in schema: Schema)
    throws(StoreError) -> BoundQuery
  {
    guard let description = schema.model(named: model) else {
      throw StoreError(.unknownModel, "there is no model \"\(model.prefix(80))\"")
    }
    let parsed = try condition.map { text throws(StoreError) in try Condition(parsing: text) }
    let layout = ModelLayout(description)
    return try Query(model, where: parsed ?? .always).bound(
      to: layout, in: ModelCatalogue(schema))
  }
}
