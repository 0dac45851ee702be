import Kura
import Testing

/// What `RelationDifferential` found once, in its smallest form, with the right answer worked out by
/// hand: every backend must give it.
@Suite struct FoundRelationTests {
  /// Boat 1 has no port; that of boat 2 has boat 1 in its list, that of boat 3 none.
  private func store(_ format: StoreFormat) throws -> Store {
    let store = try Store.open(
      StoreConfiguration(at: .memory, schema: try Harbour.schema(), format: format))
    let sailors = [
      Sailor(id: 1, name: "a", rank: 2), Sailor(id: 2, name: "b", rank: 9, mate: Reference(1)),
      Sailor(id: 3, name: "c", rank: .max),
    ]
    let first = Boat(id: 1, length: 1, draft: 5, crew: [])
    try store.write { transaction in
      try transaction.insert(contentsOf: sailors)
      try transaction.insert(first)
      try transaction.insert(Port(id: "x", name: "x", boats: ReferenceList([first])))
      try transaction.insert(Port(id: "y", name: "y", boats: []))
      try transaction.insert(
        Boat(id: 2, length: 1, draft: 5, port: Reference("x"), crew: []))
      try transaction.insert(
        Boat(id: 3, length: 1, draft: 5, port: Reference("y"), crew: []))
    }
    return store
  }

  private func keys(_ text: String, _ format: StoreFormat) throws -> [StoredValue] {
    try store(format).read { transaction in
      try transaction.records(try Query(parsing: text)).compactMap { $0["id"] }
    }
  }

  @Test(
    arguments: ModelTests.formats,
    [
      ("ANY port.boats.draft > 0", [2]), ("NONE port.boats.draft > 0", [1, 3]),
      ("NOT ANY port.boats.draft > 0", [1, 3]), ("ALL port.boats.draft > 100", [1, 3]),
      ("port.boats.@count != 1", [1, 3]), ("port.boats.@count == 0", [3]),
      ("port.boats.@count < 1", [3]), ("NOT port.boats.@count == 0", [1, 2]),
    ] as [(String, [StoredValue])])
  func `a list behind a reference to nothing has no records`(
    format: StoreFormat, found: (text: String, keys: [StoredValue])
  ) throws {
    #expect(try keys("Boat WHERE \(found.text)", format) == found.keys)
  }

  @Test(arguments: ModelTests.formats)
  func `a number computed beforehand is no missing value`(format: StoreFormat) throws {
    #expect(try keys("Sailor WHERE mate.rank == 1 + 1", format) == [2])
    #expect(try keys("Sailor WHERE mate.rank != 1 + 2", format) == [1, 2, 3])
    let sum = Condition.Operand.arithmetic(.value(1), .add, .value(1))
    let query = Query(
      "Sailor", where: .comparison(.property(PropertyPath(["mate", "rank"])), .equal, sum))
    let found = try store(format).read { try $0.records(query).compactMap { $0["id"] } }
    #expect(found == [2])
  }

  @Test(arguments: ModelTests.formats)
  func `a quantifier may stand before a value`(format: StoreFormat) throws {
    #expect(try keys("Boat WHERE ANY 0 < port.boats.draft", format) == [2])
    #expect(try keys("Boat WHERE NONE (port.boats.draft + 1) == 6", format) == [1, 3])
  }

  @Test(arguments: ModelTests.formats)
  func `a record that denies another one's deletion may go before it`(format: StoreFormat) throws {
    let owner = PropertyDescription(
      "owner", .integer, isOptional: true,
      reference: ReferenceDescription(to: "a", onDelete: .cascade))
    let other = PropertyDescription(
      "other", .integer, isOptional: true, reference: ReferenceDescription(to: "p", onDelete: .deny)
    )
    let id = PropertyDescription("id", .integer)
    let schema = try Schema(
      version: 1,
      [
        ModelDescription("a", primaryKey: ["id"], properties: [id]),
        ModelDescription("p", primaryKey: ["id"], properties: [id, owner, other]),
      ])
    let store = try Store.open(
      StoreConfiguration(at: .memory, schema: schema, format: format))
    try store.write { transaction in
      try transaction.insert("a", ["id": 1])
      try transaction.insert("p", ["id": 2, "owner": 1])
      try transaction.insert("p", ["id": 1, "owner": 1, "other": 2])
      #expect(try transaction.delete("a", key: RecordKey(.integer(1))))
      #expect(try transaction.count(Query("p")) == 0)
    }
  }

  @Test(arguments: ModelTests.formats)
  func `a row that is skipped is not computed`(format: StoreFormat) throws {
    let store = try store(format)
    try store.read { (transaction) throws in
      let sum = try Query(parsing: "Sailor SELECT(@sum.rank)")
      #expect(throws: StoreError.self) { try transaction.rows(sum) }
      #expect(try transaction.rows(try Query(parsing: "Sailor SELECT(@sum.rank) OFFSET(1)")) == [])
      #expect(try transaction.rows(try Query(parsing: "Sailor SELECT(@sum.rank) LIMIT(0)")) == [])
    }
  }

  /// `b` refers to `a` and is deleted with it, `c` refers to both: denying the deletion of `b`, and
  /// deleted with `a`.
  private func denying(_ format: StoreFormat) throws -> Store {
    func reference(
      _ name: String, _ target: String, _ rule: ReferenceDescription.DeleteRule
    ) -> PropertyDescription {
      PropertyDescription(
        name, .integer, isOptional: true,
        reference: ReferenceDescription(to: target, onDelete: rule))
    }
    let id = PropertyDescription("id", .integer)
    return try Store.open(
      StoreConfiguration(
        at: .memory,
        schema: try Schema(
          version: 1,
          [
            ModelDescription("a", primaryKey: ["id"], properties: [id]),
            ModelDescription(
              "b", primaryKey: ["id"], properties: [id, reference("a", "a", .cascade)]),
            ModelDescription(
              "c", primaryKey: ["id"],
              properties: [id, reference("a", "a", .cascade), reference("b", "b", .deny)]),
          ]), format: format))
  }

  @Test(arguments: ModelTests.formats)
  func `a denial counts when the deletion is complete, whatever goes first`(format: StoreFormat)
    throws
  {
    let store = try denying(format)
    try store.write { transaction in
      try transaction.insert("a", ["id": 1])
      try transaction.insert("b", ["id": 1, "a": 1])
      try transaction.insert("c", ["id": 1, "a": 1, "b": 1])
      #expect(try transaction.delete("a", key: RecordKey(.integer(1))))
      for model in ["a", "b", "c"] { #expect(try transaction.count(Query(model)) == 0, "\(model)") }
    }
    // A record that stays still denies, and nothing of the deletion is left.
    try store.write { transaction in
      try transaction.insert("a", ["id": 1])
      try transaction.insert("b", ["id": 1, "a": 1])
      try transaction.insert("c", ["id": 1, "a": 1, "b": 1])
      try transaction.insert("c", ["id": 2, "b": 1])
      #expect(throws: StoreError.self) {
        try transaction.delete("a", key: RecordKey(.integer(1)))
      }
      #expect(try transaction.count(Query("b")) == 1)
      #expect(try transaction.count(Query("c")) == 2)
    }
  }

  @Test(arguments: ModelTests.formats)
  func `records that deny each other's deletion go together`(format: StoreFormat) throws {
    let next = PropertyDescription(
      "next", .integer, isOptional: true,
      reference: ReferenceDescription(to: "node", onDelete: .deny))
    let schema = try Schema(
      version: 1,
      [
        ModelDescription(
          "node", primaryKey: ["id"], properties: [PropertyDescription("id", .integer), next])
      ])
    let store = try Store.open(StoreConfiguration(at: .memory, schema: schema, format: format))
    try store.write { transaction in
      for id in 1...2000 as ClosedRange<Int64> {
        try transaction.insert("node", ["id": .integer(id)])
      }
      for id in 1...2000 as ClosedRange<Int64> {
        try transaction.update(
          "node", key: RecordKey(.integer(id)), ["next": .integer(id % 2000 + 1)])
      }
      // 500 is referred to by 499, which stays.
      #expect(throws: StoreError.self) {
        try transaction.delete(try Query(parsing: "node WHERE id >= 500"))
      }
      #expect(try transaction.count(Query("node")) == 2000)
      #expect(try transaction.delete(Query("node")) == 2000)
    }
  }

  /// The owner's list holds `b`, which `c`, held by another list of the owner, may not lose.
  @Test(arguments: ModelTests.formats)
  func `records of owning lists deny nothing to each other when they go together`(
    format: StoreFormat
  ) throws {
    let id = PropertyDescription("id", .integer)
    let owner = ModelDescription("owner", primaryKey: ["id"], properties: [id])
    let b = ModelDescription("b", primaryKey: ["id"], properties: [id])
    let c = ModelDescription(
      "c", primaryKey: ["id"],
      properties: [
        id,
        PropertyDescription(
          "b", .integer, reference: ReferenceDescription(to: "b", onDelete: .deny)),
      ])
    let lists = [
      ListDescription.model(
        ListDescription(property: "bs", isOwning: true), of: owner, to: b, onDelete: .cascade),
      ListDescription.model(
        ListDescription(property: "cs", isOwning: true), of: owner, to: c, onDelete: .cascade),
    ].compactMap(\.self)
    #expect(lists.count == 2)
    let schema = try Schema(version: 1, [owner, b, c] + lists)
    let store = try Store.open(StoreConfiguration(at: .memory, schema: schema, format: format))
    func fill(_ transaction: WriteTransaction) throws {
      try transaction.insert("owner", ["id": 1])
      try transaction.insert("b", ["id": 1])
      try transaction.insert("c", ["id": 1, "b": 1])
      for (list, element) in zip(lists, 1...2 as ClosedRange<Int64>) {
        try transaction.insert(
          list.name, ["owner": 1, "position": 1, "element": .integer(element), "target": 1])
      }
    }
    try store.write { transaction in
      try fill(transaction)
      #expect(try transaction.delete("owner", key: RecordKey(.integer(1))))
      for model in schema.models { #expect(try transaction.count(Query(model.name)) == 0) }
    }
    try store.write { transaction in
      try fill(transaction)
      try transaction.insert("c", ["id": 2, "b": 1])
      #expect(throws: StoreError.self) {
        try transaction.delete("owner", key: RecordKey(.integer(1)))
      }
      for model in schema.models {
        #expect(try transaction.count(Query(model.name)) == (model.name == "c" ? 2 : 1))
      }
      #expect(try transaction.delete("c", key: RecordKey(.integer(2))))
      // Statements are refused at once again.
      #expect(throws: StoreError.self) { try transaction.insert("c", ["id": 3, "b": 9]) }
      #expect(try transaction.delete("owner", key: RecordKey(.integer(1))))
    }
  }
}
