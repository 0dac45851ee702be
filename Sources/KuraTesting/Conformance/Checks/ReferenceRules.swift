import Kura

/// References point at records, and deleting follows their rules.
enum ReferenceRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("a reference to no record is refused, at once or at the commit", dangling),
    ConformanceRule("deny keeps a record that is referred to", deny),
    ConformanceRule("nullify clears the references", nullify),
    ConformanceRule("cascade deletes the referring records, and those that refer to them", cascade),
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
}
