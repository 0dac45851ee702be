import Foundation
import Testing

@testable import KuraCore
@testable import KuraSQLite

/// What a foreign file declares, read from the fixtures' own declarations.
@Suite struct SchemaReaderTests {
  private func schema(_ path: String) throws -> StoredSchema {
    let engine = try openForeign(path)
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    return try transaction.storedSchema()
  }

  private func fixture(_ name: String) throws -> StoredSchema {
    let folder = try ForeignFolder()
    return try schema(folder.copy(name + ".sqlite"))
  }

  @Test func kindsOfTables() throws {
    let schema = try fixture("structs")
    func names(_ kind: StoredModel.Kind) -> [String] {
      schema.models.filter { $0.kind == kind }.map(\.name)
    }
    #expect(names(.table) == ["wr", "gen", "st", "auto", "norowidname", "p", "ch", "log"])
    #expect(names(.view) == ["bad", "ok"])
    #expect(names(.virtual) == ["ft", "rt"])
    #expect(
      names(.shadow) == [
        "ft_data", "ft_idx", "ft_content", "ft_docsize", "ft_config", "rt_rowid", "rt_node",
        "rt_parent",
      ])
    #expect(Set(names(.system)) == ["sqlite_sequence", "sqlite_stat1"])
    #expect(schema.model(named: "ft_idx")?.module == "ft")
    #expect(schema.model(named: "ft")?.module == "fts5")
    #expect(schema.version == 42)
  }

  @Test func keysColumnsAndFlags() throws {
    let schema = try fixture("structs")
    let wr = try #require(schema.model(named: "wr"))
    #expect(wr.isWithoutRowID && !wr.isStrict)
    #expect(wr.primaryKey == ["b", "a"])
    #expect(wr.rowIDName == nil)
    let st = try #require(schema.model(named: "st"))
    #expect(st.isStrict && st.primaryKey == ["i"])
    #expect(st.columns.map(\.declaredType) == ["INTEGER", "TEXT", "ANY"])
    let gen = try #require(schema.model(named: "gen"))
    #expect(gen.columns.map(\.generation) == [nil, nil, .stored, .virtual])
    #expect(schema.model(named: "norowidname")?.rowIDName == nil)
    #expect(schema.model(named: "log")?.rowIDName == "rowid")
    let ch = try #require(schema.model(named: "ch"))
    #expect(ch.foreignKeys.map(\.target) == ["p"])
    #expect(ch.foreignKeys.first?.onDelete == "CASCADE")
    #expect(ch.foreignKeys.first?.targetColumns == ["id"])
    #expect(schema.model(named: "p")?.triggers.map(\.name) == ["tr"])
  }

  @Test func indexesWithExpressionsOrderAndCollation() throws {
    let wr = try #require(try fixture("structs").model(named: "wr"))
    let part = try #require(wr.indexes.first { $0.name == "part" })
    #expect(part.isPartial && !part.isUnique && part.terms.map(\.column) == ["c"])
    let ex = try #require(wr.indexes.first { $0.name == "ex" })
    #expect(ex.terms.map(\.column) == [nil, "b"])
    #expect(ex.terms.map(\.isDescending) == [true, false])
    #expect(ex.terms.map(\.collation) == [nil, "NOCASE"])
    #expect(wr.indexes.contains { $0.origin == .primaryKey })
  }

  @Test func aBrokenViewIsMarkedAndHoldsNothingUp() throws {
    let schema = try fixture("structs")
    #expect(schema.model(named: "bad")?.problem == "no such table: missing_table")
    #expect(schema.model(named: "ok")?.problem == nil)
    #expect(schema.model(named: "ok")?.columns.map(\.name) == ["a", "b"])
  }

  @Test func namesOfAllKindsAreRead() throws {
    let schema = try fixture("names")
    #expect(
      Set(schema.models.map(\.name)) == [
        "select", "has\"quote", "dot.ted", "sp ace", "semi;colon", "new\nline", "--dash", "123",
        "Case_",
      ])
    #expect(
      schema.model(named: "select")?.columns.map(\.name)
        == ["from", "a b", "q\"uote", "br]acket", "日本", ""])
    #expect(schema.model(named: "case_")?.name == "Case_")
    #expect(schema.models.allSatisfy { $0.problem == nil })
  }

  @Test func twoThousandColumnsAreRead() throws {
    #expect(try fixture("wide2000").models.first?.columns.count == 2000)
  }

  @Test(arguments: ["utf16", "utf16be"]) func declarationsInUTF16AreRead(_ name: String) throws {
    let schema = try fixture(name)
    let folder = try ForeignFolder()
    _ = try folder.copy(name + ".sqlite")
    let sql = try folder.sqlite(name + ".sqlite", "SELECT sql FROM sqlite_schema;")
    #expect(schema.models.map(\.sql) == [sql])
  }

  @Test func tablesOfAMissingModuleAreMarkedAndTheirTablesKnown() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "m.db",
      """
      CREATE TABLE v_chunks(id INTEGER PRIMARY KEY); CREATE TABLE v_vector_chunks00(rowid, vectors);
      CREATE TABLE v_other(x);
      PRAGMA writable_schema=ON;
      INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)
        VALUES('table','v','v',0,'CREATE VIRTUAL TABLE v USING vec0(a float[3])');
      """)
    let schema = try schema(folder.path + "/m.db")
    #expect(schema.model(named: "v")?.problem == "no such module: vec0")
    #expect(schema.model(named: "v_chunks")?.kind == .shadow)
    #expect(schema.model(named: "v_vector_chunks00")?.module == "v")
    #expect(schema.model(named: "v_other")?.kind == .table)
  }

  @Test func aViewOnJSONIsUsable() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "j.db",
      """
      CREATE TABLE t(d); INSERT INTO t VALUES ('{"a":7}');
      CREATE VIEW w AS SELECT json_extract(d, '$.a') AS a FROM t;
      CREATE INDEX i ON t(json_extract(d, '$.a'));
      """)
    #expect(try schema(folder.path + "/j.db").model(named: "w")?.problem == nil)
    #expect(try rows(openForeign(folder.path + "/j.db"), "SELECT a FROM w") == ["7"])
  }
}
