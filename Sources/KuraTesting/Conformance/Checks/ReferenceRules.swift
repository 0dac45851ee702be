import Kura

/// References point at records, and deleting follows their rules.
enum ReferenceRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("a reference to no record is refused, at once or at the commit", dangling),
    ConformanceRule("deny keeps a record that is referred to", deny),
    ConformanceRule("nullify clears the references", nullify),
    ConformanceRule("cascade deletes the referring records, and those that refer to them", cascade),
    ConformanceRule("a record may refer to itself, and be deleted then", ownReferences),
    ConformanceRule("a key that is referred to does not change", keysInUse),
  ]

  private static let owner = ModelDescription(
    "Owner", primaryKey: ["id"], properties: [PropertyDescription("id", .text)])
  private static let owners = ModelLayout(owner)

  private static func pet(_ rule: ReferenceDescription.DeleteRule) -> ModelDescription {
    ModelDescription(
      "Pet", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer),
        PropertyDescription(
          "owner", .text, isOptional: true,
          reference: ReferenceDescription(to: "Owner", onDelete: rule)),
      ])
  }

  private static func filled(_ rule: ReferenceDescription.DeleteRule, _ bench: ConformanceBench)
    throws -> (any StorageEngine, ModelLayout)
  {
    let pet = pet(rule)
    let pets = ModelLayout(pet)
    let toy = ModelDescription(
      "Toy", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer),
        PropertyDescription(
          "pet", .integer, reference: ReferenceDescription(to: "Pet", onDelete: .cascade)),
      ])
    let engine = try bench.make(owner, pet, toy)
    try bench.write(engine) { transaction in
      try transaction.put(owners, ["ann"])
      try transaction.put(owners, ["bob"])
      try transaction.put(pets, [1, "ann"])
      try transaction.put(pets, [2, "ann"])
      try transaction.put(pets, [3, "bob"])
      try transaction.put(pets, [4, .null])
      try transaction.put(ModelLayout(toy), [1, 1])
      try transaction.put(ModelLayout(toy), [2, 3])
    }
    return (engine, pets)
  }

  private static func dangling(_ bench: ConformanceBench) throws {
    let (engine, pets) = try filled(.deny, bench)
    try expectError(.brokenReference, of: "a reference to no record") {
      _ = try bench.write(engine) { try $0.put(pets, [9, "nobody"]) }
    }
    try expectEqual(
      try bench.read(engine) { try $0.count(BoundQuery(layout: pets)) }, 4, "the pets afterwards")
  }

  private static func deny(_ bench: ConformanceBench) throws {
    let (engine, pets) = try filled(.deny, bench)
    try expectError(.brokenReference, of: "deleting a record that is referred to") {
      try bench.write(engine) { _ = try $0.delete("ann", in: owners) }
    }
    try bench.write(engine) { transaction in
      try expectEqual(try transaction.count(BoundQuery(layout: owners)), 2, "the owners afterwards")
      _ = try transaction.delete(1, in: pets)
      _ = try transaction.delete(2, in: pets)
      try expect(try transaction.delete("ann", in: owners), "the free record was not deleted")
    }
  }

  private static func nullify(_ bench: ConformanceBench) throws {
    let (engine, pets) = try filled(.nullify, bench)
    try bench.write(engine) { try expect(try $0.delete("ann", in: owners), "nothing was deleted") }
    let rows = try bench.read(engine) {
      try $0.rows(BoundQuery(layout: pets, order: [BoundSortTerm(column: 0)]))
    }
    try expect(rows == [[1, .null], [2, .null], [3, "bob"], [4, .null]], "found \(rows)")
  }

  private static func cascade(_ bench: ConformanceBench) throws {
    let (engine, pets) = try filled(.cascade, bench)
    let toys = ModelLayout(
      name: "Toy",
      columns: [
        ModelLayout.Column(name: "id", type: .integer, isOptional: false),
        ModelLayout.Column(name: "pet", type: .integer, isOptional: false),
      ], keyColumns: [0], rowIDName: nil, isKuraModel: true)
    try bench.write(engine) { transaction in
      let query = BoundQuery(layout: owners, condition: .compareValue(column: 0, .equal, "ann"))
      try expectEqual(
        try transaction.delete(matching: query), 1, "deleted records without those of the rules")
      let rows = try transaction.rows(
        BoundQuery(layout: pets, order: [BoundSortTerm(column: 0)]))
      try expect(rows == [[3, "bob"], [4, .null]], "found \(rows)")
      try expect(
        try transaction.rows(BoundQuery(layout: toys)) == [[2, 3]], "a toy of a deleted pet is left"
      )
    }
  }

  /// A tree whose root is its own parent.
  private static func tree(
    _ rule: ReferenceDescription.DeleteRule, _ bench: ConformanceBench
  ) throws -> (any StorageEngine, ModelLayout) {
    let node = ModelDescription(
      "Node\(rule)", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .text),
        PropertyDescription(
          "parent", .text, isOptional: true,
          reference: ReferenceDescription(to: "Node\(rule)", onDelete: rule)),
      ])
    // Each rule has a model of its own, because all are in one file.
    let engine = try bench.open()
    let nodes = ModelLayout(node)
    try bench.write(engine) { transaction in
      try transaction.apply(.createModel(node))
      try transaction.put(nodes, ["root", "root"])
      try transaction.put(nodes, ["leaf", "leaf"])
      try transaction.put(nodes, ["twig", "root"])
    }
    return (engine, nodes)
  }

  private static func ownReferences(_ bench: ConformanceBench) throws {
    for rule in [ReferenceDescription.DeleteRule.deny, .nullify, .cascade] {
      let (engine, nodes) = try tree(rule, bench)
      try bench.write(engine) { transaction in
        try expect(try transaction.delete("leaf", in: nodes), "\(rule): it was not found")
        let row = RowBuffer(["stem", "stem"])
        try transaction.write(row, into: nodes, mode: .upsert)
        try expect(
          try transaction.update("stem", in: nodes, columns: [1], from: RowBuffer([.null, .null])),
          "\(rule): it was not found")
      }
      try bench.read(engine) { transaction in
        let rows = try transaction.rows(
          BoundQuery(layout: nodes, order: [BoundSortTerm(column: 0)]))
        try expect(
          rows == [["root", "root"], ["stem", .null], ["twig", "root"]], "\(rule): found \(rows)")
      }
      try engine.close()
    }
  }

  private static func keysInUse(_ bench: ConformanceBench) throws {
    let (engine, nodes) = try tree(.nullify, bench)
    func move(_ key: RecordKey, _ columns: [Int], _ values: [StoredValue]) throws {
      try bench.write(engine) { transaction in
        _ = try transaction.update(key, in: nodes, columns: columns, from: RowBuffer(values))
      }
    }
    try expectError(.brokenReference, of: "another key for a record that others refer to") {
      try move("root", [0], ["trunk", .null])
    }
    try expectError(.brokenReference, of: "another key for a record that refers to itself") {
      try move("leaf", [0], ["sheet", .null])
    }
    try move("leaf", [0, 1], ["sheet", "sheet"])
    try move("twig", [0], ["branch", .null])
    let rows = try bench.read(engine) {
      try $0.rows(BoundQuery(layout: nodes, order: [BoundSortTerm(column: 0)]))
    }
    try expect(
      rows == [["branch", "root"], ["root", "root"], ["sheet", "sheet"]], "found \(rows)")
  }
}
