import Kura

/// What a write transaction changes is noted record by record, on every path that writes.
enum ChangeRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("inserted records are noted", insertions),
    ConformanceRule("an upsert is an insertion, a modification or nothing", upserts),
    ConformanceRule("an update notes the properties whose values differ", updates),
    ConformanceRule("an update by query notes the records that differ", bulkUpdates),
    ConformanceRule("a record that gets another key goes and comes", keyChanges),
    ConformanceRule("deleted records are noted", deletions),
    ConformanceRule("what delete rules do is noted", deleteRules),
    ConformanceRule("keys of all types are noted as reading gives them", keyTypes),
    ConformanceRule("several changes of a record are one", merged),
    ConformanceRule("what a savepoint undoes is not noted", savepoints),
    ConformanceRule("a call that fails notes nothing", failures),
    ConformanceRule("more changes than are counted are all of them", limits),
    ConformanceRule("models that nobody observes are not noted", unobserved),
    ConformanceRule("a change of the schema changes every record that it may", schemaChanges),
    ConformanceRule("properties have the places of the recorded description", places),
  ]

  // MARK: Single records

  private static func insertions(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine) { transaction in
      try transaction.put(pets, [.null, "five", .null, .null, .null])
      try transaction.put(pets, [-7, "minus", .null, "bob", 5])
      try transaction.put(owners, ["cec", .double(-0.0)])
      try transaction.put(toys, [2, 0, 1, "z"])
      try transaction.setMetadata("a name", "a value")
    }
    try expectChanges(
      set, ["Pet": [5: .new, -7: .new], "Owner": ["cec": .new], "Toy": [pair(2, 0): .new]],
      "insertions")
    try expectChanges(try changes(engine) { _ in }, [:], "nothing")
  }

  private static func upserts(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine) { transaction in
      try transaction.put(pets, [9, "nine", 90, .null, .null], .upsert)
      try transaction.put(pets, [1, "uno", 10, "bob", .null], .upsert)
      try transaction.put(pets, [2, "two", 20, "ann", 1], .upsert)
      try transaction.put(owners, ["ann", .double(1)], .upsert)
      try transaction.put(owners, ["bob", .null], .upsert)
      try transaction.put(toys, [1, 1, 2, "other"], .upsert)
    }
    try expectChanges(
      set,
      [
        "Pet": [9: .new, 1: .changed([1, 3])], "Owner": ["ann": .changed([1])],
        "Toy": [pair(1, 1): .changed([3])],
      ], "upserts")
  }

  private static func updates(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine) { transaction in
      let row = RowBuffer([.null, "uno", .null, "ann", .null])
      try expect(
        try transaction.update(1, in: pets, columns: [1, 2, 3, 4], from: row), "not found")
      try expect(try transaction.update(2, in: pets, columns: [3], from: row), "not found")
      try expect(try transaction.update(3, in: pets, columns: [], from: row), "not found")
      try expect(!(try transaction.update(99, in: pets, columns: [1], from: row)), "found")
      let value = RowBuffer([.null, .null, .null, "new"])
      _ = try transaction.update(pair(3, 0), in: toys, columns: [3], from: value)
      _ = try transaction.update("bob", in: owners, columns: [1], from: RowBuffer([.null, .null]))
    }
    try expectChanges(
      set, ["Pet": [1: .changed([1, 2])], "Toy": [pair(3, 0): .changed([3])]], "updates")
  }

  private static func bulkUpdates(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine) { transaction in
      let query = BoundQuery(layout: pets, condition: .compareValue(column: 0, .less, 4))
      try expectEqual(
        try transaction.update(
          matching: query, columns: [1, 3], from: RowBuffer([.null, "two", .null, "bob", .null])),
        3, "updated records")
    }
    try expectChanges(
      set, ["Pet": [1: .changed([1, 3]), 2: .changed([3]), 3: .changed([1])]], "an update by query")
  }

  private static func keyChanges(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine) { transaction in
      let row = RowBuffer([7, "seven", .null, .null, .null])
      _ = try transaction.update(2, in: pets, columns: [0, 1], from: row)
      _ = try transaction.update(
        pair(1, 2), in: toys, columns: [1], from: RowBuffer([.null, 8, .null, .null]))
    }
    try expectChanges(
      set, ["Pet": [2: .gone, 7: .new], "Toy": [pair(1, 2): .gone, pair(1, 8): .new]], "moves")
  }

  private static func keyTypes(_ bench: ConformanceBench) throws {
    for type: ValueType in [.text, .data, .double, .decimal, .date, .uuid, .objectID, .bool] {
      let model = ModelDescription(
        "Key_\(type.rawValue)", primaryKey: ["number", "key"],
        properties: [
          PropertyDescription("value", .integer), PropertyDescription("key", type),
          PropertyDescription("number", .integer),
        ])
      let layout = ModelLayout(model)
      let engine = try bench.open(
        at: bench.place == .memory ? nil : .file(bench.folder + "/\(type.rawValue).db"))
      try bench.write(engine) { transaction in
        try transaction.apply(.createModel(model))
        try transaction.setSchema(try Schema(version: 1, [model]))
      }
      var values = SampleValues.edges(type)
      if type == .text { values.append(.text(String(repeating: "long", count: 400))) }
      var expected: [RecordKey: Expected] = [:]
      let set = try changes(engine) { transaction in
        for (number, value) in values.enumerated() {
          try transaction.put(layout, [0, value, .integer(Int64(number))])
        }
      }
      try bench.read(engine) { transaction in
        for row in try transaction.rows(BoundQuery(layout: layout)) {
          expected[pair(row[2], row[1])] = .new
        }
      }
      try expectEqual(expected.count, values.count, "the records of \(type)")
      try expectChanges(set, [model.name: expected], "new keys of \(type)")
      let gone = try changes(engine) { _ = try $0.delete(matching: BoundQuery(layout: layout)) }
      try expectChanges(
        gone, [model.name: expected.mapValues { _ in .gone }], "deleted keys of \(type)")
    }
  }

  // MARK: Deleting

  private static func deletions(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine) { transaction in
      try expect(try transaction.delete(pair(1, 0), in: toys), "not found")
      try expect(!(try transaction.delete(pair(1, 0), in: toys)), "found twice")
      let query = BoundQuery(layout: toys, condition: .compareValue(column: 1, .greater, 1))
      try expectEqual(try transaction.delete(matching: query), 1, "deleted by a query")
    }
    try expectChanges(set, ["Toy": [pair(1, 0): .gone, pair(1, 2): .gone]], "deletions")
    let several = try changes(engine) { transaction in
      _ = try transaction.delete([(tags, 1), (pets, 4), (owners, "nobody"), (toys, pair(3, 0))])
    }
    try expectChanges(
      several, ["Tag": [1: .gone], "Pet": [4: .gone], "Toy": [pair(3, 0): .gone]], "several")
    // A statement without a condition, for which engines have shortcuts; twice, because statements
    // are kept, and one was made before anybody observed.
    for round in 0..<2 {
      let rows: [[StoredValue]] = [[2, 5, 1, "a"], [2, 6, 2, "b"]]
      if round == 1 {
        try bench.write(engine) { _ = try $0.delete(matching: BoundQuery(layout: toys)) }
      } else {
        try bench.write(engine) { _ = try $0.delete(pair(1, 1), in: toys) }
      }
      try bench.write(engine) { for row in rows { try $0.put(toys, row) } }
      let all = try changes(engine) { transaction in
        try expectEqual(try transaction.delete(matching: BoundQuery(layout: toys)), 2, "all")
      }
      try expectChanges(all, ["Toy": [pair(2, 5): .gone, pair(2, 6): .gone]], "all records")
    }
  }

  private static func deleteRules(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine) { _ = try $0.delete("ann", in: owners) }
    try expectChanges(
      set,
      [
        "Owner": ["ann": .gone], "Pet": [1: .gone, 2: .gone, 3: .changed([4])],
        "Toy": [pair(1, 0): .gone, pair(1, 1): .gone, pair(1, 2): .gone],
      ], "a cascade")
    let query = BoundQuery(layout: owners)
    let rest = try changes(engine) { _ = try $0.delete(matching: query) }
    try expectChanges(
      rest, ["Owner": ["bob": .gone], "Pet": [3: .gone], "Toy": [pair(3, 0): .gone]],
      "a cascade by a query")
  }

  // MARK: Several changes

  private static func merged(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine) { transaction in
      let row = RowBuffer([.null, "name", 5, .null, .null])
      // Made and changed; made and deleted; changed twice; changed and deleted; deleted and made.
      try transaction.put(pets, [11, "x", .null, .null, .null])
      _ = try transaction.update(11, in: pets, columns: [1], from: row)
      try transaction.put(pets, [12, "x", .null, .null, .null])
      _ = try transaction.delete(12, in: pets)
      _ = try transaction.update(1, in: pets, columns: [1], from: row)
      _ = try transaction.update(1, in: pets, columns: [2], from: row)
      _ = try transaction.update(3, in: pets, columns: [1], from: row)
      _ = try transaction.delete(3, in: pets)
      _ = try transaction.delete(2, in: pets)
      try transaction.put(pets, [2, "two", 20, "ann", 1])
    }
    try expectChanges(
      set,
      [
        "Pet": [11: .new, 1: .changed([1, 2]), 3: .gone, 2: .changedAnyhow],
        "Toy": [pair(3, 0): .gone],
      ], "changes of the same records")
  }

  private static func savepoints(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine) { transaction in
      try transaction.put(pets, [11, "before", .null, .null, .null])
      try transaction.beginSavepoint()
      try transaction.put(pets, [12, "inside", .null, .null, .null])
      try transaction.beginSavepoint()
      _ = try transaction.delete("ann", in: owners)
      try transaction.rollBackToSavepoint()
      try transaction.put(owners, ["cec", .null])
      try transaction.beginSavepoint()
      try transaction.put(owners, ["dan", .null])
      try transaction.releaseSavepoint()
      try transaction.rollBackToSavepoint()
      try transaction.beginSavepoint()
      try transaction.put(pets, [13, "kept", .null, .null, .null])
      try transaction.releaseSavepoint()
    }
    try expectChanges(set, ["Pet": [11: .new, 13: .new]], "savepoints")
  }

  private static func failures(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine) { transaction in
      let row = RowBuffer([.null, "name", 77, .null, .null])
      let query = BoundQuery(layout: pets)
      try expectError(.notUnique, of: "an update that fails at its second record") {
        _ = try transaction.update(matching: query, columns: [1, 2], from: row)
      }
      try expectError(.duplicateKey, of: "a second record of a key") {
        try transaction.put(pets, [1, "again", .null, .null, .null])
      }
      try expectError(.duplicateKey, of: "a second record of a key") {
        try transaction.put(toys, [1, 1, 1, "again"])
      }
      try expectError(.duplicateKey, of: "a second record of a key without indexes") {
        try transaction.put(owners, ["ann", .null])
      }
      try expectError(.brokenReference, of: "deleting what is referred to") {
        _ = try transaction.delete(4, in: pets)
      }
      try expectError(.brokenReference, of: "deleting what is referred to, by a query") {
        _ = try transaction.delete(matching: query)
      }
      try expectError(.brokenReference, of: "a reference to nothing") {
        try transaction.put(pets, [20, "lost", .null, "nobody", .null])
      }
      try expectError(.notUnique, of: "an upsert") {
        try transaction.put(pets, [1, "again", 20, .null, .null], .upsert)
      }
      _ = try transaction.update(1, in: pets, columns: [2], from: row)
    }
    try expectChanges(set, ["Pet": [1: .changed([2])]], "calls that fail")
  }

  private static func limits(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    for (count, expected) in [(5, false), (6, true)] {
      let set = try changes(engine, limit: 5) { transaction in
        for number in 0..<count {
          try transaction.put(owners, [.text("\(count) \(number)"), .null])
        }
        if expected { _ = try transaction.delete("6 0", in: owners) }
        _ = try transaction.delete(pair(3, 0), in: toys)
        try transaction.put(toys, [3, 0, 1, "y"])
      }
      let changed: [String: [RecordKey: Expected]?] = ["Toy": [pair(3, 0): .changedAnyhow]]
      if expected {
        try expectChanges(
          set, changed.merging(["Owner": nil]) { $1 }, "one more than are counted")
      } else {
        let new = (0..<count).map { (RecordKey(.text("\(count) \($0)")), Expected.new) }
        let owners: [RecordKey: Expected]? = Dictionary(uniqueKeysWithValues: new)
        try expectChanges(
          set, changed.merging(["Owner": owners]) { $1 }, "as many as are counted")
      }
    }
  }

  private static func unobserved(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let set = try changes(engine, in: ["Toy", "Ghost"]) { transaction in
      _ = try transaction.delete("ann", in: owners)
      try transaction.put(pets, [9, "nine", .null, .null, .null])
    }
    try expectChanges(
      set, ["Toy": [pair(1, 0): .gone, pair(1, 1): .gone, pair(1, 2): .gone]], "one model's changes"
    )
  }

  // MARK: The schema

  private static func schemaChanges(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let new = ModelDescription(
      "New", primaryKey: ["id"],
      properties: [PropertyDescription("id", .integer), PropertyDescription("a", .text)])
    let made = try changes(engine) { transaction in
      try transaction.apply(.createModel(new))
      try transaction.apply(.addIndex(model: "Owner", IndexDescription(["id"])))
      try transaction.put(ModelLayout(new), [1, "a"])
      try transaction.put(owners, ["cec", .null])
    }
    try expectChanges(made, ["New": [1: .new], "Owner": ["cec": .new]], "a new model")
    let later = PropertyDescription("b", .integer, isOptional: true, defaultValue: 5)
    let renamed = try changes(engine) { transaction in
      try transaction.apply(.addProperty(model: "Owner", later))
      try transaction.apply(.renameModel(from: "New", to: "Newer"))
      try transaction.apply(.dropModel("Tag"))
      _ = try transaction.delete(pair(3, 0), in: toys)
      let newer = ModelDescription("Newer", primaryKey: ["id"], properties: new.properties)
      let longer = ModelDescription(
        "Owner", primaryKey: ["id"], properties: owner.properties + [later],
        indexes: [IndexDescription(["id"])])
      try transaction.setSchema(try Schema(version: 2, [longer, pet, toy, newer]))
    }
    try expectChanges(
      renamed,
      ["Owner": nil, "New": nil, "Newer": nil, "Tag": nil, "Toy": [pair(3, 0): .gone]],
      "changes of the schema")
  }

  /// A property that was added later stands in the middle of the description.
  private static func places(_ bench: ConformanceBench) throws {
    let first = ModelDescription(
      "Note", primaryKey: ["key"],
      properties: [
        PropertyDescription("text", .text), PropertyDescription("key", .text),
        PropertyDescription("last", .integer, isOptional: true),
      ])
    let size = PropertyDescription("size", .integer, isOptional: true, defaultValue: 5)
    let second = ModelDescription(
      "Note", primaryKey: ["key"],
      properties: [first.properties[0], size] + first.properties.dropFirst())
    let engine = try bench.make(first)
    try bench.write(engine) { transaction in
      for key: StoredValue in ["a", "b", "c"] {
        try transaction.put(ModelLayout(first), ["text", key, .null])
      }
      try transaction.apply(.addProperty(model: "Note", size))
      try transaction.setSchema(try Schema(version: 2, [second]))
    }
    let layout = ModelLayout(second)
    let set = try changes(engine) { transaction in
      let row = RowBuffer(["text", .null, .null, 3])
      _ = try transaction.update("a", in: layout, columns: [0, 3], from: row)
      _ = try transaction.update("b", in: layout, columns: [1], from: row)
      try transaction.put(layout, ["text", 5, "c", .null], .upsert)
    }
    try expectChanges(
      set, ["Note": ["a": .changed([3]), "b": .changed([1])]], "a property in the middle")
  }
}
