import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

/// Pages that a damaged tree reaches twice.
@Suite("Dump of misplaced rows")
struct MisplacedRowsTests {
  @Test("rows that come twice make the dump incomplete and are counted")
  func twice() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "a.db",
      """
      PRAGMA page_size=512;
      CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO t SELECT i, hex(zeroblob(30)) FROM n;
      """)
    // The root of the table, an inner page: its second child becomes its first one.
    let file = URL(filePath: folder.path + "/a.db")
    var bytes = [UInt8](try Data(contentsOf: file))
    try #require(bytes[512] == 5)
    let cells = (0..<2).map { 512 + Int(bytes[524 + 2 * $0]) << 8 + Int(bytes[525 + 2 * $0]) }
    bytes.replaceSubrange(cells[1]..<(cells[1] + 4), with: bytes[cells[0]..<(cells[0] + 4)])
    try Data(bytes).write(to: file)
    // The greatest key of the first child; keys begin with 1.
    let count = Int(bytes[cells[0] + 4])
    #expect(try folder.sqlite("a.db", "PRAGMA integrity_check;").contains("out of order"))

    let transaction = try openForeign(file.path).beginRead()
    defer { transaction.end() }
    var text = ""
    let writer = ByteWriter { part throws(StoreError) in
      text += String(decoding: part, as: UTF8.self)
    }
    let summary = try SQLiteDump.write(transaction, to: writer)
    try writer.flush()
    #expect(
      summary.problems == ["\(count) rows of \"t\" are out of order, some may be there twice"])
    #expect(text.split(separator: "\n").count { $0.hasPrefix("INSERT INTO t VALUES(1,") } == 2)
  }

  @Test("a schema read for one model has the others by name and kind only")
  func oneModel() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "a.db",
      """
      CREATE TABLE a(x); CREATE TABLE B(y INTEGER PRIMARY KEY) STRICT; CREATE VIEW v AS SELECT 1;
      CREATE VIRTUAL TABLE f USING fts5(body);
      """)
    let transaction = try openForeign(folder.path + "/a.db").beginRead()
    defer { transaction.end() }
    let schema = try transaction.storedSchema(detailing: ["b"])
    #expect(schema.models.prefix(4).map(\.name) == ["a", "B", "v", "f"])
    #expect(schema.models.prefix(4).map(\.kind) == [.table, .table, .view, .virtual])
    #expect(schema.models.dropFirst(4).allSatisfy { $0.kind == .shadow && $0.module == "f" })
    #expect(schema.models.map(\.columns.count) == [0, 1] + Array(repeating: 0, count: 7))
    #expect(schema.model(named: "B")?.isStrict == true)
  }
}
