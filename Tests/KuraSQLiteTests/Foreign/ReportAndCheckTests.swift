import Foundation
import Testing

@testable import KuraCore
@testable import KuraSQLite

/// Reports and checks, against what the stock shell and the fixtures' generator say.
@Suite struct ReportAndCheckTests {
  private func facts(_ path: String) throws -> [String: FileReport.Value] {
    let engine = try openForeign(path)
    let report = try engine.report()
    return Dictionary(report.facts.map { ($0.key, $0.value) }) { first, _ in first }
  }

  private func findings(_ path: String, _ depth: CheckDepth) throws -> [String] {
    let engine = try openForeign(path)
    return try engine.check(depth, progress: nil).findings.map {
      "\($0.severity.rawValue) \($0.model ?? "-") \($0.message)"
    }
  }

  @Test func theHeadersNumbers() throws {
    let folder = try ForeignFolder()
    let facts = try facts(folder.copy("structs.sqlite"))
    let pages = try folder.sqlite("structs.sqlite", "PRAGMA page_count;")
    #expect(facts["format"] == .text("sqlite"))
    #expect(facts["pageSize"] == .byteCount(512))
    #expect(facts["pageCount"] == .integer(try #require(Int64(pages))))
    #expect(facts["userVersion"] == .integer(42))
    #expect(facts["applicationID"] == .integer(1234))
    #expect(facts["encoding"] == .text("UTF-8"))
    #expect(facts["journalMode"] == .text("rollback"))
    #expect(facts["schemaFormat"] == .integer(4))
    #expect(facts["tableCount"] == .integer(18))
    #expect(facts["viewCount"] == .integer(2))
    #expect(facts["triggerCount"] == .integer(1))
    #expect(facts["writtenBy"] != nil)
  }

  @Test(arguments: [
    ("made-by-coredata", "Core Data or SwiftData (Z_METADATA)"),
    ("made-by-django", "Django (django_migrations)"), ("made-by-grdb", "GRDB (grdb_migrations)"),
    ("made-by-rails", "Rails (schema_migrations)"), ("made-by-room", "Room (room_master_table)"),
  ])
  func theMakerIsNamed(_ name: String, _ maker: String) throws {
    let folder = try ForeignFolder()
    guard case .list(let makers)? = try facts(folder.copy(name + ".sqlite"))["madeBy"] else {
      Issue.record("no maker")
      return
    }
    #expect(makers.contains(maker))
  }

  @Test func sideFilesAndTheirState() throws {
    let folder = try ForeignFolder()
    let log = try facts(folder.copy("wal-noshm.sqlite"))
    #expect(log["journalMode"] == .text("wal"))
    #expect(log["walFrameCount"] == .integer(1))
    let hot = try facts(folder.copy("hot.sqlite"))
    #expect(hot["journalState"] == .text("hot: to be rolled back"))
    #expect(hot["readMode"] == .text("from a private copy"))
  }

  @Test func aLogCountsOnlyFramesOfWholeTransactions() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("wal-noshm.sqlite") + "-wal"
    let whole = LogFacts(path)
    #expect(whole.isValid && whole.committedFrameCount == 1 && whole.pageSize == 512)
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[32 + 24 + 100] ^= 1
    try bytes.write(to: URL(filePath: path))
    #expect(LogFacts(path).committedFrameCount == 0)
    bytes[8] ^= 1
    try bytes.write(to: URL(filePath: path))
    #expect(!LogFacts(path).isValid)
  }

  @Test func kurasOwnFilesTellTheirSchema() throws {
    let folder = try ForeignFolder()
    let path = folder.path + "/own.kura"
    let schema = try Schema(
      version: 3,
      [
        ModelDescription(
          "Dog", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("born", .date),
          ])
      ])
    let engine = try SQLiteBackend().open(.file(path), EngineOptions())
    let write = try engine.beginWrite(timeout: nil)
    for model in schema.models { try write.apply(.createModel(model)) }
    try write.setSchema(schema)
    try write.commit()
    try engine.close()
    let facts = try facts(path)
    #expect(facts["schemaVersion"] == .integer(3))
    #expect(facts["schemaFingerprint"] == .text(schema.fingerprint))
    #expect(facts["application"] == .text("Kura"))
    #expect(facts["models"] == .list(["Dog"]))
    #expect(try findings(path, .deep) == [])
    try folder.sqlite("own.kura", "INSERT INTO Dog VALUES (1, 'yesterday');")
    #expect(
      try findings(path, .deep) == ["damage Dog 1 values of \"born\" are not of the type date"])
    #expect(try findings(path, .normal) == [])
  }

  @Test func anIndexThatDiffersFromItsTableIsFoundByTheNormalCheckOnly() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("corrupt-index.sqlite")
    #expect(try findings(path, .quick) == [])
    #expect(
      try findings(path, .normal) == [
        "damage - row 1 missing from index ti", "damage - row 2 missing from index ti",
      ])
  }

  @Test func aDamagedPageIsFoundByEveryCheck() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("corrupt-page.sqlite")
    for depth in CheckDepth.allCases {
      let damage = try findings(path, depth).filter { $0.hasPrefix("damage ") }
      #expect(!damage.isEmpty)
    }
  }

  @Test func brokenReferencesAndViewsAreTold() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("structs.sqlite")
    #expect(try findings(path, .quick) == [])
    #expect(
      try findings(path, .normal) == [
        "violation ch 1 row refers to no row of \"p\"",
        "note bad cannot be used: no such table: missing_table",
      ])
  }

  @Test func textThatIsNotUnicodeIsFoundByTheDeepCheck() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("values.sqlite")
    #expect(try findings(path, .normal) == [])
    #expect(try findings(path, .deep) == ["violation v 2 texts of \"x\" are not valid Unicode"])
  }

  @Test func aRowThatBreaksItsTablesRulesIsAViolation() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "c.db",
      """
      CREATE TABLE t(x INTEGER) ; INSERT INTO t VALUES ('text');
      PRAGMA writable_schema=ON;
      UPDATE sqlite_schema SET sql = 'CREATE TABLE t(x INTEGER) STRICT';
      """)
    #expect(
      try findings(folder.path + "/c.db", .normal) == ["violation - non-INTEGER value in t.x"])
  }
}
