import Foundation
import Kura
import Testing

/// Faults that migrations of other tools had and no other suite tries; docs/migrations.md has the table.
@Suite("Migrations against known faults")
struct MigrationCaseTests {
  private static func first() throws -> Schema {
    try Schema(
      version: 1,
      [
        ModelDescription(
          "Item", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("group", .integer),
            PropertyDescription("n", .integer),
          ], indexes: [IndexDescription(["group"])])
      ])
  }

  private static func filled(_ format: StoreFormat, count: Int64 = 10) throws -> MigrationBench {
    let bench = try MigrationBench(format)
    try bench.make(try first()) { transaction in
      for id in 1...count {
        try transaction.insert(
          "Item", ["id": .integer(id), "group": .integer(id % 3), "n": .integer(id)])
      }
    }
    return bench
  }

  @Test(arguments: migratedFormats)
  func `an index keeps all entries of records with equal values`(format: StoreFormat) throws {
    let bench = try Self.filled(format, count: 3000)
    let migration = Migration("second", from: 1, to: 2) {
      MigrationOperation.changeProperty(model: "Item", "n", .type(.text))
      MigrationOperation.changeProperty(model: "Item", "group", .type(.text))
    }
    let schema = try migration.applied(to: Self.first())
    try bench.migrate(to: schema, try Migrations(migration)) { (transaction) throws in
      for group in 0..<3 {
        let query = try Query(parsing: "Item WHERE group == '\(group)'")
        #expect(try transaction.explain(query).contains { $0.contains("group") })
        #expect(try transaction.count(query) == 1000)
      }
      #expect(try transaction.count(Query("Item")) == 3000)
    }
    #expect(try bench.history(schema).first?.work.records == 6000)
  }

  @Test(arguments: migratedFormats)
  func `a name that is no property is refused before anything happens, never taken for a text`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let migration = Migration("second", from: 1, to: 2) {
      MigrationOperation.transform(model: "Item", set: ["n": "zz + 1"])
    }
    let before = try bench.bytes()
    let error = try #require(throws: StoreError.self) {
      _ = try migration.applied(to: Self.first())
    }
    #expect(error.code == .unknownProperty)
    #expect(throws: StoreError.self) {
      try Store.open(
        bench.configuration(
          try Schema(version: 2, try Self.first().models), try Migrations(migration)))
    }
    #expect(try bench.bytes() == before)
  }

  @Test(arguments: migratedFormats)
  func `a store in a write transaction of this process is not migrated`(format: StoreFormat) throws
  {
    let bench = try Self.filled(format)
    let migration = Migration("second", from: 1, to: 2) {
      MigrationOperation.changeProperty(model: "Item", "n", .type(.text))
    }
    let schema = try migration.applied(to: Self.first())
    var configuration = bench.configuration(schema, try Migrations(migration))
    configuration.busyTimeout = .milliseconds(20)
    let migrating = configuration
    let store = try Store.open(bench.configuration(try Self.first()))
    try store.write { transaction in
      try transaction.delete("Item", key: 1)
      let error = try #require(throws: StoreError.self) { try Store.migrate(migrating) }
      #expect(error.code.kind == .busy || error.code == .nestedWrite, "\(error)")
    }
    #expect(try store.read { try $0.count(Query("Item")) } == 9)
    #expect(try store.history().records.isEmpty)
    try store.close()
  }

  @Test func `the version is what SQLite's user_version says, and fits into it`() throws {
    let error = try #require(throws: StoreError.self) {
      _ = try Schema(version: 2_147_483_648, try Self.first().models)
    }
    #expect(error.code == .invalidSchema)
    let bench = try Self.filled(.sqlite)
    let last = try Schema(version: 2_147_483_647, try Self.first().models)
    try bench.migrate(to: last) { _ in }
    #expect(try bench.stock("PRAGMA user_version") == "2147483647\n")
  }

  @Test(arguments: migratedFormats)
  func `a chain that fails at a later code step leaves the version before it, whole`(
    format: StoreFormat
  ) throws {
    struct Trouble: Error {}
    let bench = try Self.filled(format, count: 20)
    let second = Migration("second", from: 1, to: 2) {
      MigrationOperation.changeProperty(model: "Item", "n", .type(.text))
    }
    let third = Migration("third", from: 2, to: 3) {
      MigrationOperation.addProperty(
        model: "Item", PropertyDescription("mark", .text, isOptional: true))
      MigrationOperation.code("mark", changes: ["Item"])
    }
    let middle = try second.applied(to: Self.first())
    let last = try third.applied(to: middle)
    let bad = MigrationCodeStep("mark") { context in
      try context.forEach("Item") { old, new in
        try new.set("mark", "x")
        if old["id"] == 15 { throw Trouble() }
      }
    }
    let error = try #require(throws: StoreError.self) {
      try Store.open(bench.configuration(last, try Migrations(second, third, code: [bad]))).close()
    }
    #expect(error.code == .codeStepFailed)
    // Version 2 in full: its history, its records, the shape of a fresh store.
    #expect(try bench.history(middle).map(\.id) == ["second"])
    try bench.migrate(to: middle, try Migrations(second)) { (transaction) throws in
      #expect(
        try transaction.dump("Item")
          == (1...20).map { "group=\($0 % 3) id=\($0) n='\($0)'" })
    }
    let good = MigrationCodeStep("mark") { context in
      try context.forEach("Item") { _, new in try new.set("mark", "x") }
    }
    try bench.migrate(to: last, try Migrations(second, third, code: [good])) {
      (transaction) throws in
      #expect(
        try transaction.dump("Item")
          == (1...20).map { "group=\($0 % 3) id=\($0) mark='x' n='\($0)'" })
    }
    #expect(try bench.history(last).map(\.id) == ["second", "third"])
  }

  @Test(arguments: migratedFormats)
  func `two properties change places, also with values of many pages`(format: StoreFormat) throws {
    let first = try Schema(
      version: 1,
      [
        ModelDescription(
          "Pair", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("a", .text),
            PropertyDescription("b", .text, isOptional: true),
            PropertyDescription("c", .data), PropertyDescription("d", .data),
          ])
      ])
    let bench = try MigrationBench(format)
    let long = String(repeating: "ä", count: 9000)
    let data = [UInt8](repeating: 7, count: 20_000)
    try bench.make(first) { transaction in
      try transaction.insert(
        "Pair", ["id": 1, "a": .text(long), "b": "kurz", "c": .data(data), "d": .data([])])
      try transaction.insert(
        "Pair", ["id": 2, "a": "x", "b": .text(long), "c": .data([0]), "d": .data(data)])
    }
    let migration = Migration("second", from: 1, to: 2) {
      MigrationOperation.transform(
        model: "Pair", where: "id > 0", set: ["a": "b", "b": "a", "c": "d", "d": "c"])
    }
    let schema = try migration.applied(to: first)
    try bench.migrate(to: schema, try Migrations(migration)) { (transaction) throws in
      let records = try transaction.records(Query("Pair"))
      #expect(records.map { $0["a"] } == ["kurz", .text(long)])
      #expect(records.map { $0["b"] } == [.text(long), "x"])
      #expect(records.map { $0["c"] } == [.data([]), .data(data)])
      #expect(records.map { $0["d"] } == [.data(data), .data([0])])
    }
  }

  @Test func `a stored value that is not of its property's type stops a migration`() throws {
    let first = try Schema(
      version: 1,
      [
        ModelDescription(
          "Item", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("day", .date),
            PropertyDescription("n", .integer),
          ])
      ])
    let bench = try MigrationBench(.sqlite)
    try bench.make(first)
    #expect(try bench.stock("INSERT INTO Item VALUES (1, 'no day', 3)") == "")
    let migration = Migration("second", from: 1, to: 2) {
      MigrationOperation.changeProperty(model: "Item", "n", .type(.text))
    }
    let error = try #require(throws: StoreError.self) {
      try Store.open(
        bench.configuration(try migration.applied(to: first), try Migrations(migration))
      ).close()
    }
    #expect(error.code == .undecodable, "\(error)")
    #expect(try bench.stock("SELECT typeof(n), day FROM Item") == "integer|no day\n")
  }
}
