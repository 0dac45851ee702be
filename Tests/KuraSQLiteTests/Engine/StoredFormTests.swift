import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

/// What is in the file, as a stock `sqlite3` sees it.
@Suite("The form of Kura's SQLite files")
struct StoredFormTests {
  private static let coop = ModelDescription(
    "Coop \"result\"", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("won", .bool, defaultValue: true),
      PropertyDescription("eggs", .integer, isOptional: true, defaultValue: .integer(.min)),
      PropertyDescription("rate", .double, isOptional: true),
      PropertyDescription("price", .decimal, isOptional: true),
      PropertyDescription("playedAt", .date, isOptional: true),
      PropertyDescription("title", .text, defaultValue: "it's"),
      PropertyDescription("image", .data, isOptional: true),
      PropertyDescription("code", .uuid, isOptional: true),
      PropertyDescription("object", .objectID, isOptional: true),
      PropertyDescription("tags", .json, isOptional: true),
      PropertyDescription("extra", .any, isOptional: true),
      PropertyDescription(
        "player", .text, isOptional: true,
        reference: ReferenceDescription(to: "Player", onDelete: .nullify)),
    ],
    indexes: [IndexDescription(["playedAt"]), IndexDescription(["code"], isUnique: true)])
  private static let player = ModelDescription(
    "Player", primaryKey: ["name"], properties: [PropertyDescription("name", .text)])

  private func filled() throws -> Workshop {
    let shop = try Workshop()
    let engine = try shop.make(Self.player, Self.coop)
    let layout = ModelLayout(Self.coop)
    let time = try #require(Timestamp(seconds: 1_764_464_523, nanoseconds: 123_456_789))
    let uuid = try #require(UUID(uuidString: "123E4567-E89B-12D3-A456-426614174000"))
    let object = try #require(ObjectID("507F1F77BCF86CD799439011"))
    try engine.write { transaction throws in
      try transaction.put(ModelLayout(Self.player), ["Callie"])
      try transaction.put(
        layout,
        [
          1, false, .integer(.max), -0.0, .decimal(try #require(Decimal(string: "-123.45"))),
          .date(time), "naïve\u{0}x", .data([0, 255]), .uuid(uuid), .objectID(object), "[1]", 2.5,
          "Callie",
        ])
      try transaction.put(
        layout,
        [
          2, true, .null, .double(.infinity), .null, .null, "", .data([]), .null, .null, .null,
          .data([1]), .null,
        ])
    }
    try engine.close()
    return shop
  }

  @Test("tables have the models' names, real keys, checks, defaults and references")
  func schemaText() throws {
    let shop = try filled()
    let sql = try shop.stock(
      "SELECT sql FROM sqlite_schema WHERE tbl_name = 'Coop \"result\"' AND sql IS NOT NULL "
        + "ORDER BY rowid")
    #expect(
      sql == """
        CREATE TABLE "Coop ""result\""" (
          "id" INTEGER PRIMARY KEY,
          "won" INTEGER NOT NULL DEFAULT 1 CHECK ("won" IN (0, 1)),
          "eggs" INTEGER DEFAULT (-9223372036854775807 - 1),
          "rate" ANY CHECK (typeof("rate") IN ('real', 'null')),
          "price" TEXT,
          "playedAt" TEXT,
          "title" TEXT NOT NULL DEFAULT 'it''s',
          "image" BLOB,
          "code" TEXT,
          "object" TEXT,
          "tags" TEXT,
          "extra" ANY,
          "player" TEXT,
          FOREIGN KEY ("player") REFERENCES "Player" ON DELETE SET NULL
        ) STRICT
        CREATE INDEX "kura_index_Coop ""result""_playedAt" ON "Coop ""result\""" ("playedAt")
        CREATE UNIQUE INDEX "kura_unique_Coop ""result""_code" ON "Coop ""result\""" ("code")
        CREATE INDEX "kura_ref_Coop ""result""_player" ON "Coop ""result\""" ("player")
        """)
    #expect(
      try shop.stock("SELECT sql FROM sqlite_schema WHERE name = 'Player'") == """
        CREATE TABLE "Player" (
          "name" TEXT NOT NULL,
          PRIMARY KEY ("name")
        ) STRICT, WITHOUT ROWID
        """)
  }

  @Test("values have the documented bytes")
  func storedBytes() throws {
    let shop = try filled()
    let columns = [
      "id", "won", "eggs", "rate", "price", "playedAt", "title", "image", "code", "object", "tags",
      "extra", "player",
    ]
    // A CAST to text stops at U+0000; a CAST to a blob does not.
    let list = columns.map { "typeof(\($0)) || ' ' || hex(\($0))" }.joined(separator: ", ")
    let rows = try shop.stock("SELECT \(list) FROM \"Coop \"\"result\"\"\" ORDER BY id")
    func hex(_ text: String) -> String { text.utf8.map { String(format: "%02X", $0) }.joined() }
    let first = [
      "integer " + hex("1"), "integer " + hex("0"), "integer " + hex("9223372036854775807"),
      "real " + hex("0.0"), "text " + hex("049787654~ -123.45"),
      "text " + hex("2025-11-30 01:02:03.123456789"), "text " + hex("naïve\u{0}x"), "blob 00FF",
      "text " + hex("123e4567-e89b-12d3-a456-426614174000"),
      "text " + hex("507f1f77bcf86cd799439011"), "text " + hex("[1]"), "real " + hex("2.5"),
      "text " + hex("Callie"),
    ]
    let second = [
      "integer " + hex("2"), "integer " + hex("1"), "null ", "real " + hex("Inf"), "null ", "null ",
      "text ", "blob ", "null ", "null ", "null ", "blob 01", "null ",
    ]
    #expect(rows == first.joined(separator: "|") + "\n" + second.joined(separator: "|"))
  }

  @Test("negative zero keeps its sign")
  func negativeZero() throws {
    let shop = try filled()
    #expect(
      try shop.stock("SELECT hex(ieee754_to_blob(rate)) FROM \"Coop \"\"result\"\"\" WHERE id = 1")
        == "8000000000000000")
  }

  @Test("the file says that it is Kura's, in WAL mode, and is sound")
  func pragmas() throws {
    let shop = try filled()
    #expect(try shop.names == ["store.sqlite"])
    #expect(
      try shop.stock(
        """
        PRAGMA integrity_check; PRAGMA foreign_key_check; PRAGMA application_id;
        PRAGMA user_version; PRAGMA journal_mode
        """) == "ok\n1263882817\n1\nwal")
    #expect(
      try shop.stock("SELECT name, value FROM kura_meta ORDER BY name")
        == "format|1\nschemaVersion|1")
    #expect(
      try shop.stock("SELECT version, length(fingerprint), json_valid(json) FROM kura_schema")
        == "1|64|1")
  }

  @Test("stock sqlite3 is held to the same constraints")
  func constraints() throws {
    let shop = try filled()
    for (values, failure) in [
      ("(3, 2, 0, 0.0, 't')", "CHECK"), ("(3, 1, 'x', 0.0, 't')", "INTEGER"),
      ("(3, 1, 1, 'x', 't')", "CHECK"), ("(3, 1, 1, 0.0, NULL)", "NOT NULL"),
      ("(1, 1, 1, 0.0, 't')", "UNIQUE"),
    ] {
      let child = try ChildProcess("sqlite3", ["-batch", shop.path])
      try child.say(".output stdout")
      try child.say(
        "CREATE TEMP TABLE before AS SELECT count(*) AS n FROM \"Coop \"\"result\"\"\";")
      try child.say(
        "INSERT INTO \"Coop \"\"result\"\"\" (id, won, eggs, rate, title) VALUES \(values);")
      try child.say("SELECT (SELECT n FROM before) = count(*) FROM \"Coop \"\"result\"\"\";")
      #expect(try child.finish().hasSuffix("1\n"), "\(failure) did not refuse \(values)")
    }
  }

  @Test("a value that another tool stored against its type is an error and no trap")
  func undecodable() throws {
    let layout = ModelLayout(Self.coop)
    for (column, value) in [
      ("playedAt", "'2025-02-30 00:00:00.000000000'"), ("playedAt", "'today'"),
      ("price", "'2502 12345'"), ("price", "'12.5'"), ("code", "'123e4567'"),
      ("object", "'zz7f1f77bcf86cd799439011'"), ("playedAt", "''"),
    ] {
      let shop = try filled()
      _ = try shop.stock("UPDATE \"Coop \"\"result\"\"\" SET \"\(column)\" = \(value) WHERE id = 1")
      let engine = try shop.open()
      try engine.read { transaction throws in
        let walk = expectError(.undecodable) { _ = try transaction.rows(layout) }
        #expect(walk?.message.contains(column) == true)
        #expect(walk?.message.contains("Coop \"result\"") == true)
        #expect(walk?.description.contains("zz7f") == false, "a value in the message")
        expectError(.undecodable) {
          _ = try transaction.record(
            1, in: layout, into: RowBuffer(columns: layout.columns.count))
        }
        // The other record is readable.
        let rows = try transaction.rows(
          BoundQuery(layout: layout, condition: .compareValue(column: 0, .equal, 2)))
        #expect(rows.count == 1)
      }
    }
  }

  @Test("malformed text and foreign types in a foreign table come as they are")
  func foreignValues() throws {
    let shop = try Workshop()
    _ = try shop.stock(
      """
      PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a, b TEXT, c REAL);
      INSERT INTO t VALUES (1, 'naïve 日本', 2), (x'00', 'a' || char(0) || 'b', -0.0), (NULL, '', 9e999)
      """)
    let wide = try shop.open(EngineOptions(access: .readOnly))
    try wide.read { transaction throws in
      #expect(
        try transaction.rows(sql: "SELECT * FROM t")
          == [
            [1, "naïve 日本", 2.0], [.data([0]), "a\u{0}b", 0.0],
            [.null, "", .double(.infinity)],
          ])
    }
    let bad = shop.folder + "/bad.sqlite"
    _ = try shop.stock(
      "CREATE TABLE t(a); INSERT INTO t VALUES (CAST(x'C328' AS TEXT)), (CAST(x'6100FF' AS TEXT))",
      file: bad)
    let engine = try SQLiteBackend().open(.file(bad), EngineOptions(access: .readOnly))
    let read = try #require(try engine.beginRead() as? any SQLReadTransaction)
    #expect(
      try read.rows(sql: "SELECT a FROM t")
        == [[.malformedText([0xC3, 0x28])], [.malformedText([0x61, 0, 0xFF])]])
    read.end()
    try engine.close()
  }
}
