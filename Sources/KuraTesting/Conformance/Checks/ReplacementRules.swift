import Kura

/// Models that are put in the place of others, and properties that change where they are.
enum ReplacementRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("a replacement takes the place of a model, and the references to it", replaced),
    ConformanceRule("a replacement with equal values of a unique index is refused", notUnique),
    ConformanceRule("a property becomes optional, required, and gets another default", described),
    ConformanceRule("a property becomes a reference and an ordinary one again", reference),
    ConformanceRule("a history keeps its entries in their order", history),
  ]

  private static let item = ModelDescription(
    "Item", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("name", .text),
      PropertyDescription("size", .double, isOptional: true),
    ], indexes: [IndexDescription(["name"], isUnique: true)])
  private static let part = ModelDescription(
    "Part", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer),
      PropertyDescription(
        "item", .integer, isOptional: true,
        reference: ReferenceDescription(to: "Item", onDelete: .cascade)),
    ])

  private static func filled(_ bench: ConformanceBench) throws -> any StorageEngine {
    let engine = try bench.make(item, part)
    try bench.write(engine) { transaction in
      try transaction.put(ModelLayout(item), [1, "axe", 1.5])
      try transaction.put(ModelLayout(item), [2, "bow", .null])
      try transaction.put(ModelLayout(part), [10, 1])
      try transaction.put(ModelLayout(part), [11, .null])
    }
    return engine
  }

  private static func replacement(_ names: [StoredValue], _ transaction: any EngineWriteTransaction)
    throws -> ModelDescription
  {
    var model = ModelDescription(
      "kura_new_Item", primaryKey: ["id"],
      properties: [PropertyDescription("id", .integer), PropertyDescription("label", .text)])
    try transaction.apply(.createReplacement(model))
    for (number, name) in names.enumerated() {
      try transaction.put(ModelLayout(model), [.integer(Int64(number) + 1), name])
    }
    try transaction.apply(
      .replaceModel(
        "Item", by: model.name, indexes: [IndexDescription(["label"], isUnique: true)]))
    model.name = "Item"
    model.indexes = [IndexDescription(["label"], isUnique: true)]
    try transaction.setSchema(try Schema(version: 2, [model, part]))
    return model
  }

  private static func replaced(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let model = try bench.write(engine) { try replacement(["AXE", "BOW"], $0) }
    let layout = ModelLayout(model)
    try bench.write(engine) { transaction in
      try expect(
        try transaction.rows(BoundQuery(layout: layout)) == [[1, "AXE"], [2, "BOW"]],
        "other records")
      try expectError(.notUnique, of: "an equal value of the new index") {
        try transaction.put(layout, [3, "BOW"])
      }
      try expectError(.brokenReference, of: "a reference to no record of the replacement") {
        try transaction.put(ModelLayout(part), [12, 9])
      }
      try transaction.put(ModelLayout(part), [13, 2])
      _ = try transaction.delete(1, in: layout)
      try expectEqual(
        try transaction.rows(BoundQuery(layout: ModelLayout(part))), [[11, .null], [13, 2]],
        "the records that refer to the replacement")
    }
    let names = try bench.read(engine) { try $0.storedSchema() }.models
      .filter { $0.kind != .system }.map(\.name).sorted()
    try expectEqual(names, ["Item", "Part"], "the models")
  }

  private static func notUnique(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.write(engine) { transaction in
      try transaction.beginSavepoint()
      try expectError(.notUnique, of: "equal values") {
        _ = try replacement(["same", "same"], transaction)
      }
      try transaction.rollBackToSavepoint()
      try expectEqual(
        try transaction.rows(BoundQuery(layout: ModelLayout(item))).count, 2, "the records")
    }
  }

  private static func described(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.write(engine) { transaction in
      try expectError(.missingValue, of: "a record without a value that becomes required") {
        try transaction.apply(
          .changeProperty(model: "Item", PropertyDescription("size", .double)))
      }
      var model = item
      model.properties[1] = PropertyDescription(
        "name", .text, isOptional: true, defaultValue: "none")
      try transaction.apply(.changeProperty(model: "Item", model.properties[1]))
      try transaction.setSchema(try Schema(version: 2, [model, part]))
      let layout = ModelLayout(model)
      try transaction.put(layout, [3, .null, .null])
      try expect(
        try transaction.rows(BoundQuery(layout: layout))
          == [[1, "axe", 1.5], [2, "bow", .null], [3, .null, .null]], "other records")
      try transaction.apply(
        .addProperty(model: "Item", PropertyDescription("note", .text, isOptional: true)))
      try expectError(.notUnique, of: "an equal value of the index that was there") {
        try transaction.put(layout, [4, "axe", .null])
      }
      _ = try transaction.delete(3, in: layout)
      try transaction.apply(.changeProperty(model: "Item", item.properties[1]))
      var noted = item
      noted.properties.append(PropertyDescription("note", .text, isOptional: true))
      try transaction.setSchema(try Schema(version: 3, [noted, part]))
      try expectError(.missingValue, of: "a null in what is required again") {
        try transaction.put(ModelLayout(item), [5, .null, .null])
      }
    }
  }

  private static func reference(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.write(engine) { transaction in
      let plain = PropertyDescription("item", .integer, isOptional: true)
      try transaction.apply(.changeProperty(model: "Part", plain))
      var free = part
      free.properties[1] = plain
      try transaction.put(ModelLayout(free), [12, 9])
      try expectError(.brokenReference, of: "a value that is no record's key") {
        try transaction.apply(.changeProperty(model: "Part", part.properties[1]))
      }
      _ = try transaction.delete(12, in: ModelLayout(free))
      try transaction.apply(.changeProperty(model: "Part", part.properties[1]))
      _ = try transaction.delete(1, in: ModelLayout(item))
      try expectEqual(
        try transaction.rows(BoundQuery(layout: ModelLayout(part))), [[11, .null]],
        "the records after their target was deleted")
    }
  }

  private static func history(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let entries = (1...3).map { number in
      HistoryEntry(
        id: "m\(number)", kind: "apply", from: number, to: number + 1,
        started: "2026-11-30 01:02:03.000000000", json: "{\"n\":\(number)}")
    }
    for entry in entries { try bench.write(engine) { try $0.appendHistory(entry) } }
    let lost = try engine.beginWrite(timeout: nil)
    try lost.appendHistory(entries[0])
    lost.end()
    try expectEqual(try bench.read(engine) { try $0.history() }, entries, "the history")
  }
}
