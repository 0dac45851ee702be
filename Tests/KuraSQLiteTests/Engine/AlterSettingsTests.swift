import CSQLite
import Foundation
import KuraCore
import KuraTesting
import Testing

@testable import KuraSQLite

/// Builds of SQLite differ in what foreign keys and old rules of ALTER TABLE are set to; changes of models
/// come to the same whatever they find.
@Suite("Changes of models under other settings of SQLite")
struct AlterSettingsTests {
  @Test(arguments: [true, false], [true, false])
  func `references name a renamed model, also after it was written again`(
    foreignKeys: Bool, legacyAlter: Bool
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kura-alter-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("store").path
    let engine = try SQLiteBackend().open(.file(path), EngineOptions())
    defer { try? engine.close() }
    let transaction = try #require(try engine.beginWrite(timeout: nil) as? SQLiteWriteTransaction)
    defer { transaction.end() }
    func set() {
      transaction.connection.configure(SQLITE_DBCONFIG_ENABLE_FKEY, foreignKeys)
      transaction.connection.configure(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, legacyAlter)
    }
    func targets() throws -> [String] {
      let statement = try transaction.connection.prepare(
        "SELECT \"table\", on_delete FROM pragma_foreign_key_list('c')")
      var found: [String] = []
      while try statement.step() {
        found.append("\(statement.text(0) ?? "") \(statement.text(1) ?? "")")
      }
      return found
    }
    try transaction.apply(
      .createModel(
        ModelDescription(
          "p", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("n", .text, isOptional: true),
          ])))
    try transaction.apply(
      .createModel(
        ModelDescription(
          "c", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer),
            PropertyDescription(
              "parent", .integer, isOptional: true,
              reference: ReferenceDescription(to: "p", onDelete: .cascade)),
          ])))
    for sql in [
      "INSERT INTO p VALUES (1, 'a'), (2, 'b')", "INSERT INTO c VALUES (10, 1), (11, 2)",
    ] { try transaction.connection.execute(sql) }
    set()
    try transaction.apply(.renameModel(from: "p", to: "q"))
    #expect(try targets() == ["q CASCADE"])
    set()
    // SQLite writes the table again: the children must neither go nor change.
    try transaction.apply(
      .changeProperty(model: "q", PropertyDescription("n", .text)))
    #expect(try targets() == ["q CASCADE"])
    #expect(
      try transaction.connection.integer("SELECT count(*) FROM c WHERE parent IN (1, 2)") == 2)
    // And the settings are those of Kura's connections, so that the rule works.
    #expect(try transaction.connection.integer("PRAGMA foreign_keys") == 1)
    #expect(try transaction.connection.integer("PRAGMA legacy_alter_table") == 0)
    try transaction.connection.execute("DELETE FROM q WHERE id = 1")
    #expect(try transaction.connection.integer("SELECT count(*) FROM c") == 1)
    try transaction.commit()
  }
}
