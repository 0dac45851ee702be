import Testing

@testable import KuraSQLite

/// Words after the columns of CREATE TABLE; each statement was accepted by stock `sqlite3`, whose
/// `PRAGMA table_list` gave the expected flags.
@Suite("Table options")
struct TableOptionsTests {
  @Test(
    "options are told from what only looks like them",
    arguments: [
      ("CREATE TABLE t(a)", false, false),
      ("CREATE TABLE t(a INT) STRICT", false, true),
      ("CREATE TABLE t(a PRIMARY KEY) WITHOUT ROWID", true, false),
      ("CREATE TABLE t(a INT PRIMARY KEY)strict,without/* ) */rowid", true, true),
      ("CREATE TABLE t(a INT PRIMARY KEY) WITHOUT -- it\nROWID, STRICT", true, true),
      ("CREATE TABLE t(a DEFAULT ') STRICT', \") without rowid\")", false, false),
      ("CREATE TABLE [t) strict](a, `without` CHECK(a > (1)))", false, false),
      ("CREATE TABLE \"without rowid\"(\"strict\" TEXT DEFAULT 'it''s )')", false, false),
    ])
  func options(sql: String, isWithoutRowID: Bool, isStrict: Bool) throws {
    let options = TableOptions(declaration: sql)
    #expect(options.isWithoutRowID == isWithoutRowID)
    #expect(options.isStrict == isStrict)
    let listed = try ChildProcess.output(
      "sqlite3",
      [":memory:", sql, "SELECT wr, strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite%'"])
    #expect(listed == "\(isWithoutRowID ? 1 : 0)|\(isStrict ? 1 : 0)")
  }
}
