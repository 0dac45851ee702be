import Kura
import Testing

/// A model gets another primary key, and what refers to it follows.
@Suite("Migrations of primary keys")
struct MigrationKeyTests {
  private static func reference(_ name: String, optional: Bool = true) -> PropertyDescription {
    PropertyDescription(
      name, .integer, isOptional: optional,
      reference: ReferenceDescription(to: "Person", onDelete: .cascade))
  }

  private static func first() throws -> Schema {
    try Schema(
      version: 1,
      [
        ModelDescription(
          "Person", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("name", .text),
            reference("boss"),
          ]),
        ModelDescription(
          "Pet", primaryKey: ["tag"],
          properties: [PropertyDescription("tag", .text), reference("owner")]),
        ModelDescription(
          "Seat", primaryKey: ["person", "number"],
          properties: [
            reference("person", optional: false), PropertyDescription("number", .integer),
          ]),
      ])
  }

  @Test(arguments: migratedFormats)
  func `references and lists follow a new primary key, also those of a model to itself`(
    format: StoreFormat
  ) throws {
    let first = try Self.first()
    let bench = try MigrationBench(format)
    try bench.make(first) { transaction in
      try transaction.insert("Person", ["id": 1, "name": "Ada", "boss": nil])
      try transaction.insert("Person", ["id": 2, "name": "Bob", "boss": 1])
      try transaction.insert("Person", ["id": 3, "name": "Cy", "boss": 3])
      try transaction.insert("Pet", ["tag": "a", "owner": 2])
      try transaction.insert("Pet", ["tag": "b", "owner": nil])
      try transaction.insert("Seat", ["person": 3, "number": 7])
      try transaction.insert("Seat", ["person": 1, "number": 9])
    }
    let migration = Migration("second", from: 1, to: 2) {
      MigrationOperation.changePrimaryKey(model: "Person", to: ["name"])
    }
    let second = try migration.applied(to: first)
    let chain = try Migrations(migration)
    try bench.migrate(to: second, chain) { (transaction) throws in
      #expect(
        try transaction.dump("Person") == [
          "boss=null id=1 name='Ada'", "boss='Ada' id=2 name='Bob'", "boss='Cy' id=3 name='Cy'",
        ])
      #expect(try transaction.dump("Pet") == ["owner='Bob' tag='a'", "owner=null tag='b'"])
      #expect(
        try transaction.dump("Seat") == ["number=9 person='Ada'", "number=7 person='Cy'"])
    }
    // The rules of the references live on.
    let store = try Store.open(bench.configuration(second))
    try store.write { transaction in
      try transaction.delete("Person", key: "Bob")
      #expect(try transaction.dump("Pet") == ["owner=null tag='b'"])
    }
    try store.close()
    if format == .sqlite {
      #expect(try bench.stock("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok\n")
    }
  }

  @Test func `references say what a new primary key must be`() throws {
    let first = try Self.first()
    for (key, policy) in [(["id", "name"], MigrationFailurePolicy.fail), (["name"], .quarantine)] {
      let migration = Migration("second", from: 1, to: 2) {
        MigrationOperation.changePrimaryKey(model: "Person", to: key, onFailure: policy)
      }
      let error = try #require(throws: StoreError.self) { try migration.applied(to: first) }
      #expect(error.code == .invalidSchema)
      #expect(error.message.contains("\"Person\".\"boss\""))
    }
  }
}
