import Foundation
import Kura
import Testing

/// A backup comes back in the place of the store, whole, and nothing of the store's time after it.
@Suite("Restoring a store from a backup")
struct StoreRestoreTests {
  private static func schemas() throws -> (Schema, Schema, Migrations) {
    let first = try Schema(
      version: 1,
      [
        ModelDescription(
          "Item", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("n", .integer),
            PropertyDescription("data", .data, isOptional: true),
          ], indexes: [IndexDescription(["n"])])
      ])
    let migration = Migration("text", from: 1, to: 2) {
      MigrationOperation.changeProperty(model: "Item", "n", .type(.text))
    }
    return (first, try migration.applied(to: first), try Migrations(migration))
  }

  private static let old = (1...300).map { "data=data(\(bytes($0))) id=\($0) n=\($0 * 7)" }
  private static func bytes(_ id: Int) -> [UInt8] { [UInt8(id & 0xFF), 0, 255] }

  /// A store that was migrated with a backup, then written to; and the backup's path.
  private static func migrated(_ format: StoreFormat) throws -> (MigrationBench, String) {
    let (first, second, chain) = try schemas()
    let bench = try MigrationBench(format)
    try bench.make(first) { transaction in
      for id in 1...300 {
        try transaction.insert(
          "Item",
          [
            "id": .integer(Int64(id)), "n": .integer(Int64(id) * 7), "data": .data(bytes(id)),
          ])
      }
    }
    let store = try Store.open(
      bench.configuration(second, chain, backup: .beforeMigrating(keep: 2)))
    let backup = try #require(try store.history().records.first?.backup)
    try store.write { transaction in
      try transaction.delete(Query("Item"))
      try transaction.insert("Item", ["id": 9999, "n": "later"])
    }
    try store.close()
    return (bench, backup)
  }

  @Test(arguments: migratedFormats)
  func `content, schema and history are those of the backup, which stays`(format: StoreFormat)
    throws
  {
    let (bench, backup) = try Self.migrated(format)
    let (first, second, chain) = try Self.schemas()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
    #expect(try Store.restore(bench.configuration(second, chain), from: backup) == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: backup)) == bytes)
    // Nothing of the old generation lies beside it.
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(
      Set(names).isSubset(of: [
        "store", "store-lock", "fresh", "fresh-lock", (backup as NSString).lastPathComponent,
        (backup as NSString).lastPathComponent + "-lock",
      ]), "\(names)")
    let store = try Store.open(bench.configuration(first))
    #expect(try store.read { try $0.dump("Item") } == Self.old)
    #expect(try store.history().records.isEmpty)
    try store.close()
    // And it goes the way once more.
    try bench.migrate(to: second, chain) { (transaction) throws in
      #expect(try transaction.dump("Item").last == "data=data([44, 0, 255]) id=300 n='2100'")
    }
    if format == .sqlite { #expect(try bench.stock("PRAGMA integrity_check") == "ok\n") }
  }

  @Test func `a log that a crash left is not applied to the restored store`() throws {
    let (bench, backup) = try Self.migrated(.sqlite)
    let (first, second, chain) = try Self.schemas()
    // The files as a killed process leaves them: commits that are in the log only.
    let store = try Store.open(bench.configuration(second, chain))
    try store.write { transaction in
      try transaction.insert("Item", ["id": 10000, "n": "in the log"])
    }
    let files = ["store", "store-wal", "store-shm"]
    let crashed = try files.map {
      try Data(contentsOf: URL(fileURLWithPath: bench.folder.file($0)))
    }
    try store.close()
    for (name, content) in zip(files, crashed) {
      try content.write(to: URL(fileURLWithPath: bench.folder.file(name)))
    }
    try Store.restore(bench.configuration(second, chain), from: backup)
    let restored = try Store.open(bench.configuration(first))
    #expect(try restored.read { try $0.dump("Item") } == Self.old)
    try restored.close()
  }

  @Test(arguments: migratedFormats)
  func `a store that is missing or damaged is made anew`(format: StoreFormat) throws {
    let (bench, backup) = try Self.migrated(format)
    let (first, second, chain) = try Self.schemas()
    for round in 0..<2 {
      if round == 0 {
        try FileManager.default.removeItem(atPath: bench.path)
      } else {
        // Everything after the first page or the meta pages is gone.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: bench.path))
        try handle.truncate(atOffset: 8192 + 100)
        try handle.close()
      }
      try Store.restore(bench.configuration(second, chain), from: backup)
      let store = try Store.open(bench.configuration(first))
      #expect(try store.read { try $0.dump("Item") } == Self.old)
      try store.close()
    }
  }

  @Test(arguments: migratedFormats)
  func `a store that is open is not replaced, and neither is one by what is no backup`(
    format: StoreFormat
  ) throws {
    let (bench, backup) = try Self.migrated(format)
    let (_, second, chain) = try Self.schemas()
    let store = try Store.open(bench.configuration(second, chain))
    let error = try #require(throws: StoreError.self) {
      try Store.restore(bench.configuration(second, chain), from: backup)
    }
    #expect(error.code == .locked)
    #expect(try store.read { try $0.count(Query("Item")) } == 1)
    try store.close()
    let before = try bench.bytes()
    let other = bench.folder.file("other")
    try Data((0..<9000).map { _ in 0x41 }).write(to: URL(fileURLWithPath: other))
    for path in [other, bench.folder.file("nothing")] {
      #expect(throws: StoreError.self) {
        try Store.restore(bench.configuration(second, chain), from: path)
      }
    }
    #expect(try bench.bytes() == before)
  }

  @Test func `a database of another program is not replaced`() throws {
    let (bench, backup) = try Self.migrated(.sqlite)
    let (_, second, chain) = try Self.schemas()
    try FileManager.default.removeItem(atPath: bench.path)
    #expect(try bench.stock("CREATE TABLE notes(a); INSERT INTO notes VALUES('mine')") == "")
    let error = try #require(throws: StoreError.self) {
      try Store.restore(bench.configuration(second, chain), from: backup)
    }
    #expect(error.code == .foreign)
    #expect(try bench.stock("SELECT a FROM notes") == "mine\n")
  }
}
