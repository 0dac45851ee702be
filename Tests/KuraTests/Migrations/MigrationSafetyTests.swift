import Foundation
import Kura
import Testing

/// What goes wrong in a migration leaves the store as it was, and says what to do.
@Suite("Migrations that meet trouble")
struct MigrationSafetyTests {
  private static let people = ModelDescription(
    "Person", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("mail", .text),
      PropertyDescription("age", .text),
    ])
  private static let toys = ModelDescription(
    "Toy", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer),
      PropertyDescription("owner", .integer, isOptional: true),
    ])

  private static func first() throws -> Schema { try Schema(version: 1, [people, toys]) }

  private static func filled(_ format: StoreFormat) throws -> MigrationBench {
    let bench = try MigrationBench(format)
    try bench.make(try first()) { transaction in
      try transaction.insert("Person", ["id": 1, "mail": "a@x", "age": "36"])
      try transaction.insert("Person", ["id": 2, "mail": "a@x", "age": "old"])
      try transaction.insert("Person", ["id": 3, "mail": "c@x", "age": "40"])
      try transaction.insert("Toy", ["id": 50, "owner": 777])
      try transaction.insert("Toy", ["id": 51, "owner": 1])
      try transaction.insert("Toy", ["id": 52, "owner": nil])
    }
    return bench
  }

  private static func chain(_ operations: MigrationOperation...) throws -> (Schema, Migrations) {
    let migration = Migration("second", from: 1, to: 2, operations: operations)
    return (try migration.applied(to: first()), try Migrations(migration))
  }

  /// Expects that opening throws, and that not a byte of the store differs afterwards.
  private func expectRefused(
    _ bench: MigrationBench, _ way: (Schema, Migrations), _ code: StoreError.Code
  ) throws -> StoreError {
    let before = try bench.folder.snapshot().filter { $0.hasPrefix("store ") }
    let error = try #require(throws: StoreError.self) {
      try Store.open(bench.configuration(way.0, way.1)).close()
    }
    #expect(error.code == code, "\(error)")
    let store = try Store.open(bench.configuration(try Self.first()))
    #expect(try store.read { try $0.dump("Person") }.count == 3)
    #expect(try store.history().records.isEmpty)
    try store.close()
    if bench.format == .lmdb {
      #expect(
        try bench.folder.snapshot().filter { $0.hasPrefix("store ") }.map { $0.suffix(100) }
          == before.map { $0.suffix(100) })
    }
    return error
  }

  @Test(arguments: migratedFormats)
  func `a value that cannot be converted is named by its key, never shown`(format: StoreFormat)
    throws
  {
    let error = try expectRefused(
      Self.filled(format), Self.chain(.changeProperty(model: "Person", "age", .type(.integer))),
      .conversionFailed)
    #expect(error.recordKey == RecordKey(2))
    #expect(!"\(error)".contains("old"))
    #expect(error.message.contains("operation 1"))
  }

  @Test(arguments: migratedFormats)
  func `a record that cannot be converted goes to quarantine with its values`(format: StoreFormat)
    throws
  {
    let bench = try Self.filled(format)
    let (schema, chain) = try Self.chain(
      .changeProperty(model: "Person", "age", .type(.integer, onFailure: .quarantine)))
    let (people, quarantined) = try bench.migrate(to: schema, chain) {
      (try $0.dump("Person"), try $0.quarantinedRecords())
    }
    #expect(people == ["age=36 id=1 mail='a@x'", "age=40 id=3 mail='c@x'"])
    let record = try #require(quarantined.first)
    #expect(quarantined.count == 1)
    #expect(record.values == ["id": 2, "mail": "a@x", "age": "old"])
    #expect(record.model == "Person" && record.migration == "second")
    #expect(record.reason.contains("age"))
    #expect(try bench.history(schema).first?.work.quarantined == 1)
    if format == .sqlite {
      #expect(
        try bench.stock("SELECT model, migration FROM kura_quarantine") == "Person|second\n")
    }
  }

  @Test(arguments: migratedFormats) func `a value that cannot be converted becomes null or default`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let (schema, chain) = try Self.chain(
      .changeProperty(
        model: "Person", "age",
        PropertyChange(type: .integer, isOptional: true, onFailure: .null)))
    #expect(
      try bench.migrate(to: schema, chain) { try $0.dump("Person") }
        == ["age=36 id=1 mail='a@x'", "age=null id=2 mail='a@x'", "age=40 id=3 mail='c@x'"])
  }

  @Test(arguments: migratedFormats) func `equal values of a new unique index are refused`(
    format: StoreFormat
  ) throws {
    _ = try expectRefused(
      Self.filled(format),
      Self.chain(.addIndex(model: "Person", IndexDescription(["mail"], isUnique: true))),
      .notUnique)
  }

  @Test(arguments: migratedFormats) func `equal values of a new key are refused, or quarantined`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let error = try expectRefused(
      bench, Self.chain(.changePrimaryKey(model: "Person", to: ["mail"])), .duplicateKey)
    #expect(error.recordKey == RecordKey(2))
    let (schema, chain) = try Self.chain(
      .changePrimaryKey(model: "Person", to: ["mail"], onFailure: .quarantine))
    #expect(
      try bench.migrate(to: schema, chain) { try $0.dump("Person") }
        == ["age='36' id=1 mail='a@x'", "age='40' id=3 mail='c@x'"])
  }

  @Test(arguments: migratedFormats)
  func `values that are no keys refuse a new reference, become null or go to quarantine`(
    format: StoreFormat
  ) throws {
    func reference(_ policy: MigrationFailurePolicy) throws -> (Schema, Migrations) {
      try Self.chain(
        .addReference(
          model: "Toy", property: "owner",
          ReferenceDescription(to: "Person", onDelete: .nullify), onFailure: policy))
    }
    let error = try expectRefused(Self.filled(format), reference(.fail), .brokenReference)
    #expect(error.recordKey == RecordKey(50))
    #expect(error.found == "1")
    let (schema, null) = try reference(.null)
    #expect(
      try Self.filled(format).migrate(to: schema, null) { try $0.dump("Toy") }
        == ["id=50 owner=null", "id=51 owner=1", "id=52 owner=null"])
    let (_, quarantine) = try reference(.quarantine)
    #expect(
      try Self.filled(format).migrate(to: schema, quarantine) {
        try $0.dump("Toy") + $0.quarantinedRecords().map { "\($0.values["owner"] ?? .null)" }
      } == ["id=51 owner=1", "id=52 owner=null", "integer(777)"])
  }

  @Test(arguments: migratedFormats)
  func `quarantine never leaves a reference behind`(format: StoreFormat) throws {
    let bench = try Self.filled(format)
    let (schema, chain) = try Self.chain(
      .delete(model: "Toy", where: "owner == 777"),
      .transform(model: "Toy", where: "owner == NULL", set: ["owner": "2"]),
      .addReference(
        model: "Toy", property: "owner", ReferenceDescription(to: "Person", onDelete: .nullify)),
      .changeProperty(model: "Person", "age", .type(.integer, onFailure: .quarantine)))
    _ = schema
    let error = try expectRefused(bench, (schema, chain), .brokenReference)
    #expect(error.recordKey == RecordKey(52))
  }

  @Test(arguments: migratedFormats) func `an assertion that does not hold undoes everything`(
    format: StoreFormat
  ) throws {
    let error = try expectRefused(
      Self.filled(format),
      Self.chain(
        .delete(model: "Person", where: "id == 1"),
        .assert(MigrationAssertion("Person", .count(where: nil, atLeast: 3, atMost: nil)))),
      .assertionFailed)
    #expect(error.found == "2 records")
    _ = try expectRefused(
      Self.filled(format), Self.chain(.delete(model: "Person", where: "id == 9", atLeast: 1)),
      .assertionFailed)
  }

  @Test(arguments: migratedFormats) func `an edited migration is not the one of the history`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let (schema, chain) = try Self.chain(
      .transform(model: "Person", where: "id == 1", set: ["mail": "'x'"]))
    try bench.migrate(to: schema, chain) { _ in }
    let (_, edited) = try Self.chain(
      .transform(model: "Person", where: "id == 2", set: ["mail": "'x'"]))
    let error = try #require(throws: StoreError.self) {
      try Store.open(bench.configuration(schema, edited))
    }
    #expect(error.code == .historyMismatch)
    #expect(error.found?.contains("+ set mail = 'x' of Person where id == 2") == true, "\(error)")
    // Somebody who knows better may say so, which is written down beside what was done.
    let notes = try Store.acceptHistory(bench.configuration(schema, edited))
    #expect(notes.map(\.kind) == [.accept])
    #expect(notes.map(\.checksum) == edited.all.map(\.checksum))
    let store = try Store.open(bench.configuration(schema, edited))
    let records = try store.history().records
    #expect(records.map(\.kind) == [.apply, .accept])
    #expect(records.map(\.checksum) == [chain.all[0].checksum, edited.all[0].checksum])
    #expect(records[1].operations == edited.all[0].operations)
    try store.close()
    #expect(try Store.acceptHistory(bench.configuration(schema, edited)) == [])
    // Another form of the same migration is the same.
    let json = try Migrations(json: ["// again\r\n" + (chain.all.first?.prettyJSON ?? "")])
    try Store.open(bench.configuration(schema, json)).close()
  }

  @Test(arguments: migratedFormats) func `what a caller cancels leaves no trace`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let (schema, chain) = try Self.chain(
      .changeProperty(model: "Person", "age", .type(.integer, onFailure: .quarantine)))
    let error = try #require(throws: StoreError.self) {
      try Store.open(bench.configuration(schema, chain)) { progress throws(StoreError) in
        if progress.phase == .verifying { throw StoreError(.cancelled, "enough") }
      }
    }
    #expect(error.code == .cancelled)
    #expect(
      try bench.migrate(to: schema, chain) { try $0.dump("Person") }.count == 2)
  }

  @Test(arguments: migratedFormats) func `progress says what is done, and how much of it`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let (schema, chain) = try Self.chain(
      .changeProperty(model: "Person", "age", .type(.integer, onFailure: .quarantine)))
    let seen = Monitor<[MigrationProgress]>([])
    var configuration = bench.configuration(schema, chain)
    configuration.backup = .beforeMigrating(keep: 1)
    try Store.open(configuration) { progress throws(StoreError) in
      seen.withLock { $0.append(progress) }
    }.close()
    let progress = seen.withLock { $0 }
    #expect(Set(progress.map(\.phase)) == [.backup, .running, .verifying])
    let running = progress.filter { $0.phase == .running }
    #expect(running.first?.total == 6)
    #expect(running.contains { $0.migration == "second" && $0.operation?.contains("age") == true })
  }

  @Test(arguments: migratedFormats) func `SQL needs a backend that has it`(format: StoreFormat)
    throws
  {
    let bench = try Self.filled(format)
    let way = try Self.chain(.sql("UPDATE Person SET mail = upper(mail)"))
    guard format == .sqlite else {
      _ = try expectRefused(bench, way, .unsupportedQuery)
      return
    }
    #expect(
      try bench.migrate(to: way.0, way.1) { try $0.dump("Person") }.first
        == "age='36' id=1 mail='A@X'")
  }
}
