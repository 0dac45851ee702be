package import Kura

/// A model with few indexes and few records, made of a seed: what comparing backends needs many of.
package struct GeneratedStore: Sendable {
  /// The model.
  package var model: ModelDescription
  /// Rows to insert in this order; some may repeat a key or break a unique index.
  package var rows: [[StoredValue]]

  /// The columns.
  package var layout: ModelLayout { ModelLayout(model) }

  /// Makes a store of parts.
  package init(model: ModelDescription, rows: [[StoredValue]]) {
    self.model = model
    self.rows = rows
  }

  /// Makes a random store.
  package init(_ random: inout RepeatableGenerator, largest: Int = 40) {
    let keyTypes: [ValueType] = [
      .integer, .text, .double, .date, .bool, .data, .uuid, .decimal, .objectID,
    ]
    let keyCount = [1, 1, 1, 2, 2, 3].randomElement(using: &random) ?? 1
    var properties = (0..<keyCount).map { number in
      PropertyDescription(
        "k\(number)", keyTypes.randomElement(using: &random) ?? .integer, isOptional: false)
    }
    let types: [ValueType] = [
      .integer, .integer, .text, .text, .double, .bool, .date, .decimal, .data, .any, .json,
      .objectID, .uuid,
    ]
    for number in 0..<Int.random(in: 2...5, using: &random) {
      properties.append(
        PropertyDescription(
          "c\(number)", types.randomElement(using: &random) ?? .integer,
          isOptional: Int.random(in: 0..<4, using: &random) > 0))
    }
    let keys = properties.prefix(keyCount).map(\.name).shuffled(using: &random)
    let indexable = properties.filter { $0.type != .any && $0.type != .json }.map(\.name)
    var indexes: [IndexDescription] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let count = Int.random(in: 1...min(3, indexable.count), using: &random)
      let index = IndexDescription(
        Array(indexable.shuffled(using: &random).prefix(count)),
        isUnique: Int.random(in: 0..<4, using: &random) == 0)
      if !indexes.contains(where: { $0.properties == index.properties }) { indexes.append(index) }
    }
    model = ModelDescription(
      "Item", primaryKey: keys, properties: properties.shuffled(using: &random), indexes: indexes)
    let hasLongTexts = Int.random(in: 0..<5, using: &random) == 0
    let described = model.properties
    rows = (0..<Int.random(in: 0...largest, using: &random)).map { _ in
      described.map { GeneratedStore.value(of: $0, isLong: hasLongTexts, &random) }
    }
  }

  /// A value of few, so that records meet each other and the conditions, with every edge among them.
  static func value(
    of property: PropertyDescription, isLong: Bool, _ random: inout RepeatableGenerator
  ) -> StoredValue {
    if property.isOptional, Int.random(in: 0..<4, using: &random) == 0 { return .null }
    if isLong, Bool.random(using: &random) {
      // Around the lengths at which keys are cut.
      let count = [470, 478, 479, 500, 520].randomElement(using: &random) ?? 479
      let text =
        String(repeating: "x", count: count)
        + (["a", "b", "ba", "\0", ""].randomElement(using: &random) ?? "")
      if property.type == .text { return .text(text) }
      if property.type == .data { return .data(Array(text.utf8)) }
    }
    if property.type == .integer, Bool.random(using: &random) {
      return .integer(Int64.random(in: -3...3, using: &random))
    }
    return SampleValues.edges(property.type).randomElement(using: &random) ?? .null
  }
}
