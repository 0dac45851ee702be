import Kura

/// Changes of the schema keep what they do not name, and fail without a trace.
enum SchemaRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("an added property has its default in the records that are there", added),
    ConformanceRule("an added property may have any value of its type as default", anyDefault),
    ConformanceRule("an added property without a value for the records is refused", unfilled),
    ConformanceRule("a removed property is gone, and its name is free again", removed),
    ConformanceRule("a renamed property keeps values, key and indexes", renamed),
    ConformanceRule("a renamed model keeps records and references", renamedModel),
    ConformanceRule("an index is made over the records that are there", indexed),
    ConformanceRule("a unique index is refused over equal values", notUnique),
    ConformanceRule("a removed index no longer refuses anything", unindexed),
    ConformanceRule("an added reference follows its rule", reference),
    ConformanceRule("changes of what is not there or is needed are refused", refusals),
    ConformanceRule("changes of the schema end with the transaction", rollBack),
  ]

  private static let item = ModelDescription(
    "Item", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("name", .text),
      PropertyDescription("size", .double, isOptional: true),
    ], indexes: [IndexDescription(["name"], isUnique: true)])
  private static let items = ModelLayout(item)

  private static func filled(_ bench: ConformanceBench) throws -> any StorageEngine {
    let engine = try bench.make(item)
    try bench.write(engine) { transaction in
      try transaction.put(items, [1, "axe", 1.5])
      try transaction.put(items, [2, "bow", .null])
    }
    return engine
  }

  /// Applies changes and records the schema that they lead to.
  private static func apply(
    _ changes: [SchemaChange], leadingTo models: ModelDescription..., in bench: ConformanceBench,
    _ engine: any StorageEngine
  ) throws {
    let schema = try Schema(version: 2, models)
    try bench.write(engine) { transaction in
      for change in changes { try transaction.apply(change) }
      try transaction.setSchema(schema)
    }
    let stored = try bench.read(engine) { try $0.storedSchema() }
    for model in models {
      let found = try stored.model(named: model.name).orFail("the model \(model.name)")
      try expectEqual(
        Set(found.columns.map(\.name)), Set(model.properties.map(\.name)),
        "the properties of \(model.name)")
    }
  }

  private static func rows(
    _ bench: ConformanceBench, _ engine: any StorageEngine, _ layout: ModelLayout
  ) throws -> [[StoredValue]] {
    try bench.read(engine) {
      try $0.rows(
        BoundQuery(layout: layout, order: layout.keyColumns.map { BoundSortTerm(column: $0) }))
    }
  }

  private static func anyDefault(_ bench: ConformanceBench) throws {
    let engine = try bench.open()
    for type in ValueType.allCases {
      let values = SampleValues.edges(type)
      var model = item
      model.name = "Item\(type)"
      try bench.write(engine) { transaction in
        try transaction.apply(.createModel(model))
        try transaction.put(ModelLayout(model), [1, "axe", .null])
        for (number, value) in values.enumerated() {
          let property = PropertyDescription("p\(number)", type, defaultValue: value)
          try transaction.apply(.addProperty(model: model.name, property))
          model.properties.append(property)
        }
        let row = try transaction.rows(BoundQuery(layout: ModelLayout(model))).first ?? []
        for (found, value) in zip(row.dropFirst(3), values) {
          try expect(
            SampleValues.isIdentical(found, value), "the default \(value) reads as \(found)")
        }
        try expectEqual(row.count, 3 + values.count, "the number of columns")
      }
    }
  }

  private static func added(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let properties: [PropertyDescription] = [
      PropertyDescription("note", .text, isOptional: true),
      PropertyDescription("count", .integer, defaultValue: 7),
      PropertyDescription("isNew", .bool, defaultValue: true),
      PropertyDescription("price", .double, isOptional: true, defaultValue: .double(-0.0)),
      PropertyDescription("code", .uuid, isOptional: true),
    ]
    var model = item
    model.properties += properties
    try apply(
      properties.map { .addProperty(model: "Item", $0) }, leadingTo: model, in: bench, engine)
    let layout = ModelLayout(model)
    let found = try rows(bench, engine, layout)
    try expect(
      found.count == 2 && found[0] == [1, "axe", 1.5, .null, 7, true, .double(0), .null]
        && SampleValues.isIdentical(found[0][6], .double(-0.0)), "found \(found)")
    try bench.write(engine) { transaction in
      try transaction.put(layout, [3, "cup", 2.5, "new", 1, false, .null, .null])
      _ = try transaction.update(
        1, in: layout, columns: [4], from: RowBuffer([1, "", .null, .null, 8, false, .null, .null]))
    }
    try expect(
      try rows(bench, engine, layout).map { Array($0[3...5]) }
        == [[.null, 8, true], [.null, 7, true], ["new", 1, false]],
      "an update of one property changed others, or old records read differently")
    try expectEqual(
      try bench.read(engine) {
        try $0.count(
          BoundQuery(layout: layout, condition: .compareValue(column: 4, .equal, 7)))
      }, 1, "records found by the default")
  }

  private static func unfilled(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.write(engine) { transaction in
      try expectError(.missingValue, of: "a required property without a default") {
        try transaction.apply(
          .addProperty(model: "Item", PropertyDescription("rank", .integer)))
      }
      _ = try transaction.delete(matching: BoundQuery(layout: items))
      try transaction.apply(.addProperty(model: "Item", PropertyDescription("rank", .integer)))
      var model = item
      model.properties.append(PropertyDescription("rank", .integer))
      try transaction.setSchema(try Schema(version: 2, [model]))
      try transaction.put(ModelLayout(model), [1, "axe", .null, 5])
      try expectError(.missingValue, of: "a null in the new property") {
        try transaction.put(ModelLayout(model), [2, "bow", .null, .null])
      }
    }
  }

  private static func removed(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    var model = item
    model.properties.removeLast()
    try apply([.removeProperty(model: "Item", "size")], leadingTo: model, in: bench, engine)
    try expect(
      try rows(bench, engine, ModelLayout(model)) == [[1, "axe"], [2, "bow"]], "other records")
    model.properties.append(PropertyDescription("size", .text, isOptional: true))
    try apply(
      [.addProperty(model: "Item", model.properties[2])], leadingTo: model, in: bench, engine)
    let layout = ModelLayout(model)
    try expect(
      try rows(bench, engine, layout) == [[1, "axe", .null], [2, "bow", .null]],
      "values of a removed property came back")
    try bench.write(engine) { try $0.put(layout, [1, "axe", "large"], .upsert) }
    try expect(
      try rows(bench, engine, layout) == [[1, "axe", "large"], [2, "bow", .null]],
      "the new property takes no value")
  }

  private static func renamed(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let model = ModelDescription(
      "Item", primaryKey: ["number"],
      properties: [
        PropertyDescription("number", .integer), PropertyDescription("label", .text),
        PropertyDescription("size", .double, isOptional: true),
      ], indexes: [IndexDescription(["label"], isUnique: true)])
    try apply(
      [
        .renameProperty(model: "Item", from: "id", to: "number"),
        .renameProperty(model: "Item", from: "name", to: "label"),
      ], leadingTo: model, in: bench, engine)
    let layout = ModelLayout(model)
    try expect(
      try rows(bench, engine, layout) == [[1, "axe", 1.5], [2, "bow", .null]], "other records")
    try bench.write(engine) { transaction in
      try expect(try transaction.row(2, layout)?[1] == "bow", "the key finds nothing")
      try expectError(.notUnique, of: "an equal value of the renamed property") {
        try transaction.put(layout, [3, "bow", .null])
      }
      // The old name is free for another property with an index of its own.
      try transaction.apply(
        .addProperty(model: "Item", PropertyDescription("name", .text, isOptional: true)))
      try transaction.apply(.addIndex(model: "Item", IndexDescription(["name"], isUnique: true)))
      var changed = model
      changed.properties.append(PropertyDescription("name", .text, isOptional: true))
      changed.indexes.append(IndexDescription(["name"], isUnique: true))
      try transaction.setSchema(try Schema(version: 3, [changed]))
      try transaction.put(ModelLayout(changed), [3, "cup", .null, "axe"])
    }
  }

  private static let owner = ModelDescription(
    "Owner", primaryKey: ["id"], properties: [PropertyDescription("id", .text)])

  private static func pet(of owner: String, _ rule: ReferenceDescription.DeleteRule)
    -> ModelDescription
  {
    ModelDescription(
      "Pet", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer),
        PropertyDescription(
          "owner", .text, isOptional: true,
          reference: ReferenceDescription(to: owner, onDelete: rule)),
      ])
  }

  private static func renamedModel(_ bench: ConformanceBench) throws {
    let pets = ModelLayout(pet(of: "Owner", .cascade))
    let engine = try bench.make(owner, pet(of: "Owner", .cascade))
    try bench.write(engine) { transaction in
      try transaction.put(ModelLayout(owner), ["ann"])
      try transaction.put(pets, [1, "ann"])
    }
    var person = owner
    person.name = "Person"
    try apply(
      [.renameModel(from: "Owner", to: "Person")], leadingTo: person,
      pet(of: "Person", .cascade), in: bench, engine)
    try bench.write(engine) { transaction in
      try expect(
        try transaction.row("ann", ModelLayout(person)) == ["ann"], "the record is gone")
      // The old name is free for another model.
      try transaction.apply(.createModel(owner))
      try transaction.apply(.dropModel("Owner"))
    }
    try expectError(.brokenReference, of: "a reference to no record of the renamed model") {
      _ = try bench.write(engine) { try $0.put(pets, [2, "bob"]) }
    }
    try bench.write(engine) { _ = try $0.delete("ann", in: ModelLayout(person)) }
    try expectEqual(try rows(bench, engine, pets), [], "records of the cascade")
  }

  private static func indexed(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    var model = item
    model.indexes += [
      IndexDescription(["size", "name"]), IndexDescription(["size"], isUnique: true),
    ]
    try apply(
      model.indexes.dropFirst().map { .addIndex(model: "Item", $0) }, leadingTo: model, in: bench,
      engine)
    try bench.write(engine) { transaction in
      try expectEqual(
        try transaction.count(
          BoundQuery(layout: items, condition: .compareValue(column: 2, .equal, 1.5))), 1,
        "records found by the new index")
      try expectError(.notUnique, of: "an equal value of the new unique index") {
        try transaction.put(items, [3, "cup", 1.5])
      }
      try transaction.put(items, [3, "cup", .null])
    }
  }

  private static func notUnique(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.write(engine) { transaction in
      try transaction.put(items, [3, "cup", 1.5])
      try expectError(.notUnique, of: "a unique index over equal values") {
        try transaction.apply(.addIndex(model: "Item", IndexDescription(["size"], isUnique: true)))
      }
      try transaction.put(items, [4, "dog", 1.5])
    }
    try expectEqual(try rows(bench, engine, items).count, 4, "the records")
  }

  private static func unindexed(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    var model = item
    model.indexes = []
    try apply(
      [.removeIndex(model: "Item", item.indexes[0])], leadingTo: model, in: bench, engine)
    try bench.write(engine) { try $0.put(items, [3, "bow", .null]) }
    try expectEqual(try rows(bench, engine, items).count, 3, "the records")
  }

  private static func reference(_ bench: ConformanceBench) throws {
    var plain = pet(of: "Owner", .nullify)
    plain.properties.removeLast()
    let engine = try bench.make(owner, plain)
    try bench.write(engine) { transaction in
      try transaction.put(ModelLayout(owner), ["ann"])
      try transaction.put(ModelLayout(plain), [1])
    }
    let full = pet(of: "Owner", .nullify)
    let pets = ModelLayout(full)
    try apply(
      [.addProperty(model: "Pet", full.properties[1])], leadingTo: owner, full, in: bench, engine)
    try expectError(.brokenReference, of: "a new reference to no record") {
      _ = try bench.write(engine) { try $0.put(pets, [2, "bob"]) }
    }
    try bench.write(engine) { try $0.put(pets, [2, "ann"]) }
    try bench.write(engine) { _ = try $0.delete("ann", in: ModelLayout(owner)) }
    try expect(
      try rows(bench, engine, pets) == [[1, .null], [2, .null]], "the reference was not cleared")
    try apply([.removeProperty(model: "Pet", "owner")], leadingTo: owner, plain, in: bench, engine)
    try expect(try rows(bench, engine, ModelLayout(plain)) == [[1], [2]], "other records")
  }

  private static func refusals(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let cases: [(SchemaChange, [StoreError.Code])] = [
      (.addProperty(model: "None", PropertyDescription("x", .text)), [.unknownModel]),
      (
        .addProperty(model: "Item", PropertyDescription("NAME", .text, isOptional: true)),
        [.invalidSchema, .invalidName]
      ),
      (.removeProperty(model: "Item", "none"), [.unknownProperty]),
      (.removeProperty(model: "Item", "id"), [.invalidSchema]),
      (.removeProperty(model: "Item", "name"), [.invalidSchema]),
      (.renameProperty(model: "Item", from: "none", to: "x"), [.unknownProperty]),
      (.renameProperty(model: "Item", from: "name", to: "size"), [.invalidSchema, .invalidName]),
      (.renameProperty(model: "Item", from: "name", to: ""), [.invalidName]),
      (.renameModel(from: "None", to: "Some"), [.unknownModel]),
      (.renameModel(from: "Item", to: "item2\u{7}"), [.invalidName]),
      (.addIndex(model: "Item", IndexDescription(["none"])), [.unknownProperty]),
      (.addIndex(model: "Item", item.indexes[0]), [.invalidSchema]),
      (.removeIndex(model: "Item", IndexDescription(["size"])), [.invalidSchema]),
      (.removeIndex(model: "Item", IndexDescription(["name"])), [.invalidSchema]),
    ]
    try bench.write(engine) { transaction in
      for (change, codes) in cases {
        do {
          try transaction.apply(change)
        } catch let error as StoreError {
          try expect(codes.contains(error.code), "\(change) threw \(error.code) (\(error))")
          continue
        }
        throw ConformanceFailure("\(change) threw nothing")
      }
      try transaction.put(items, [3, "cup", .null])
    }
    try expectEqual(try rows(bench, engine, items).count, 3, "the records")
  }

  private static func rollBack(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let lost = try engine.beginWrite(timeout: nil)
    try lost.apply(.renameModel(from: "Item", to: "Thing"))
    try lost.apply(.removeIndex(model: "Thing", item.indexes[0]))
    try lost.apply(.renameProperty(model: "Thing", from: "name", to: "label"))
    lost.end()
    try bench.write(engine) { transaction in
      try transaction.beginSavepoint()
      try transaction.apply(
        .addProperty(model: "Item", PropertyDescription("x", .text, isOptional: true)))
      try transaction.rollBackToSavepoint()
      try expectError(.notUnique, of: "an equal value after the roll-back") {
        try transaction.put(items, [3, "axe", .null])
      }
    }
    try expect(
      try rows(bench, engine, items) == [[1, "axe", 1.5], [2, "bow", .null]], "other records")
  }
}
