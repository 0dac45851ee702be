import KuraCore
import Testing

/// Schemas and operations that these tests use.
enum MigrationSamples {
  static func schema() throws -> Schema {
    try Schema(
      version: 1,
      [
        ModelDescription(
          "Person", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("name", .text),
            PropertyDescription("age", .integer, isOptional: true),
            PropertyDescription("price", .double, defaultValue: 1.5),
            PropertyDescription(
              "boss", .integer, isOptional: true,
              reference: ReferenceDescription(to: "Person", onDelete: .nullify)),
          ], indexes: [IndexDescription(["age"])]),
        ModelDescription(
          "Pet", primaryKey: ["tag"],
          properties: [
            PropertyDescription("tag", .text), PropertyDescription("owner", .integer),
          ]),
      ])
  }

  /// One operation of each kind that can be applied to the schema.
  static let operations: [MigrationOperation] = [
    .createModel(
      ModelDescription("New", primaryKey: ["id"], properties: [PropertyDescription("id", .uuid)])),
    .renameModel(from: "Person", to: "Human"),
    .removeModel("Pet"),
    .addProperty(model: "Pet", PropertyDescription("weight", .double, defaultValue: 2.5)),
    .addProperty(
      model: "Person", PropertyDescription("months", .integer, isOptional: true),
      value: "age * 12"),
    .renameProperty(model: "Person", from: "name", to: "title"),
    .removeProperty(model: "Person", "name"),
    .changeProperty(
      model: "Person", "age",
      PropertyChange(
        type: .text, isOptional: false, defaultValue: "?", isUnique: true, conversion: .lenient,
        replacingNulls: "none", onFailure: .default)),
    .changeProperty(model: "Pet", "tag", .type(.data, .lenient)),
    .changeProperty(model: "Person", "price", .defaultValue(.null)),
    .changePrimaryKey(model: "Pet", to: ["owner"], onFailure: .quarantine),
    .addIndex(model: "Pet", IndexDescription(["owner", "tag"], isUnique: true)),
    .removeIndex(model: "Person", IndexDescription(["age"])),
    .addReference(
      model: "Pet", property: "owner", ReferenceDescription(to: "Person", onDelete: .cascade),
      onFailure: .quarantine),
    .removeReference(model: "Person", property: "boss"),
    .splitProperty(
      model: "Person", "name",
      into: [
        PropertyDescription("first", .text), PropertyDescription("last", .text, isOptional: true),
      ], separator: " ", onFailure: .null),
    .mergeProperties(
      model: "Person", ["name", "price"], into: PropertyDescription("label", .text),
      separator: ", "),
    .extractModel(model: "Person", properties: ["name"], into: "Name", reference: "called"),
    .transform(
      model: "Person", where: "age > 3", set: ["price": "price * 2"], onFailure: .quarantine),
    .insert(model: "Pet", [["tag": "x", "owner": 1]]),
    .delete(model: "Person", where: "age == NULL", atLeast: 1, atMost: 3),
    .assert(MigrationAssertion("Person", .count(where: "age > 3", atLeast: 1, atMost: 2))),
    .assert(MigrationAssertion("Person", .every("price > 0"))),
    .assert(MigrationAssertion("Person", .noNulls("age"))),
    .assert(MigrationAssertion("Person", .unique(["name"]))),
    .assert(MigrationAssertion("Person", .noOrphans("boss"))),
    .sql("UPDATE Person SET name = 'x'", undo: "SELECT 1"),
    .createObject(SQLObject(.view, "v", sql: "CREATE VIEW v AS SELECT 1")),
    .removeObject(.trigger, "t"),
    .code("step", changes: ["Person"]),
  ]
}

@Suite("Operations of migrations")
struct MigrationOperationTests {
  @Test(arguments: MigrationSamples.operations)
  func `an operation is the same after a way through JSON, and its schema is consistent`(
    operation: MigrationOperation
  ) throws {
    let migration = Migration("m", from: 1, to: 2, operations: [operation])
    let again = try Migration(json: migration.canonicalJSON)
    #expect(again == migration)
    #expect(again.checksum == migration.checksum)
    let result = try migration.applied(to: MigrationSamples.schema())
    #expect(result.version == 2)
  }

  @Test(arguments: MigrationSamples.operations)
  func `the way back leads to the old schema, or a loss is stated`(operation: MigrationOperation)
    throws
  {
    let schema = try MigrationSamples.schema()
    let reversal = try operation.reversal(in: schema)
    guard let operations = reversal.operations else {
      #expect(reversal.loss != nil)
      return
    }
    var current = try operation.applied(to: schema)
    for operation in operations { current = try operation.applied(to: current) }
    #expect(current.fingerprint == schema.fingerprint, "\(SchemaDiff(from: schema, to: current))")
  }

  private func result(_ operation: MigrationOperation) throws -> [SchemaDiff.Change] {
    let schema = try MigrationSamples.schema()
    return SchemaDiff(from: schema, to: try operation.applied(to: schema)).changes
  }

  @Test func `a renamed model takes the references to it and its lists with it`() throws {
    let schema = try Schema(
      version: 1,
      [
        ModelDescription(
          "Team", primaryKey: ["id"], properties: [PropertyDescription("id", .integer)]),
        ModelDescription(
          "Team_members", primaryKey: ["owner", "position"],
          properties: [
            PropertyDescription(
              "owner", .integer, reference: ReferenceDescription(to: "Team", onDelete: .cascade)),
            PropertyDescription("position", .integer), PropertyDescription("element", .integer),
            PropertyDescription(
              "target", .integer, reference: ReferenceDescription(to: "Team", onDelete: .cascade)),
          ], indexes: [IndexDescription(["target"])],
          list: ListDescription(property: "members")),
      ])
    let renamed = try MigrationOperation.renameModel(from: "Team", to: "Club").applied(to: schema)
    #expect(renamed.models.map(\.name) == ["Club", "Club_members"])
    #expect(
      renamed.model(named: "Club_members")?.property(named: "target")?.reference?.target == "Club")
    let list = try MigrationOperation.renameProperty(
      model: "Club", from: "members", to: "players"
    ).applied(to: renamed)
    #expect(list.model(named: "Club_players")?.list?.property == "players")
  }

  @Test func `extracting makes a model of the key and the properties, and a reference to it`()
    throws
  {
    let extracted = try MigrationOperation.extractModel(
      model: "Person", properties: ["name", "price"], into: "Name", reference: "called"
    ).applied(to: MigrationSamples.schema())
    #expect(
      extracted.model(named: "Name")
        == ModelDescription(
          "Name", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("name", .text),
            PropertyDescription("price", .double, defaultValue: 1.5),
          ]))
    #expect(
      extracted.model(named: "Person")?.properties.last
        == PropertyDescription(
          "called", .integer, isOptional: true,
          reference: ReferenceDescription(to: "Name", onDelete: .nullify)))
  }

  @Test(
    arguments: [
      (.renameProperty(model: "Person", from: "nmae", to: "x"), .unknownProperty, "name"),
      (.removeModel("Persn"), .unknownModel, "Person"),
      (.transform(model: "Person", set: ["prize": "1.0"]), .unknownProperty, "price"),
      (.transform(model: "Person", set: ["price": "prise * 2"]), .unknownProperty, "price"),
      (.addProperty(model: "Pets", PropertyDescription("x", .text)), .unknownModel, "Pet"),
      (.delete(model: "Person", where: "agee > 1"), .unknownProperty, "age"),
    ] as [(MigrationOperation, StoreError.Code, String)])
  func `a wrong name is refused with the nearest one`(
    operation: MigrationOperation, code: StoreError.Code, hint: String
  ) throws {
    let error = try #require(throws: StoreError.self) {
      _ = try operation.applied(to: MigrationSamples.schema())
    }
    #expect(error.code == code)
    #expect(error.suggestion?.contains(hint) == true, "\(error)")
  }

  @Test(
    arguments: [
      (.removeProperty(model: "Person", "age"), "remove the index first"),
      (.removeProperty(model: "Person", "id"), "change the primary key first"),
      (.changePrimaryKey(model: "Person", to: ["id", "name"]), "choose a key of one property"),
      (.transform(model: "Person", set: ["id": "1"]), "then change the primary key"),
      (.changeProperty(model: "Person", "boss", .type(.text)), "remove the reference first"),
      (
        .changeProperty(model: "Person", "name", .type(.integer, onFailure: .null)),
        "another policy"
      ),
    ] as [(MigrationOperation, String)])
  func `what the data could not follow is refused with what to do`(
    operation: MigrationOperation, suggestion: String
  ) throws {
    let error = try #require(throws: StoreError.self) {
      _ = try operation.applied(to: MigrationSamples.schema())
    }
    #expect(error.suggestion?.contains(suggestion) == true, "\(error)")
  }

  @Test func `an expression of another type than its property is refused`() throws {
    let error = try #require(throws: StoreError.self) {
      _ = try result(.transform(model: "Person", set: ["name": "age * 2"]))
    }
    #expect(error.code == .wrongType)
  }
}
