import Foundation
import Kura
import Testing

/// Views, triggers, full-text search and rows that other programs put into an SQLite store.
@Suite("Migrations of SQLite stores with other objects")
struct MigrationObjectTests {
  private static func schema(_ version: Int, _ type: ValueType = .integer) throws -> Schema {
    try Schema(
      version: version,
      [
        ModelDescription(
          "Page", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("title", .text),
            PropertyDescription("size", type),
            PropertyDescription("extra", .text, isOptional: true),
          ]),
        ModelDescription(
          "Link", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer),
            PropertyDescription(
              "page", .integer, reference: ReferenceDescription(to: "Page", onDelete: .cascade)),
          ]),
        ModelDescription(
          "Star", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer),
            PropertyDescription(
              "page", .integer, isOptional: true,
              reference: ReferenceDescription(to: "Page", onDelete: .nullify)),
          ]),
      ])
  }

  private static func filled(_ objects: String = "") throws -> MigrationBench {
    let bench = try MigrationBench(.sqlite)
    try bench.make(try schema(1)) { transaction in
      try transaction.insert("Page", ["id": 1, "title": "one", "size": 10])
      try transaction.insert("Page", ["id": 2, "title": "two", "size": 20])
      try transaction.insert("Page", ["id": 3, "title": "three", "size": 30])
      try transaction.insert("Link", ["id": 10, "page": 1])
      try transaction.insert("Link", ["id": 11, "page": 2])
      try transaction.insert("Star", ["id": 20, "page": 1])
    }
    if !objects.isEmpty { #expect(try bench.stock(objects) == "") }
    return bench
  }

  private static let retype = Migration("retype", from: 1, to: 2) {
    MigrationOperation.changeProperty(model: "Page", "size", .type(.text))
  }

  @Test func `records that refer to a rewritten model stay, and their rules still work`() throws {
    let bench = try Self.filled()
    let required = Migration("required", from: 2, to: 3) {
      MigrationOperation.changeProperty(
        model: "Page", "extra", PropertyChange(isOptional: false, replacingNulls: "-"))
      MigrationOperation.changeProperty(model: "Page", "extra", .defaultValue("?"))
    }
    let schema = try required.applied(to: Self.schema(2, .text))
    try bench.migrate(to: schema, try Migrations(Self.retype, required)) { _ in }
    #expect(try bench.stock("SELECT * FROM Link; SELECT * FROM Star") == "10|1\n11|2\n20|1\n")
    #expect(
      try bench.stock("SELECT id, title, size, extra FROM Page")
        == "1|one|10|-\n2|two|20|-\n3|three|30|-\n")
    #expect(
      try bench.stock(
        "SELECT \"table\" FROM pragma_foreign_key_list('Link'); PRAGMA foreign_key_check")
        == "Page\n")
    #expect(
      try bench.stock(
        "PRAGMA foreign_keys = ON; DELETE FROM Page WHERE id = 1; SELECT * FROM Link; "
          + "SELECT id, page FROM Star") == "11|2\n20|\n")
  }

  @Test func `views, triggers, and indexes of SQL survive a rewrite, byte for byte`() throws {
    let objects = """
      CREATE TABLE log(t);
      CREATE VIEW v AS SELECT title, size FROM Page;
      CREATE INDEX partial ON Page (lower(title)) WHERE size > 5;
      CREATE TRIGGER noted AFTER UPDATE ON Page BEGIN INSERT INTO log VALUES (new.title); END;
      CREATE TRIGGER other AFTER INSERT ON log BEGIN UPDATE Page SET extra = 'x' WHERE id = 3; END;
      """
    let bench = try Self.filled(objects)
    let listing = """
      SELECT type, name, sql FROM sqlite_schema
      WHERE name IN ('v', 'partial', 'noted', 'other', 'log') ORDER BY name
      """
    let before = try bench.stock(listing)
    let store = try Store.open(
      bench.configuration(try Self.schema(2, .text), try Migrations(Self.retype)))
    try store.close()
    #expect(try bench.stock(listing) == before)
    #expect(try bench.stock("SELECT count(*) FROM v") == "3\n")
    #expect(try bench.stock("SELECT count(*) FROM log") == "0\n")
    #expect(
      try bench.stock(
        "UPDATE Page SET title = 'new' WHERE id = 1; SELECT t FROM log; "
          + "SELECT extra FROM Page WHERE id = 3") == "new\nx\n")
    #expect(try bench.stock("PRAGMA integrity_check") == "ok\n")
  }

  @Test func `a view that would break stops the migration, and nothing changes`() throws {
    let bench = try Self.filled("CREATE VIEW v AS SELECT title FROM Page")
    for migration in [
      Migration("drop", from: 1, to: 2) {
        MigrationOperation.removeProperty(model: "Page", "title")
      },
      Migration("split", from: 1, to: 2) {
        MigrationOperation.splitProperty(
          model: "Page", "title",
          into: [
            PropertyDescription("a", .text), PropertyDescription("b", .text, isOptional: true),
          ],
          separator: " ")
      },
    ] {
      let error = try #require(throws: StoreError.self) {
        try Store.open(
          bench.configuration(
            try migration.applied(to: Self.schema(1)), try Migrations(migration)))
      }
      #expect(error.code == .dependentObject, "\(error)")
      #expect(error.message.contains("view v"), "\(error)")
      #expect(try bench.stock("SELECT group_concat(title) FROM v") == "one,two,three\n")
      #expect(
        try bench.stock("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'kura_new%'") == "0\n")
    }
  }

  @Test func `a full-text index over a model finds the same rows after a rewrite`() throws {
    let bench = try Self.filled(
      """
      DELETE FROM Page WHERE id = 1;
      CREATE VIRTUAL TABLE search USING fts5(title, content='Page', content_rowid='id');
      INSERT INTO search(search) VALUES ('rebuild');
      CREATE TRIGGER sync AFTER INSERT ON Page BEGIN
        INSERT INTO search(rowid, title) VALUES (new.id, new.title); END;
      """)
    let store = try Store.open(
      bench.configuration(try Self.schema(2, .text), try Migrations(Self.retype)))
    try store.close()
    #expect(try bench.stock("SELECT rowid FROM search WHERE search MATCH 'three'") == "3\n")
    #expect(
      try bench.stock("INSERT INTO search(search, rank) VALUES ('integrity-check', 1)") == "")
    #expect(
      try bench.stock(
        "INSERT INTO Page VALUES (4, 'four', '1', NULL); "
          + "SELECT rowid FROM search WHERE search MATCH 'four'") == "4\n")
  }

  @Test func `references that led nowhere before stay as they are`() throws {
    let bench = try Self.filled("INSERT INTO Link VALUES (12, 777)")
    let schema = try Self.schema(2, .text)
    let store = try Store.open(bench.configuration(schema, try Migrations(Self.retype)))
    try store.close()
    #expect(try bench.stock("PRAGMA foreign_key_check") == "Link|12|Page|0\n")
    #expect(try bench.stock("SELECT page FROM Link WHERE id = 12") == "777\n")
    let delete = Migration("delete", from: 2, to: 3) {
      MigrationOperation.changeProperty(
        model: "Page", "size", .type(.integer, onFailure: .quarantine))
    }
    #expect(try bench.stock("UPDATE Page SET size = 'big' WHERE id = 2") == "")
    let error = try #require(throws: StoreError.self) {
      try Store.open(
        bench.configuration(
          try delete.applied(to: schema), try Migrations(Self.retype, delete)))
    }
    #expect(error.code == .brokenReference, "\(error)")
  }

  @Test func `a table that somebody changed is not migrated over their change`() throws {
    let bench = try Self.filled("ALTER TABLE Page ADD COLUMN theirs TEXT")
    let error = try #require(throws: StoreError.self) {
      try Store.open(
        bench.configuration(try Self.schema(2, .text), try Migrations(Self.retype)))
    }
    #expect(error.code == .drifted)
    #expect(error.found == "a property Page.theirs")
  }

  @Test func `SQL may not end the transaction, and may not change tables of models`() throws {
    for (sql, code) in [
      ("COMMIT", StoreError.Code.invalidSQL),
      ("ALTER TABLE Page ADD COLUMN mine TEXT", .notConserved),
      ("CREATE TABLE x(a UNIQUE ON CONFLICT ROLLBACK); INSERT INTO x VALUES (1), (1)", .notUnique),
    ] {
      let bench = try Self.filled()
      let migration = Migration("sql", from: 1, to: 2) { MigrationOperation.sql(sql) }
      let error = try #require(throws: StoreError.self) {
        try Store.open(bench.configuration(try Self.schema(2), try Migrations(migration)))
      }
      #expect(error.code == code, "\(sql): \(error)")
      #expect(try bench.stock("PRAGMA user_version; SELECT count(*) FROM Page") == "1\n3\n")
      #expect(try bench.stock("SELECT count(*) FROM sqlite_schema WHERE name = 'x'") == "0\n")
    }
  }

  @Test func `objects of SQL are made, replaced and removed`() throws {
    let bench = try Self.filled("CREATE VIEW v AS SELECT 1; CREATE VIEW w AS SELECT 2")
    let migration = Migration("objects", from: 1, to: 2) {
      MigrationOperation.createObject(
        SQLObject(.view, "v", sql: "CREATE VIEW v AS SELECT title FROM Page"))
      MigrationOperation.removeObject(.view, "w")
      MigrationOperation.createObject(
        SQLObject(.index, "by_length", sql: "CREATE INDEX by_length ON Page (length(title))"))
    }
    let store = try Store.open(
      bench.configuration(try Self.schema(2), try Migrations(migration)))
    try store.close()
    #expect(try bench.stock("SELECT count(*) FROM v") == "3\n")
    #expect(
      try bench.stock(
        "SELECT name FROM sqlite_schema WHERE name IN ('v', 'w', 'by_length') ORDER BY 1")
        == "by_length\nv\n")
  }
}
