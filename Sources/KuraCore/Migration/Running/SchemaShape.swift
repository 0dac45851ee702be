/// Compares what a file declares with the schema that it records.
package enum SchemaShape {
  /// Throws when a model's table or database is not there or has other properties.
  ///
  /// - Parameter isAfter: Whether the migration itself made the difference.
  static func check(
    _ stored: StoredSchema, _ schema: Schema, _ path: String?, isAfter: Bool = false
  ) throws(StoreError) {
    guard let what = difference(stored, schema) else { return }
    throw StoreError(
      isAfter ? .notConserved : .drifted,
      isAfter
        ? "the migration's SQL or a fault left the file in another shape than its operations say"
        : "the file was changed without its record of the schema",
      path: path, found: what, expected: "version \(schema.version)",
      suggestion: isAfter
        ? "let SQL leave the tables of models as they are"
        : "bring the tables back, or restore a backup")
  }

  /// The first difference, for people; `nil` when there is none.
  package static func difference(_ stored: StoredSchema, _ schema: Schema) -> String? {
    let models = Dictionary(
      stored.models.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for model in schema.models {
      guard let found = models[model.name] else { return "no model \(model.name)" }
      let columns = Dictionary(
        found.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      for property in model.properties {
        guard let column = columns[property.name] else {
          return "no property \(model.name).\(property.name)"
        }
        guard column.isOptional == property.isOptional || model.primaryKey.contains(property.name)
        else { return "\(model.name).\(property.name) is not as required as the schema says" }
      }
      if let extra = found.columns.first(where: { model.property(named: $0.name) == nil }) {
        return "a property \(model.name).\(extra.name)"
      }
      guard found.primaryKey == model.primaryKey else {
        return "another primary key of \(model.name)"
      }
    }
    return nil
  }
}
