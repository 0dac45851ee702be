import CSQLite
import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

@Suite struct `Changes that SQLite tells` {
  private static let person = ModelDescription(
    "Person", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("name", .text),
      PropertyDescription("code", .integer, isOptional: true),
    ], indexes: [IndexDescription(["code"], isUnique: true)])
  private static let tag = ModelDescription(
    "Tag", primaryKey: ["name"],
    properties: [
      PropertyDescription(
        "person", .integer,
        reference: ReferenceDescription(to: "Person", onDelete: .cascade)),
      PropertyDescription("name", .text),
    ])
  private let people = ModelLayout(person)
  private let tags = ModelLayout(tag)
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  /// Kinds and properties of changes: `+` new, `-` gone, or the places of properties; nothing for a
  /// model of which anything may have changed.
  private func changes(
    _ engine: SQLiteEngine, in models: Set<String>? = nil,
    _ body: (SQLiteWriteTransaction) throws -> Void
  ) throws -> [String: [RecordKey: String]?]? {
    let recorder = ChangeRecorder(models: models)
    try engine.write { transaction in
      transaction.recordChanges(in: recorder)
      try body(transaction)
    }
    let set = recorder.changeSet()
    return set.isComplete ? set.models.mapValues(text) : nil
  }

  private func text(_ changes: ChangeSet.ModelChanges) -> [RecordKey: String]? {
    guard case .records(let records) = changes else { return nil }
    return Dictionary(
      uniqueKeysWithValues: records.map { record in
        switch record.kind {
        case .insertion: (record.key, "+")
        case .deletion: (record.key, "-")
        case .modification where record.properties == .all: (record.key, "all")
        case .modification:
          (
            record.key,
            (0..<64).filter { record.properties.contains($0) }.map(String.init)
              .joined(separator: " ")
          )
        }
      })
  }

  private func filled() throws -> SQLiteEngine {
    let engine = try workshop.make(Self.person, Self.tag)
    try engine.write { transaction in
      for number in 1...3 {
        try transaction.put(people, [.integer(Int64(number)), "name", .integer(Int64(number))])
      }
      try transaction.put(tags, [1, "a"])
      try transaction.put(tags, [2, "b"])
    }
    return engine
  }

  @Test func `the library that tests run with has the hook`() {
    #if os(Linux)
      #expect(kura_sqlite3_has_preupdate_hook() != 0)
    #endif
  }

  @Test func `raw SQL is told, with what foreign keys do`() throws {
    let engine = try filled()
    let found = try changes(engine) { transaction in
      try transaction.execute(
        sql: """
          UPDATE Person SET name = 'name', code = code + 10 WHERE id = 3;
          DELETE FROM Person WHERE id = 1;
          INSERT INTO Tag VALUES ('c', 2);
          """, parameters: [:])
    }
    #expect(found == ["Person": [1: "-", 3: "2"], "Tag": ["a": "-", "c": "+"]])
  }

  @Test func `REPLACE is a deletion of what it replaces`() throws {
    let engine = try filled()
    let found = try changes(engine) { transaction in
      try transaction.execute(
        sql: "REPLACE INTO Person VALUES (1, 'one', 3), (7, 'new', 2)", parameters: [:])
    }
    // 3 had the code that 1 gets now, 2 that of 7; 2 has a tag.
    #expect(
      found == ["Person": [1: "all", 3: "-", 2: "-", 7: "+"], "Tag": ["a": "-", "b": "-"]])
    #expect(try workshop.stock("SELECT id FROM Person ORDER BY id") == "1\n7")
  }

  @Test func `triggers are told, also those that empty a table in a kept statement`() throws {
    let engine = try filled()
    try engine.write { transaction in
      try transaction.execute(
        sql: """
          CREATE TABLE audit(entry TEXT);
          CREATE TRIGGER t AFTER INSERT ON Person BEGIN
            DELETE FROM Tag;
            INSERT INTO audit VALUES (new.name);
          END;
          """, parameters: [:])
      // Makes the statement while nobody wants to know.
      try transaction.put(people, [10, "x", .null])
      try transaction.put(tags, [2, "b"])
    }
    let found = try changes(engine) { try $0.put(people, [11, "y", .null]) }
    #expect(found == ["Person": [11: "+"], "Tag": ["b": "-"], "audit": [2: "+"]])
  }

  @Test func `SQL that fails notes nothing`() throws {
    let engine = try filled()
    let found = try changes(engine) { transaction in
      expectError(.notUnique) {
        try transaction.execute(
          sql: "DELETE FROM Person WHERE id = 1; UPDATE Person SET code = 9", parameters: [:])
      }
      try transaction.put(tags, [3, "d"])
    }
    #expect(found == ["Tag": ["d": "+"]])
  }

  @Test func `SQL that changes the schema may have changed anything`() throws {
    let engine = try filled()
    let found = try changes(engine) { transaction in
      try transaction.put(tags, [3, "d"])
      try transaction.execute(sql: "ALTER TABLE Person ADD COLUMN more TEXT", parameters: [:])
    }
    #expect(found == nil)
  }

  @Test func `walks that write are told`() throws {
    let engine = try filled()
    let found = try changes(engine) { transaction in
      let rows = try transaction.rows(
        sql: "INSERT INTO Person VALUES (8, 'eight', NULL) RETURNING id")
      #expect(rows == [[8]])
    }
    #expect(found == ["Person": [8: "+"]])
    let failed = try changes(engine) { transaction in
      expectError(.notUnique) {
        _ = try transaction.rows(sql: "UPDATE Person SET code = 5 RETURNING id")
      }
    }
    #expect(failed == nil)
  }

  @Test func `nothing is noted after the transaction`() throws {
    let engine = try filled()
    let recorder = ChangeRecorder()
    let transaction = try #require(
      try engine.beginWrite(timeout: nil) as? SQLiteWriteTransaction)
    transaction.recordChanges(in: recorder)
    try transaction.put(tags, [3, "d"])
    transaction.end()
    try engine.write { try $0.put(tags, [3, "e"]) }
    #expect(recorder.changeSet().models.mapValues(text) == ["Tag": ["d": "+"]])
  }

  // MARK: Files of others

  @Test func `tables of others are told by the keys that reading gives`() throws {
    _ = try workshop.stock(
      """
      CREATE TABLE number(id INTEGER PRIMARY KEY, a);
      CREATE TABLE word(a, w TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE pair(a, y INT, x TEXT, PRIMARY KEY (x, y)) WITHOUT ROWID;
      CREATE TABLE bare(a);
      CREATE TABLE real_key(a, r REAL PRIMARY KEY NOT NULL);
      CREATE TABLE computed(id INTEGER PRIMARY KEY, a, b AS (a + 1));
      CREATE TABLE nulls(k TEXT PRIMARY KEY, a);
      INSERT INTO number VALUES (5, 'x'); INSERT INTO word VALUES (1, 'w');
      INSERT INTO pair VALUES (1, 2, 'x'); INSERT INTO bare VALUES (7);
      INSERT INTO real_key VALUES (1, 5); INSERT INTO computed(a) VALUES (1);
      """)
    let engine = try workshop.open(EngineOptions(access: .readWrite(create: false)))
    let found = try changes(engine) { transaction in
      try transaction.execute(
        sql: """
          UPDATE number SET a = 'y'; UPDATE word SET a = 2; UPDATE pair SET a = a + 1;
          UPDATE bare SET a = 8; UPDATE real_key SET a = 2; UPDATE computed SET a = 2;
          INSERT INTO real_key VALUES (1, 6); INSERT INTO pair VALUES (1, 3, 'x');
          UPDATE word SET w = 'v'; INSERT INTO nulls VALUES (NULL, 1);
          """, parameters: [:])
    }
    let pair = RecordKey(first: "x", rest: [2])
    #expect(
      found == [
        "number": [5: "1"], "word": ["w": "-", "v": "+"],
        "pair": [pair: "0", RecordKey(first: "x", rest: [3]): "+"], "bare": [1: "0"],
        "real_key": [RecordKey(.double(5)): "0", RecordKey(.double(6)): "+"], "computed": nil,
        "nulls": nil,
      ])
  }

  @Test func `rows that are older than a column have its default`() throws {
    _ = try workshop.stock(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'x'), (2, 'x');
      ALTER TABLE t ADD COLUMN b DEFAULT 5; ALTER TABLE t ADD COLUMN c;
      INSERT INTO t VALUES (3, 'x', NULL, NULL);
      """)
    let engine = try workshop.open(EngineOptions(access: .readWrite(create: false)))
    let found = try changes(engine) { transaction in
      try transaction.execute(
        sql: "UPDATE t SET b = NULL WHERE id = 1; UPDATE t SET a = 'x' WHERE id = 3",
        parameters: [:])
    }
    #expect(found == ["t": [1: "2"]])
    #expect(try workshop.stock("SELECT b IS NULL FROM t ORDER BY id") == "1\n0\n1")
  }

  @Test func `views and virtual tables may change with any table`() throws {
    _ = try workshop.stock(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE VIEW v AS SELECT * FROM t;
      CREATE VIRTUAL TABLE f USING fts5(text); CREATE TABLE other(id INTEGER PRIMARY KEY);
      """)
    let engine = try workshop.open(EngineOptions(access: .readWrite(create: false)))
    let viewed = try changes(engine, in: ["v", "other"]) { transaction in
      try transaction.execute(sql: "INSERT INTO t VALUES (1, 2)", parameters: [:])
    }
    #expect(viewed == ["v": nil])
    let found = try changes(engine, in: ["f", "other"]) { transaction in
      try transaction.execute(sql: "INSERT INTO f VALUES ('text')", parameters: [:])
    }
    #expect(found == ["f": nil])
  }

  // MARK: Libraries without the hook

  @Test func `without the hook every record of what is written may have changed`() throws {
    try filled().close()
    let engine = try SQLiteEngine.open(
      .file(workshop.path), EngineOptions(), allowsChangeHook: false)
    defer { try? engine.close() }
    #expect(try changes(engine) { try $0.put(tags, [3, "d"]) } == ["Tag": nil])
    #expect(
      try changes(engine) { _ = try $0.delete(3, in: people) } == ["Person": nil, "Tag": nil])
    #expect(try changes(engine, in: ["Tag"]) { _ = try $0.delete(2, in: people) } == ["Tag": nil])
    #expect(try changes(engine) { _ in } == [:])
    let sql = try changes(engine) { transaction in
      try transaction.execute(sql: "DELETE FROM Tag", parameters: [:])
    }
    #expect(sql == nil)
  }
}
