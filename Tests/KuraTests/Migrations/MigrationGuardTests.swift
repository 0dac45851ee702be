import Foundation
import Kura
import Testing

@testable import KuraCore

/// What the runner looks at before and after: the room on the disk, and what must have stayed.
@Suite("Guards of migrations")
struct MigrationGuardTests {
  private static func schema(_ version: Int, _ type: ValueType) throws -> Schema {
    try Schema(
      version: version,
      [
        ModelDescription(
          "Item", primaryKey: ["id"],
          properties: [PropertyDescription("id", .integer), PropertyDescription("n", type)])
      ])
  }

  @Test(arguments: migratedFormats)
  func `a migration without room is refused before it begins, and works with room`(
    format: StoreFormat
  ) throws {
    let bench = try MigrationBench(format)
    try bench.make(try Self.schema(1, .integer)) { try $0.insert("Item", ["id": 1, "n": 7]) }
    let migration = Migration("text", from: 1, to: 2) {
      MigrationOperation.changeProperty(model: "Item", "n", .type(.text))
    }
    let configuration = bench.configuration(
      try Self.schema(2, .text), try Migrations(migration), backup: .beforeMigrating(keep: 1))
    func run(_ space: Int64) throws {
      let engine = try EngineOpener.open(
        .file(bench.path), options: EngineOptions(access: .readWrite(create: false)),
        backends: Backends.default)
      defer { try? engine.close() }
      let runner = MigrationRunner(engine, configuration, MigrationMonitor(nil, nil))
      runner.availableSpace = { _ in space }
      _ = try runner.run()
    }
    let error = try #require(throws: StoreError.self) { try run(10_000) }
    #expect(error.code == .diskFull)
    #expect(error.found == "10000 bytes")
    #expect(error.suggestion?.hasPrefix("free ") == true)
    let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(!files.contains { $0.contains("backup") })
    try run(1 << 40)
    #expect(try Store.inspect(configuration) == .current)
  }

  private static func digest(_ rows: [[StoredValue]], keys: [Int]) -> RecordDigest {
    var digest = RecordDigest(columns: 2)
    for values in rows {
      let row = RowBuffer(columns: values.count)
      for (column, value) in values.enumerated() { row.setValue(value, at: column) }
      digest.add(row, keys: keys, chosen: [1, 2])
    }
    return digest
  }

  @Test func `the order of records does not count, where a value belongs does`() {
    let rows: [[StoredValue]] = [[1, "a", .null], [2, "b", 7], [3, "", -0.0]]
    let digest = Self.digest(rows, keys: [0])
    #expect(Self.digest(rows.reversed(), keys: [0]) == digest)
    #expect(digest.records == 3)
    #expect(digest.columns.map(\.nulls) == [0, 1])
    let exchanged: [[StoredValue]] = [[1, "b", .null], [2, "a", 7], [3, "", -0.0]]
    #expect(Self.digest(exchanged, keys: [0]) != digest)
    #expect(Self.digest(exchanged, keys: []) == Self.digest(rows, keys: []))
    for other: [StoredValue] in [
      [3, "", 0.0], [3, .null, -0.0], [3, "\u{0}", -0.0], [3, .data([]), -0.0],
    ] {
      #expect(Self.digest(Array(rows.dropLast()) + [other], keys: [0]) != digest, "\(other)")
    }
    #expect(Self.digest(rows + [rows[0]], keys: [0]) != digest)
  }

  @Test func `what differs after a change is named by model and property`() throws {
    let bench = try MigrationBench(.sqlite)
    try bench.make(try Self.schema(1, .integer)) { transaction in
      try transaction.insert("Item", ["id": 1, "n": 7])
      try transaction.insert("Item", ["id": 2, "n": 8])
    }
    let engine = try EngineOpener.open(
      .file(bench.path), options: EngineOptions(access: .readWrite(create: false)),
      backends: Backends.default)
    defer { try? engine.close() }
    let configuration = bench.configuration(try Self.schema(1, .integer))
    let transaction = try engine.beginWrite(timeout: nil)
    defer { transaction.end() }
    let executor = OperationExecutor(
      transaction, engine.capabilities, MigrationMonitor(nil, nil),
      Migration("x", from: 1, to: 2) {}, code: MigrationCodeRunner(engine, configuration),
      path: bench.path)
    let model = try #require(try Self.schema(1, .integer).model(named: "Item"))
    let before = try executor.digest(model, of: ["n"])
    let sql = try #require(transaction as? any SQLWriteTransaction)
    for (change, expected) in [
      ("UPDATE Item SET n = 15 - n", "\"Item\".\"n\""), ("DELETE FROM Item WHERE id = 2", "number"),
    ] {
      try sql.execute(sql: change, parameters: [:])
      let after = try executor.digest(model, of: ["n"])
      let error = try #require(throws: StoreError.self) {
        try executor.conserved(before, after, of: "Item", ["n"])
      }
      #expect(error.code == .notConserved)
      #expect(error.message.contains(expected), "\(error)")
    }
  }
}
