import Foundation
import Kura
import Testing

/// What users of Realm know of its migrations, as far as no other suite has it; docs/realm-migration-parity.md
/// says for each of Realm's own tests which one here covers it.
@Suite("Migrations as Realm's users know them")
struct MigrationParityTests {
  private static func model(
    _ properties: [PropertyDescription] = [], named name: String = "Item", key: String = "id",
    indexes: [IndexDescription] = []
  ) -> ModelDescription {
    ModelDescription(
      name, primaryKey: [key],
      properties: [PropertyDescription("id", .integer), PropertyDescription("code", .text)]
        + properties, indexes: indexes)
  }

  private static func filled(_ format: StoreFormat, _ models: ModelDescription...) throws
    -> MigrationBench
  {
    let bench = try MigrationBench(format)
    try bench.make(try Schema(version: 1, models)) { transaction in
      for id in Int64(1)...3 {
        try transaction.insert("Item", ["id": .integer(id), "code": .text("c\(id)")])
      }
    }
    return bench
  }

  /// What opening a store of version 1 as one of version 2 with other models and no migration says.
  private static func state(_ bench: MigrationBench, _ models: ModelDescription...) throws
    -> String
  {
    switch try Store.inspect(bench.configuration(try Schema(version: 2, models))) {
    case .pending(let plan):
      let steps = plan.migrations.flatMap(\.operations).map { "\($0)" }
      return "inferred: " + steps.joined(separator: "; ")
    case .unexplained(let error): return "refused: \(error.suggestion ?? "")"
    case let state: return "\(state)"
    }
  }

  // MARK: What needs a migration

  @Test(arguments: migratedFormats)
  func `a new model and a new index come by themselves, what goes has to be said`(
    format: StoreFormat
  ) throws {
    let other = ModelDescription(
      "Other", primaryKey: ["id"], properties: [PropertyDescription("id", .integer)])
    let bench = try Self.filled(format, Self.model(indexes: [IndexDescription(["code"])]), other)
    #expect(
      try Self.state(
        bench, Self.model(indexes: [IndexDescription(["code"])]), other, Self.model(named: "New")
      )
      .hasPrefix("inferred: "))
    #expect(
      try Self.state(
        bench,
        Self.model(indexes: [IndexDescription(["code"]), IndexDescription(["id", "code"])]),
        other
      ).hasPrefix("inferred: "))
    #expect(
      try Self.state(bench, Self.model(indexes: [IndexDescription(["code"])]))
        .contains("remove model Other"))
    #expect(try Self.state(bench, Self.model(), other).contains("remove index"))
  }

  @Test(arguments: migratedFormats)
  func `the order of properties and models makes no difference`(format: StoreFormat) throws {
    let note = PropertyDescription("note", .text, defaultValue: "n")
    let bench = try Self.filled(format, Self.model([note]))
    var turned = Self.model([note])
    turned.properties.reverse()
    let schema = try Schema(version: 1, [turned])
    #expect(try Store.inspect(bench.configuration(schema)) == .current)
    let store = try Store.open(bench.configuration(schema))
    try store.write { transaction in
      try transaction.insert("Item", ["id": 9, "code": "z", "note": "m"])
      #expect(try transaction.dump("Item").last == "code='z' id=9 note='m'")
      #expect(try transaction.dump("Item").first == "code='c1' id=1 note='n'")
    }
    try store.close()
  }

  @Test(arguments: migratedFormats)
  func `another key, requiredness or target of a reference has to be said`(format: StoreFormat)
    throws
  {
    let optional = PropertyDescription("mark", .text, isOptional: true)
    let required = PropertyDescription("mark", .text, defaultValue: "")
    let toPlace = PropertyDescription(
      "place", .integer, isOptional: true,
      reference: ReferenceDescription(to: "Place", onDelete: .nullify))
    let toTown = PropertyDescription(
      "place", .integer, isOptional: true,
      reference: ReferenceDescription(to: "Town", onDelete: .nullify))
    let (place, town) = (Self.model(named: "Place"), Self.model(named: "Town"))
    let bench = try Self.filled(format, Self.model([optional, toPlace]), place, town)
    for (models, words) in [
      ([Self.model([optional, toPlace], key: "code"), place, town], "primary key"),
      ([Self.model([required, toPlace]), place, town], "Item.mark"),
      ([Self.model([optional, toTown]), place, town], "Item.place"),
    ] {
      let schema = try Schema(version: 2, models)
      let error = try #require(throws: StoreError.self) {
        try Store.open(bench.configuration(schema)).close()
      }
      #expect(error.code == .migrationRequired)
      #expect(error.suggestion?.contains(words) == true, "\(error)")
    }
    // And the operation that it takes.
    let migration = Migration("town", from: 1, to: 2) {
      MigrationOperation.removeReference(model: "Item", property: "place")
      MigrationOperation.addReference(
        model: "Item", property: "place", ReferenceDescription(to: "Town", onDelete: .nullify))
      MigrationOperation.changeProperty(model: "Item", "mark", .required(replacingNulls: "-"))
    }
    let schema = try migration.applied(
      to: Schema(version: 1, [Self.model([optional, toPlace]), place, town]))
    #expect(schema.model(named: "Item")?.property(named: "place")?.reference?.target == "Town")
    #expect(
      try bench.migrate(to: schema, try Migrations(migration)) { try $0.dump("Item") }.first
        == "code='c1' id=1 mark='-' place=null")
  }

  @Test(arguments: migratedFormats)
  func `code runs once, for an old store only, and never for a new one`(format: StoreFormat) throws
  {
    let counter = Counter()
    let migration = Migration("code", from: 1, to: 2) {
      MigrationOperation.code("count", changes: ["Item"])
    }
    let chain = try Migrations(migration, code: [MigrationCodeStep("count") { _ in counter.add() }])
    let schema = try Schema(version: 2, [Self.model()])
    let new = try MigrationBench(format)
    try Store.open(new.configuration(schema, chain)).close()
    #expect(counter.value == 0)
    let bench = try Self.filled(format, Self.model())
    try Store.open(bench.configuration(schema, chain)).close()
    try Store.open(bench.configuration(schema, chain)).close()
    #expect(counter.value == 1)
  }

  @Test(arguments: migratedFormats)
  func `stores at several paths have versions of their own`(format: StoreFormat) throws {
    let first = try Self.filled(format, Self.model())
    let other = try MigrationBench(format)
    try other.make(try Schema(version: 7, [Self.model()]))
    #expect(
      try Store.inspect(other.configuration(try Schema(version: 6, [Self.model()])))
        == .newer(version: 7))
    #expect(
      try Store.inspect(first.configuration(try Schema(version: 1, [Self.model()]))) == .current)
    #expect(
      try Store.inspect(other.configuration(try Schema(version: 7, [Self.model()]))) == .current)
  }

  // MARK: Walks that change what they walk over

  private static func run(
    _ format: StoreFormat, _ step: @escaping @Sendable (MigrationContext) throws -> Void
  ) throws -> [String] {
    let bench = try filled(format, model())
    let migration = Migration("code", from: 1, to: 2) {
      MigrationOperation.addProperty(
        model: "Item", PropertyDescription("seen", .integer, defaultValue: 0))
      MigrationOperation.code("step", changes: ["Item"])
    }
    let schema = try migration.applied(to: Schema(version: 1, [model()]))
    let chain = try Migrations(migration, code: [MigrationCodeStep("step", step)])
    return try bench.migrate(to: schema, chain) { try $0.dump("Item") }
  }

  @Test(arguments: migratedFormats)
  func `records that are deleted in a walk keep their pairs, and later walks pass them over`(
    format: StoreFormat
  ) throws {
    let left = try Self.run(format) { context in
      var pairs: [String] = []
      try context.forEach("Item") { old, new in
        #expect(old["code"] == new["code"])
        if old["id"] == 2, let key = old.key { try context.delete("Item", key: key) }
      }
      try context.forEach("Item") { old, new in
        pairs.append("\(try old.value("id", as: Int64.self))")
        try new.set("seen", 1)
      }
      #expect(pairs == ["1", "3"])
    }
    #expect(left == ["code='c1' id=1 seen=1", "code='c3' id=3 seen=1"])
  }

  @Test(arguments: migratedFormats)
  func `records that a step inserts have no old record, and are not walked over`(
    format: StoreFormat
  ) throws {
    let left = try Self.run(format) { context in
      var count = 0
      try context.forEach("Item") { old, new in
        count += 1
        let id = try old.value("id", as: Int64.self)
        try context.new.insert("Item", ["id": .integer(id + 100), "code": "new", "seen": 2])
        try context.delete("Item", key: RecordKey(.integer(id)))
      }
      #expect(count == 3)
      try context.forEach("Item") { _, _ in Issue.record("an old record without a new one") }
      #expect(try context.old.count(Query("Item")) == 3)
    }
    #expect(
      left == [
        "code='new' id=101 seen=2", "code='new' id=102 seen=2", "code='new' id=103 seen=2",
      ])
  }

  @Test(arguments: migratedFormats)
  func `everything may be deleted and made again under the same keys`(format: StoreFormat) throws {
    let left = try Self.run(format) { context in
      try context.new.delete(Query("Item"))
      #expect(try context.new.count(Query("Item")) == 0)
      try context.old.forEach(Query("Item")) { old in
        let id = try old.value("id", as: Int64.self)
        guard id != 2 else { return }
        try context.new.insert("Item", ["id": .integer(id), "code": .text("again"), "seen": 5])
      }
    }
    #expect(left == ["code='again' id=1 seen=5", "code='again' id=3 seen=5"])
  }

  // MARK: Renames

  @Test(arguments: migratedFormats)
  func `a renamed property keeps its values, its index, its key, and changes in further operations`(
    format: StoreFormat
  ) throws {
    let indexed = Self.model(indexes: [IndexDescription(["code"])])
    let rename = MigrationOperation.renameProperty(model: "Item", from: "code", to: "name")
    for (operations, line) in [
      ([rename], "id=1 name='c1'"),
      ([.removeIndex(model: "Item", IndexDescription(["code"])), rename], "id=1 name='c1'"),
      ([rename, .changePrimaryKey(model: "Item", to: ["name"])], "id=1 name='c1'"),
      ([.renameProperty(model: "Item", from: "id", to: "number")], "code='c1' number=1"),
      ([rename, .changeProperty(model: "Item", "name", .optional)], "id=1 name='c1'"),
    ] as [([MigrationOperation], String)] {
      let bench = try Self.filled(format, indexed)
      let migration = Migration("rename", from: 1, to: 2, operations: operations)
      let schema = try migration.applied(to: Schema(version: 1, [indexed]))
      #expect(
        try bench.migrate(to: schema, try Migrations(migration)) { try $0.dump("Item") }.first
          == line)
    }
  }

  @Test func `a rename of what is not there, or to what is there, is refused`() throws {
    let schema = try Schema(version: 1, [Self.model()])
    for (operation, code) in [
      (.renameProperty(model: "Item", from: "cod", to: "name"), .unknownProperty),
      (.renameProperty(model: "Itme", from: "code", to: "name"), .unknownModel),
      (.renameProperty(model: "Item", from: "code", to: "id"), .invalidSchema),
      (.renameModel(from: "Itme", to: "Thing"), .unknownModel),
    ] as [(MigrationOperation, StoreError.Code)] {
      let error = try #require(throws: StoreError.self) { _ = try operation.applied(to: schema) }
      #expect(error.code == code, "\(error)")
    }
  }
}

/// Counts calls of a step, which may come from any thread.
private final class Counter: Sendable {
  private let calls = Monitor(0)
  var value: Int { calls.withLock { $0 } }
  func add() { calls.withLock { $0 += 1 } }
}
