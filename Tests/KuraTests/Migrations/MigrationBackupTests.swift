import Foundation
import Kura
import Testing

@Suite("Backups before migrations")
struct MigrationBackupTests {
  private static func schema(_ version: Int, _ type: ValueType) throws -> Schema {
    try Schema(
      version: version,
      [
        ModelDescription(
          "Item", primaryKey: ["id"],
          properties: [PropertyDescription("id", .integer), PropertyDescription("n", type)])
      ])
  }

  private func backups(_ bench: MigrationBench) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
      .filter { $0.contains(".backup-") && !$0.hasSuffix("-lock") }.sorted()
  }

  @Test(arguments: migratedFormats)
  func `a copy of the old store is kept, whole, and opens with the old schema`(format: StoreFormat)
    throws
  {
    let bench = try MigrationBench(format)
    let old = try Self.schema(1, .integer)
    try bench.make(old) { try $0.insert("Item", ["id": 1, "n": 7]) }
    let migration = Migration("text", from: 1, to: 2) {
      MigrationOperation.changeProperty(model: "Item", "n", .type(.text))
    }
    let new = try Self.schema(2, .text)
    try bench.migrate(
      to: new, try Migrations(migration), backup: .beforeMigrating(keep: 2)
    ) { _ in }
    let copies = try backups(bench)
    #expect(copies.count == 1)
    let copy = try #require(copies.first)
    #expect(copy.hasSuffix("-v1"))
    #expect(try bench.history(new).first?.backup == bench.folder.file(copy))
    var configuration = bench.configuration(old)
    configuration.location = .file(bench.folder.file(copy))
    let store = try Store.open(configuration)
    #expect(try store.read { try $0.dump("Item") } == ["id=1 n=7"])
    try store.close()
  }

  @Test(arguments: migratedFormats)
  func `the newest copies are kept, and what only adds makes none`(format: StoreFormat) throws {
    let bench = try MigrationBench(format)
    try bench.make(try Self.schema(1, .integer)) { try $0.insert("Item", ["id": 1, "n": 7]) }
    var migrations: [Migration] = []
    for version in 2...5 {
      migrations.append(
        Migration("m\(version)", from: version - 1, to: version) {
          MigrationOperation.transform(model: "Item", set: ["n": "n + 1"])
        })
      try bench.migrate(
        to: try Self.schema(version, .integer), try Migrations(migrations),
        backup: .beforeMigrating(keep: 2)
      ) { _ in }
    }
    #expect(try backups(bench).map { $0.suffix(3) } == ["-v3", "-v4"])
    var more = try #require(try Self.schema(5, .integer).model(named: "Item"))
    more.properties.append(PropertyDescription("x", .text, isOptional: true))
    try bench.migrate(
      to: try Schema(version: 6, [more]), try Migrations(migrations),
      backup: .beforeMigrating(keep: 2)
    ) { (transaction) throws in
      #expect(try transaction.dump("Item") == ["id=1 n=11 x=null"])
    }
    #expect(try backups(bench).map { $0.suffix(3) } == ["-v3", "-v4"])
  }
}
