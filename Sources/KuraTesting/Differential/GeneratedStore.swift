package import Kura

/// A model with few indexes and few records, made of a seed: what comparing backends needs many of.
package struct GeneratedStore: Sendable {
  /// The model at first.
  package var model: ModelDescription
  /// Rows to insert in this order; some may repeat a key or break a unique index.
  package var rows: [[StoredValue]]
  /// What is done then.
  package var steps: [Step] = []
  /// Whether queries run inside the transaction of the last changes.
  package var isQueriedBeforeCommit = false
  /// Rows of the last model, from which conditions take values.
  var samples: [[StoredValue]]
  /// Whether many texts and data are about as long as keys can be.
  let hasLongValues: Bool

  /// The columns that queries have.
  package var layout: ModelLayout { ModelLayout(finalModel) }

  /// Makes a store of parts.
  package init(model: ModelDescription, rows: [[StoredValue]], steps: [Step] = []) {
    self.model = model
    self.rows = rows
    self.steps = steps
    samples = rows
    hasLongValues = false
  }

  /// Makes a random store.
  ///
  /// - Parameter hasSteps: Whether something may be done after the first rows.
  package init(_ random: inout RepeatableGenerator, largest: Int = 40, hasSteps: Bool = true) {
    let keyTypes: [ValueType] = [
      .integer, .text, .double, .date, .bool, .data, .uuid, .decimal, .objectID,
    ]
    let keyCount = [1, 1, 1, 2, 2, 3].randomElement(using: &random) ?? 1
    var properties = (0..<keyCount).map { number in
      PropertyDescription(
        "k\(number)", keyTypes.randomElement(using: &random) ?? .integer, isOptional: false)
    }
    for number in 0..<Int.random(in: 2...5, using: &random) {
      properties.append(GeneratedStore.property("c\(number)", &random))
    }
    if keyCount == 1, Int.random(in: 0..<4, using: &random) == 0 {
      // Other rules than that of nullifying make what is deleted by a query depend on the order.
      properties.append(
        PropertyDescription(
          "r", properties[0].type, isOptional: true,
          reference: ReferenceDescription(to: "Item", onDelete: .nullify)))
    }
    let keys = properties.prefix(keyCount).map(\.name).shuffled(using: &random)
    var indexes: [IndexDescription] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let index = GeneratedStore.index(over: properties, &random)
      if !indexes.contains(where: { $0.properties == index.properties }) { indexes.append(index) }
    }
    model = ModelDescription(
      "Item", primaryKey: keys, properties: properties.shuffled(using: &random), indexes: indexes)
    let isLong = Int.random(in: 0..<5, using: &random) == 0
    hasLongValues = isLong
    let described = model.properties
    rows = (0..<Int.random(in: 0...largest, using: &random)).map { _ in
      described.map { GeneratedStore.value(of: $0, isLong: isLong, &random) }
    }
    samples = rows
    if hasSteps { addSteps(&random) }
  }

  /// A property of any type.
  static func property(_ name: String, _ random: inout RepeatableGenerator) -> PropertyDescription {
    let types: [ValueType] = [
      .integer, .integer, .text, .text, .double, .bool, .date, .decimal, .data, .any, .json,
      .objectID, .uuid,
    ]
    return PropertyDescription(
      name, types.randomElement(using: &random) ?? .integer,
      isOptional: Int.random(in: 0..<4, using: &random) > 0)
  }

  /// An index of one to three properties that an index may have.
  static func index(
    over properties: [PropertyDescription], _ random: inout RepeatableGenerator
  ) -> IndexDescription {
    let names = properties.filter { $0.type != .any && $0.type != .json }.map(\.name)
    let count = Int.random(in: 1...max(1, min(3, names.count)), using: &random)
    return IndexDescription(
      Array(names.shuffled(using: &random).prefix(count)),
      isUnique: Int.random(in: 0..<4, using: &random) == 0)
  }

  /// A value of few, so that records meet each other and the conditions, with every edge among them.
  static func value(
    of property: PropertyDescription, isLong: Bool, _ random: inout RepeatableGenerator
  ) -> StoredValue {
    if property.isOptional, Int.random(in: 0..<4, using: &random) == 0 { return .null }
    if isLong, Bool.random(using: &random) {
      // Around the lengths at which keys are cut.
      let count = [251, 470, 478, 479, 500, 520].randomElement(using: &random) ?? 479
      let text =
        String(repeating: "x", count: count)
        + (["a", "b", "ba", "\0", ""].randomElement(using: &random) ?? "")
      if property.type == .text || property.type == .json { return .text(text) }
      if property.type == .data { return .data(Array(text.utf8)) }
      if property.type == .any, Bool.random(using: &random) { return .text(text) }
    }
    if property.type == .integer, Bool.random(using: &random) {
      return .integer(Int64.random(in: -3...3, using: &random))
    }
    if Int.random(in: 0..<12, using: &random) == 0 {
      return SampleValues.random(property.type, using: &random)
    }
    return SampleValues.edges(property.type).randomElement(using: &random) ?? .null
  }
}
