import KuraCore

/// The example of docs/file-formats.md.
enum Dogs {
  static let model = ModelDescription(
    "Dog", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("name", .text),
      PropertyDescription("age", .integer),
      PropertyDescription("weight", .double, isOptional: true),
      PropertyDescription("owner", .integer, isOptional: true),
    ], indexes: [IndexDescription(["age"])])
  static let layout = ModelLayout(model)
  static let rex: [StoredValue] = [42, "Rex", 3, 1.5, .null]
}

extension ModelDescription {
  /// The model with an index more.
  func adding(_ index: [String]) -> ModelDescription {
    var copy = self
    copy.indexes.append(IndexDescription(index))
    return copy
  }
}
