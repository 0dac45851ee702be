import Foundation
import KuraTesting
import Testing

@testable import KuraCore
@testable import KuraSQLite

/// A dump that the stock `sqlite3` replays gives an equal database.
@Suite struct SQLDumpTests {
  /// Writes a dump of a file.
  private func dump(
    _ path: String, _ change: (inout SQLiteDump.Options) throws -> Void = { _ in }
  ) throws -> (text: String, summary: SQLiteDump.Summary) {
    let engine = try openForeign(path)
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    var options = SQLiteDump.Options()
    try change(&options)
    var data = Data()
    let bytes = ByteWriter { part throws(StoreError) in data.append(contentsOf: part) }
    let summary = try SQLiteDump.write(transaction, options, to: bytes)
    try bytes.flush()
    return (String(decoding: data, as: UTF8.self), summary)
  }

  /// What the stock shell says of a file: schema and content hashed, row numbers, settings.
  private func description(_ folder: ForeignFolder, _ name: String) throws -> String {
    try folder.sqlite(
      name,
      """
      .sha3sum --schema
      PRAGMA integrity_check; PRAGMA encoding; PRAGMA page_size; PRAGMA auto_vacuum;
      PRAGMA user_version; PRAGMA application_id;
      SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 1, 2;
      """)
  }

  @Test(arguments: [
    "bookshop", "old-shop", "values", "names", "structs", "wide2000", "utf16", "utf16be",
    "page512", "page64k", "free", "diff-a", "wal-noshm", "hot", "empty", "made-by-coredata",
    "made-by-django", "made-by-grdb", "made-by-rails", "made-by-room",
  ])
  func replayGivesAnEqualDatabase(_ name: String) throws {
    let folder = try ForeignFolder()
    let path = try folder.copy(name + ".sqlite")
    let before = try folder.listing()
    let (text, summary) = try dump(path)
    #expect(summary.isComplete)
    #expect(try folder.listing() == before)
    try folder.sqlite("new.db", text)
    // The stock shell may now open the original, which rolls back and makes side files.
    #expect(try description(folder, "new.db") == description(folder, name + ".sqlite"))
  }

  @Test func virtualTablesAnswerAfterReplay() throws {
    let folder = try ForeignFolder()
    try folder.sqlite("new.db", try dump(folder.copy("structs.sqlite")).text)
    #expect(
      try folder.sqlite("new.db", "SELECT count(*) FROM ft WHERE ft MATCH 'hello';") == "1")
    #expect(try folder.sqlite("new.db", "SELECT count(*) FROM rt;") == "1")
    #expect(try folder.sqlite("new.db", "INSERT INTO ft(ft) VALUES('integrity-check');") == "")
    #expect(try folder.sqlite("new.db", "SELECT seq FROM sqlite_sequence;") == "3")
    #expect(
      try folder.sqlite("new.db", "PRAGMA user_version; PRAGMA application_id;") == "42\n1234")
  }

  @Test func aDumpOfTheSchemaAloneMakesWorkingTables() throws {
    let folder = try ForeignFolder()
    let text = try dump(folder.copy("structs.sqlite")) { $0.content = .schema }.text
    #expect(!text.contains("\nINSERT INTO"))
    try folder.sqlite("new.db", text)
    #expect(
      try folder.sqlite(
        "new.db",
        "INSERT INTO ft VALUES('a', 'b'); SELECT count(*) FROM ft WHERE ft MATCH 'b';") == "1")
    #expect(
      try folder.sqlite("new.db", "SELECT name FROM sqlite_schema EXCEPT SELECT NULL;")
        == folder.sqlite(
          "structs.sqlite",
          "SELECT name FROM sqlite_schema WHERE name <> 'sqlite_stat1' EXCEPT SELECT NULL;"))
  }

  @Test func rowsAloneFillTheTablesOfTheSchemaAlone() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("structs.sqlite")
    let schema = try dump(path) { $0.content = .schema }.text
    let rows = try dump(path) { $0.content = .rows }.text
    try folder.sqlite("new.db", schema)
    // The statistics belong to ANALYZE, which makes their table.
    try folder.sqlite("new.db", "ANALYZE sqlite_schema;")
    try folder.sqlite("new.db", "DROP TRIGGER tr;" + rows)
    for table in ["wr", "gen", "st", "auto", "norowidname", "p", "ch", "log", "ft", "rt"] {
      let sql = "SELECT * FROM \(table);"
      #expect(try folder.sqlite("new.db", sql) == folder.sqlite("structs.sqlite", sql))
    }
    #expect(
      try folder.sqlite("new.db", "SELECT count(*) FROM ft WHERE ft MATCH 'hello';") == "1")
  }

  @Test func valuesAreLiteralsThatPeopleKnow() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "v.db",
      """
      CREATE TABLE t(x);
      INSERT INTO t VALUES (NULL), (-9223372036854775808), (9e999), (-9e999), (0.1), (1e300), (2.0);
      INSERT INTO t VALUES (x'00ff'), ('it''s'), (cast(x'610062' AS TEXT)), (cast(x'62ff' AS TEXT));
      INSERT INTO t VALUES ('a' || char(13, 10) || 'b'), ('\\r' || char(13, 10)), ('');
      """)
    let lines = try dump(folder.path + "/v.db").text.split(separator: "\n").map(String.init)
    let values = lines.filter { $0.hasPrefix("INSERT") || $0.hasPrefix("b'") || $0.hasPrefix("'") }
    #expect(
      values == [
        "INSERT INTO t VALUES(NULL);", "INSERT INTO t VALUES(-9223372036854775808);",
        "INSERT INTO t VALUES(9e999);", "INSERT INTO t VALUES(-9e999);",
        "INSERT INTO t VALUES(0.1);", "INSERT INTO t VALUES(1e+300);",
        "INSERT INTO t VALUES(2.0);", "INSERT INTO t VALUES(X'00ff');",
        "INSERT INTO t VALUES('it''s');", "INSERT INTO t VALUES(CAST(X'610062' AS TEXT));",
        "INSERT INTO t VALUES(CAST(X'62ff' AS TEXT));", "INSERT INTO t VALUES(replace('a\\r",
        "b','\\r',char(13)));", "INSERT INTO t VALUES(replace('\\r\\cr",
        "','\\cr',char(13)));", "INSERT INTO t VALUES('');",
      ])
  }

  @Test func everyDoubleComesBackBitForBit() throws {
    let folder = try ForeignFolder()
    var generator = RepeatableGenerator(seed: 7)
    var script = "CREATE TABLE t(x REAL, b BLOB);\n"
    var values: [Double] = [
      .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 0.1 + 0.2,
      1e23, 9_007_199_254_740_994, 19.290991, .leastNonzeroMagnitude * -3,
    ]
    while values.count < 4000 {
      let value = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))
      if value.isFinite { values.append(value) }
      values.append(Double.random(in: 0..<100, using: &generator))
    }
    script += "BEGIN;\n"
    for value in values {
      script += "INSERT INTO t VALUES (\(RealLiterals.quotient(value)), NULL);\n"
    }
    try folder.sqlite("v.db", script + "COMMIT;")
    let engine = try openForeign(folder.path + "/v.db")
    // The exact quotients gave exactly these bits.
    #expect(try doubles(engine) == values.map(\.bitPattern))
    try folder.sqlite("new.db", try dump(folder.path + "/v.db").text)
    #expect(try doubles(openForeign(folder.path + "/new.db")) == values.map(\.bitPattern))
  }

  private func doubles(_ engine: any StorageEngine) throws -> [UInt64] {
    let transaction = try #require(try engine.beginRead() as? any SQLReadTransaction)
    defer { transaction.end() }
    let cursor = try transaction.cursor(sql: "SELECT x FROM t ORDER BY rowid", parameters: [:])
    let row = RowBuffer(columns: 1)
    var found: [UInt64] = []
    while try cursor.next(into: row) { found.append(row[0].double.bitPattern) }
    return found
  }

  @Test func rowNumbersAreKeptAndWrittenOnlyWhereSQLiteWouldGiveOthers() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "r.db",
      """
      CREATE TABLE t(x); CREATE TABLE k(rowid TEXT, x);
      INSERT INTO t(rowid, x) VALUES (-7, 'a'), (-6, 'b'), (1, 'c'), (2, 'd'), (1797657063271174144, 'e');
      INSERT INTO k(_rowid_, x) VALUES (1, 'a'), (9, 'b');
      """)
    let text = try dump(folder.path + "/r.db").text
    #expect(text.contains("INSERT INTO t(rowid,x) VALUES(-7,'a');"))
    #expect(text.contains("INSERT INTO t VALUES('b');"))
    #expect(text.contains("INSERT INTO t(rowid,x) VALUES(1,'c');"))
    #expect(text.contains("INSERT INTO t VALUES('d');"))
    #expect(text.contains("INSERT INTO k(_rowid_,rowid,x) VALUES(9,NULL,'b');"))
    try folder.sqlite("new.db", text)
    for sql in ["SELECT rowid, x FROM t;", "SELECT _rowid_, x FROM k;"] {
      #expect(try folder.sqlite("new.db", sql) == folder.sqlite("r.db", sql))
    }
  }

  @Test func damageLeavesAMarkAndTheRestIsWritten() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("corrupt-page.sqlite")
    let (text, summary) = try dump(path)
    #expect(!summary.isComplete)
    #expect(text.contains("/**** ERROR: (11) database disk image is malformed *****/"))
    #expect(text.hasSuffix("COMMIT;\n"))
    try folder.sqlite("new.db", text)
    #expect(try folder.sqlite("new.db", "SELECT count(*) FROM t;") == "\(summary.rowCount)")
    // Before and behind the damaged page.
    let ends = try folder.sqlite("new.db", "SELECT min(id), max(id) FROM t;")
    #expect(ends == "1|300")
    #expect(summary.rowCount > 250)
  }

  @Test func textThatIsNotPlainSurvivesInUTF16() throws {
    let folder = try ForeignFolder()
    for encoding in ["UTF-16le", "UTF-16be"] {
      let name = encoding + ".db"
      try folder.sqlite(
        name,
        """
        PRAGMA encoding='\(encoding)'; CREATE TABLE t(x);
        INSERT INTO t VALUES ('a' || char(0) || 'b'), ('日本 🐟'), ('a' || char(13, 10) || 'b'), ('it''s');
        INSERT INTO t VALUES (CAST(X'd800' AS TEXT)), (CAST(X'00d8' AS TEXT));
        """)
      try folder.sqlite("new-" + name, try dump(folder.path + "/" + name).text)
      let sql = "PRAGMA encoding; SELECT hex(CAST(x AS BLOB)) FROM t;"
      #expect(try folder.sqlite("new-" + name, sql) == folder.sqlite(name, sql))
    }
  }

  @Test func aCommentAtADeclarationsEndHidesNothing() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "c.db",
      """
      CREATE TABLE t(x);
      CREATE VIEW a AS SELECT x FROM t -- the end
      ;
      CREATE VIEW b AS SELECT x FROM t;
      """)
    try folder.sqlite("new.db", try dump(folder.path + "/c.db").text)
    #expect(try description(folder, "new.db") == description(folder, "c.db"))
  }

  @Test func aCounterWithoutItsTableAndStatisticsAreKept() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "s.db",
      """
      CREATE TABLE gone(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO gone VALUES (5);
      CREATE TABLE t(x); CREATE INDEX i ON t(x); INSERT INTO t VALUES (1), (2); ANALYZE;
      DROP TABLE gone;
      """)
    try folder.sqlite("new.db", try dump(folder.path + "/s.db").text)
    #expect(try folder.sqlite("new.db", "SELECT * FROM sqlite_stat1;") == "t|i|2 1")
    #expect(try description(folder, "new.db") == description(folder, "s.db"))
  }

  @Test func aTableOfAnUnknownModuleIsEnteredAsItIs() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "m.db",
      """
      CREATE TABLE v_chunks(id INTEGER PRIMARY KEY, data); INSERT INTO v_chunks VALUES (3, x'01');
      PRAGMA writable_schema=ON;
      INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)
        VALUES('table','v','v',0,'CREATE VIRTUAL TABLE v USING vec0(a float[3])');
      """)
    let (text, summary) = try dump(folder.path + "/m.db")
    #expect(summary.isComplete)
    try folder.sqlite("new.db", text)
    #expect(try description(folder, "new.db") == description(folder, "m.db"))
  }

  @Test func selectedTablesAndConditionsNarrowTheDump() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("values.sqlite")
    let nul = try dump(path) {
      $0.names = ["v"]
      $0.conditionSQL = "k = 'nul'"
    }
    #expect(nul.text.contains("INSERT INTO v VALUES('nul',CAST(X'610062' AS TEXT));"))
    #expect(nul.summary.rowCount == 1)
    let structs = try folder.copy("structs.sqlite")
    let full = try dump(structs) { $0.names = ["ft"] }.text
    try folder.sqlite("ft.db", full)
    #expect(try folder.sqlite("ft.db", "SELECT title FROM ft WHERE ft MATCH 'world';") == "hello")
    let gen = try dump(structs) { $0.names = ["gen"] }.text
    #expect(gen.contains("INSERT INTO gen(w,h) VALUES(2.0,3.0);"))
    try folder.sqlite("gen.db", gen)
    #expect(try folder.sqlite("gen.db", "SELECT * FROM gen LIMIT 1;") == "2.0|3.0|6.0|10.0")
    let wr = try dump(structs) { $0.names = ["wr"] }.text
    #expect(wr.contains("CREATE INDEX part ON wr(c) WHERE c > 2;"))
    #expect(!wr.contains("sqlite_sequence"))
  }

  @Test func aProgressHandlerCanEndIt() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "n.db",
      "CREATE TABLE t(x); WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n "
        + "WHERE i<5000) INSERT INTO t SELECT i FROM n;")
    let transaction = try openForeign(folder.path + "/n.db").beginRead()
    defer { transaction.end() }
    let bytes = ByteWriter { _ in }
    #expect {
      try SQLiteDump.write(transaction, to: bytes) { done, _ throws(StoreError) in
        if done > 2000 { throw StoreError(.cancelled, "stopped") }
      }
    } throws: { ($0 as? StoreError)?.code == .cancelled }
  }
}
