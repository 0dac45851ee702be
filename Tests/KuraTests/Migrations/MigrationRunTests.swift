import Foundation
import Kura
import Testing

/// Every operation on records of both backends, against values written by hand.
@Suite("Migrating a store")
struct MigrationRunTests {
  private static func person(
    _ properties: [PropertyDescription] = [], key: [String] = ["id"],
    indexes: [IndexDescription] = []
  ) -> ModelDescription {
    ModelDescription(
      "Person", primaryKey: key, properties: [PropertyDescription("id", .integer)] + properties,
      indexes: indexes)
  }

  private static let name = PropertyDescription("name", .text)
  private static let age = PropertyDescription("age", .integer, isOptional: true)

  private static func first() throws -> Schema {
    try Schema(
      version: 1,
      [
        person([name, age], indexes: [IndexDescription(["name"])]),
        ModelDescription(
          "Pet", primaryKey: ["tag"],
          properties: [
            PropertyDescription("tag", .text),
            PropertyDescription(
              "owner", .integer, isOptional: true,
              reference: ReferenceDescription(to: "Person", onDelete: .cascade)),
          ]),
      ])
  }

  private static func filled(_ format: StoreFormat) throws -> MigrationBench {
    let bench = try MigrationBench(format)
    try bench.make(try first()) { transaction in
      try transaction.insert("Person", ["id": 1, "name": "Ada Lovelace", "age": 36])
      try transaction.insert("Person", ["id": 2, "name": "Bob", "age": nil])
      try transaction.insert("Pet", ["tag": "a", "owner": 1])
      try transaction.insert("Pet", ["tag": "b", "owner": nil])
    }
    return bench
  }

  /// Applies operations to the filled store and gives what a model holds then.
  private static func run(
    _ format: StoreFormat, reading model: String = "Person", pets: Bool = true,
    _ operations: MigrationOperation...
  ) throws -> [String] {
    let bench = try filled(format)
    let migration = Migration("second", from: 1, to: 2, operations: operations)
    let schema = try migration.applied(to: first())
    let dump = try bench.migrate(to: schema, try Migrations(migration)) { transaction in
      if pets { #expect(try transaction.dump("Pet") == ["owner=1 tag='a'", "owner=null tag='b'"]) }
      return try transaction.dump(model)
    }
    let history = try bench.history(schema)
    #expect(history.map(\.id) == ["second"])
    #expect(history.first?.operations == operations)
    if format == .sqlite {
      #expect(try bench.stock("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok\n")
      #expect(
        try bench.stock("SELECT id, kind, from_version, to_version FROM kura_history")
          == "second|apply|1|2\n")
    }
    return dump
  }

  @Test(arguments: migratedFormats) func `properties are added with value, default and null`(
    format: StoreFormat
  ) throws {
    #expect(
      try Self.run(
        format,
        .addProperty(model: "Person", PropertyDescription("x", .text, isOptional: true)),
        .addProperty(model: "Person", PropertyDescription("y", .double, defaultValue: 1.5)),
        .addProperty(
          model: "Person", PropertyDescription("months", .integer, isOptional: true),
          value: "age * 12 + 1"))
        == [
          "age=36 id=1 months=433 name='Ada Lovelace' x=null y=1.5",
          "age=null id=2 months=null name='Bob' x=null y=1.5",
        ])
  }

  @Test(arguments: migratedFormats) func `models and properties are renamed`(format: StoreFormat)
    throws
  {
    #expect(
      try Self.run(
        format, reading: "Human", .renameProperty(model: "Person", from: "name", to: "title"),
        .renameModel(from: "Person", to: "Human"))
        == ["age=36 id=1 title='Ada Lovelace'", "age=null id=2 title='Bob'"])
  }

  @Test(arguments: migratedFormats) func `properties and models are removed`(format: StoreFormat)
    throws
  {
    #expect(
      try Self.run(
        format, pets: false, .removeProperty(model: "Person", "age"), .removeModel("Pet"))
        == ["id=1 name='Ada Lovelace'", "id=2 name='Bob'"])
  }

  @Test(arguments: migratedFormats) func `types change by a conversion, nulls get a value`(
    format: StoreFormat
  ) throws {
    #expect(
      try Self.run(
        format,
        .changeProperty(
          model: "Person", "age",
          PropertyChange(type: .text, isOptional: false, replacingNulls: "unknown")))
        == ["age='36' id=1 name='Ada Lovelace'", "age='unknown' id=2 name='Bob'"])
  }

  @Test(arguments: migratedFormats)
  func `requiredness, default and uniqueness change without touching values`(format: StoreFormat)
    throws
  {
    #expect(
      try Self.run(
        format,
        .changeProperty(
          model: "Person", "name",
          PropertyChange(isOptional: true, defaultValue: "nobody", isUnique: true)),
        .changeProperty(model: "Person", "age", .defaultValue(7)))
        == ["age=36 id=1 name='Ada Lovelace'", "age=null id=2 name='Bob'"])
  }

  @Test(arguments: migratedFormats) func `texts are split and put together`(format: StoreFormat)
    throws
  {
    let parts = [
      PropertyDescription("first", .text), PropertyDescription("last", .text, isOptional: true),
    ]
    #expect(
      try Self.run(
        format, .removeIndex(model: "Person", IndexDescription(["name"])),
        .splitProperty(model: "Person", "name", into: parts, separator: " "))
        == [
          "age=36 first='Ada' id=1 last='Lovelace'", "age=null first='Bob' id=2 last=null",
        ])
    #expect(
      try Self.run(
        format, .removeIndex(model: "Person", IndexDescription(["name"])),
        .mergeProperties(
          model: "Person", ["name", "age"], into: PropertyDescription("label", .text),
          separator: ", ")) == ["id=1 label='Ada Lovelace, 36'", "id=2 label='Bob'"])
  }

  @Test(arguments: migratedFormats) func `properties move into a model of their own`(
    format: StoreFormat
  ) throws {
    let operation = MigrationOperation.extractModel(
      model: "Person", properties: ["age"], into: "Age", reference: "lived")
    #expect(try Self.run(format, reading: "Age", operation) == ["age=36 id=1"])
    #expect(
      try Self.run(format, operation)
        == ["id=1 lived=1 name='Ada Lovelace'", "id=2 lived=null name='Bob'"])
  }

  @Test(arguments: migratedFormats) func `expressions change the records that a condition means`(
    format: StoreFormat
  ) throws {
    #expect(
      try Self.run(
        format,
        .transform(
          model: "Person", where: "age > 30 AND name BEGINSWITH 'A'",
          set: ["age": "age * 2", "name": "'Countess'"]))
        == ["age=72 id=1 name='Countess'", "age=null id=2 name='Bob'"])
  }

  @Test(arguments: migratedFormats) func `a condition may look at other records`(
    format: StoreFormat
  ) throws {
    let operation = MigrationOperation.transform(
      model: "Pet", where: "owner.name BEGINSWITH 'Ada'", set: ["owner": "2"])
    #expect(
      try Self.run(format, reading: "Pet", pets: false, operation)
        == ["owner=2 tag='a'", "owner=null tag='b'"])
  }

  @Test(arguments: migratedFormats) func `records are inserted, deleted and counted`(
    format: StoreFormat
  ) throws {
    #expect(
      try Self.run(
        format, .insert(model: "Person", [["id": 3, "name": "Eve"], ["name": "Fay", "age": 1]]),
        .delete(model: "Person", where: "id == 2", atLeast: 1, atMost: 1),
        .assert(MigrationAssertion("Person", .count(where: nil, atLeast: 3, atMost: 3))),
        .assert(MigrationAssertion("Person", .every("id > 0"))),
        .assert(MigrationAssertion("Person", .noNulls("name"))),
        .assert(MigrationAssertion("Person", .unique(["age"]))),
        .assert(MigrationAssertion("Pet", .noOrphans("owner"))))
        == [
          "age=36 id=1 name='Ada Lovelace'", "age=null id=3 name='Eve'", "age=1 id=4 name='Fay'",
        ])
  }

  @Test(arguments: migratedFormats) func `a primary key changes where no reference points`(
    format: StoreFormat
  ) throws {
    #expect(
      try Self.run(
        format, .removeReference(model: "Pet", property: "owner"),
        .changePrimaryKey(model: "Person", to: ["name"]))
        == ["age=36 id=1 name='Ada Lovelace'", "age=null id=2 name='Bob'"])
  }

  @Test(arguments: migratedFormats) func `references and indexes come and go`(format: StoreFormat)
    throws
  {
    #expect(
      try Self.run(
        format, .removeReference(model: "Pet", property: "owner"),
        .addReference(
          model: "Pet", property: "owner",
          ReferenceDescription(to: "Person", onDelete: .nullify)),
        .addIndex(model: "Person", IndexDescription(["age", "name"], isUnique: true)),
        .removeIndex(model: "Person", IndexDescription(["name"])))
        == ["age=36 id=1 name='Ada Lovelace'", "age=null id=2 name='Bob'"])
  }

  @Test(arguments: migratedFormats) func `a chain leads from any version to the last`(
    format: StoreFormat
  ) throws {
    let second = Migration("second", from: 1, to: 2) {
      MigrationOperation.renameProperty(model: "Person", from: "name", to: "title")
    }
    let third = Migration("third", from: 2, to: 3) {
      MigrationOperation.changeProperty(model: "Person", "age", .type(.text))
      MigrationOperation.renameProperty(model: "Person", from: "title", to: "label")
    }
    let schema = try third.applied(to: second.applied(to: Self.first()))
    let chain = try Migrations(second, third)
    let bench = try Self.filled(format)
    #expect(
      try bench.migrate(to: schema, chain) { try $0.dump("Person") }
        == ["age='36' id=1 label='Ada Lovelace'", "age=null id=2 label='Bob'"])
    #expect(try bench.history(schema).map(\.id) == ["second", "third"])
  }

  @Test(arguments: migratedFormats) func `what is added is inferred, in the order that works`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let schema = try Schema(
      version: 4,
      [
        Self.person(
          [
            Self.name, PropertyDescription("age", .integer, isOptional: true, defaultValue: 1),
            PropertyDescription("score", .double, defaultValue: 0.0),
            PropertyDescription(
              "home", .uuid, isOptional: true,
              reference: ReferenceDescription(to: "Place", onDelete: .nullify)),
          ], indexes: [IndexDescription(["name"]), IndexDescription(["score"])]),
        ModelDescription(
          "Place", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .uuid),
            PropertyDescription(
              "mayor", .integer, isOptional: true,
              reference: ReferenceDescription(to: "Person", onDelete: .nullify)),
            PropertyDescription(
              "region", .uuid, isOptional: true,
              reference: ReferenceDescription(to: "Region", onDelete: .nullify)),
          ]),
        ModelDescription(
          "Region", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .uuid),
            PropertyDescription(
              "capital", .uuid, isOptional: true,
              reference: ReferenceDescription(to: "Place", onDelete: .nullify)),
          ]),
      ] + (try Self.first().models.filter { $0.name == "Pet" }))
    guard case .pending(let plan) = try Store.inspect(bench.configuration(schema)) else {
      Issue.record("not pending")
      return
    }
    #expect(plan.losses == [])
    // Another default: SQLite knows no way but to write the table again.
    #expect(plan.rewritesRecords == (format == .sqlite))
    #expect(plan.steps.first { $0.model == "Person" }?.records == 2)
    #expect(
      try bench.migrate(to: schema) { try $0.dump("Person") }
        == [
          "age=36 home=null id=1 name='Ada Lovelace' score=0.0",
          "age=null home=null id=2 name='Bob' score=0.0",
        ])
    #expect(try bench.history(schema).map(\.kind) == [.inferred])
    // Nothing is left to do.
    #expect(try Store.inspect(bench.configuration(schema)) == .current)
    #expect(try Store.migrate(bench.configuration(schema)) == nil)
  }

  @Test(arguments: migratedFormats)
  func `what is not inferred is refused with the difference and the operation`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let schema = try Schema(
      version: 2,
      [Self.person([PropertyDescription("name", .text)])]
        + (try Self.first().models.filter { $0.name == "Pet" }))
    let before = try bench.bytes()
    let error = try #require(throws: StoreError.self) {
      try Store.open(bench.configuration(schema))
    }
    #expect(error.code == .migrationRequired)
    #expect(error.suggestion?.contains("remove property Person.age") == true, "\(error)")
    #expect(error.schemaDifference?.changes.count == 2)
    #expect(try bench.bytes() == before)
    guard case .unexplained(let inspected) = try Store.inspect(bench.configuration(schema)) else {
      Issue.record("explained")
      return
    }
    #expect(inspected.code == .migrationRequired)
  }

  @Test(arguments: migratedFormats) func `declared renames are renames`(format: StoreFormat) throws
  {
    let bench = try Self.filled(format)
    var human = Self.person(
      [PropertyDescription("title", .text), Self.age],
      indexes: [
        IndexDescription(["title"])
      ])
    human.name = "Human"
    var pet = try #require(try Self.first().model(named: "Pet"))
    pet.properties[1].reference?.target = "Human"
    let schema = try Schema(
      version: 2, [human, pet],
      renames: [
        SchemaRename(model: "Human", from: "Person"),
        SchemaRename(model: "Human", property: "title", from: "name"),
      ])
    #expect(
      try bench.migrate(to: schema) { try $0.dump("Human") }
        == ["age=36 id=1 title='Ada Lovelace'", "age=null id=2 title='Bob'"])
  }
}
