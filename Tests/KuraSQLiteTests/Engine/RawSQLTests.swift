import KuraCore
import Testing

@testable import KuraSQLite

@Suite("Raw SQL stays inside its transaction")
struct RawSQLTests {
  private func shop() throws -> (Workshop, SQLiteEngine) {
    let shop = try Workshop()
    let engine = try shop.open()
    try engine.write { transaction throws in
      try transaction.execute(
        sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT UNIQUE); INSERT INTO t VALUES (1, 'x')",
        parameters: [:])
    }
    return (shop, engine)
  }

  @Test(
    "statements that end or leave the transaction are refused",
    arguments: [
      "COMMIT", " \n-- a comment\n/* another */ ;; end transaction", "rollback", "BEGIN",
      "SAVEPOINT x", "RELEASE x", "ATTACH 'other.db' AS o", "DETACH main", "\u{FEFF}COMMIT",
      "PRAGMA query_only = OFF", "EXPLAIN PRAGMA foreign_keys = OFF",
      "EXPLAIN QUERY PLAN PRAGMA synchronous(0)", "PRAGMA main.journal_mode = DELETE",
      "PRAGMA \"writable_schema\" = 1", "PRAGMA schema_version = 7", "SELECT 1\0; COMMIT",
    ])
  func refused(sql: String) throws {
    let (shop, engine) = try shop()
    try engine.read { transaction throws in
      expectError(.invalidSQL) { _ = try transaction.rows(sql: sql) }
      #expect(try transaction.rows(sql: "SELECT count(*) FROM t") == [[1]])
    }
    try engine.write { transaction throws in
      expectError(.invalidSQL) { try transaction.execute(sql: sql, parameters: [:]) }
      expectError(.invalidSQL) {
        try transaction.execute(sql: "INSERT INTO t VALUES (2, 'y'); " + sql, parameters: [:])
      }
      #expect(try transaction.rows(sql: "SELECT count(*) FROM t") == [[1]])
    }
    #expect(try shop.names == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
  }

  @Test("pragmas that tell something are answered")
  func questions() throws {
    let (shop, engine) = try shop()
    defer { withExtendedLifetime(shop) {} }
    try engine.read { transaction throws in
      #expect(try transaction.rows(sql: "PRAGMA user_version") == [[0]])
      #expect(try transaction.rows(sql: "pragma main.table_info(t) ;").count == 2)
      #expect(try transaction.rows(sql: "PRAGMA integrity_check") == [["ok"]])
      #expect(try transaction.rows(sql: "EXPLAIN SELECT 1").isEmpty == false)
      #expect(try transaction.rows(sql: "WITH x AS (SELECT 1) SELECT * FROM x -- end") == [[1]])
    }
    try engine.write { try $0.execute(sql: "PRAGMA user_version = 7", parameters: [:]) }
    try engine.read { transaction throws in
      #expect(try transaction.rows(sql: "PRAGMA user_version") == [[7]])
    }
  }

  @Test("a read transaction writes nothing")
  func readOnly() throws {
    let (shop, engine) = try shop()
    defer { withExtendedLifetime(shop) {} }
    try engine.read { transaction throws in
      for sql in [
        "INSERT INTO t VALUES (9, 'z')", "DELETE FROM t", "CREATE TABLE u(x)", "DROP TABLE t",
        "UPDATE t SET b = 'q' RETURNING a", "REINDEX", "VACUUM",
      ] {
        expectError(.readOnly) { _ = try transaction.rows(sql: sql) }
      }
      #expect(try transaction.rows(sql: "SELECT * FROM t") == [[1, "x"]])
    }
  }

  @Test("several statements take effect together or not at all, and count their own rows")
  func several() throws {
    let (shop, engine) = try shop()
    defer { withExtendedLifetime(shop) {} }
    try engine.write { transaction throws in
      let count = try transaction.execute(
        sql: """
          INSERT INTO t VALUES (:a, 'y'), (:a + 1, 'z'); -- two
          CREATE TABLE u(x);
          UPDATE t SET b = b || :suffix WHERE a > 1;
          """, parameters: ["a": 2, ":suffix": "!"])
      #expect(count == 4)
      expectError(.notUnique) {
        try transaction.execute(
          sql: "INSERT INTO t VALUES (8, 'new'); INSERT INTO t VALUES (9, 'x')", parameters: [:])
      }
      #expect(
        try transaction.rows(sql: "SELECT b FROM t ORDER BY a") == [["x"], ["y!"], ["z!"]])
      expectError(.invalidSQL) { try transaction.execute(sql: " -- nothing", parameters: [:]) }
      expectError(.invalidSQL) { _ = try transaction.rows(sql: "SELECT 1; SELECT 2") }
    }
  }

  @Test("parameters are bound by name and number; missing and superfluous ones are errors")
  func parameters() throws {
    let (shop, engine) = try shop()
    defer { withExtendedLifetime(shop) {} }
    try engine.read { transaction throws in
      #expect(
        try transaction.rows(
          sql: "SELECT :a, @b, $c, ?5", ["a": 1, "@b": "two", "c": .null, "5": .data([5])])
          == [[1, "two", .null, .data([5])]])
      #expect(try transaction.rows(sql: "SELECT ?, ?", ["1": 1, "2": 2]) == [[1, 2]])
      #expect(try transaction.rows(sql: "SELECT ?3", ["3": 3]) == [[3]])
      for (sql, values) in [
        ("SELECT :a", [:]), ("SELECT ?, ?", ["1": 1]), ("SELECT 1", ["a": 1]),
        ("SELECT :a", ["a": 1, "b": 2]), ("SELECT ?2", ["1": 1]),
      ] as [(String, [String: StoredValue])] {
        expectError(.invalidSQL) { _ = try transaction.rows(sql: sql, values) }
      }
    }
  }

  @Test(
    "a failure that makes SQLite roll back ends the transaction instead of committing by halves")
  func automaticRollBack() throws {
    let (shop, engine) = try shop()
    let transaction = try #require(
      try engine.beginWrite(timeout: nil) as? SQLiteWriteTransaction)
    try transaction.execute(sql: "INSERT INTO t VALUES (2, 'y')", parameters: [:])
    let cursor = try transaction.cursor(sql: "SELECT a FROM t", parameters: [:])
    let row = RowBuffer(columns: 1)
    #expect(try cursor.next(into: row))
    #expect(throws: StoreError.self) {
      try transaction.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1, 'z')", parameters: [:])
    }
    expectError(.transactionFailed) { _ = try cursor.next(into: row) }
    expectError(.transactionFailed) {
      try transaction.execute(sql: "INSERT INTO t VALUES (3, 'lost')", parameters: [:])
    }
    expectError(.transactionFailed) { try transaction.commit() }
    transaction.end()
    #expect(try shop.stock("SELECT a FROM t") == "1")
    try engine.write { try $0.execute(sql: "INSERT INTO t VALUES (4, 'w')", parameters: [:]) }
    #expect(try shop.stock("SELECT a FROM t") == "1\n4")
  }

  @Test("text functions of conditions cannot be called by a schema")
  func directOnly() throws {
    let (shop, engine) = try shop()
    defer { withExtendedLifetime(shop) {} }
    try engine.write { transaction throws in
      try transaction.execute(
        sql: "CREATE VIEW v AS SELECT kura_contains(b, 'x') AS hit FROM t", parameters: [:])
      expectError(.invalidSQL) { _ = try transaction.rows(sql: "SELECT * FROM v") }
    }
  }
}
