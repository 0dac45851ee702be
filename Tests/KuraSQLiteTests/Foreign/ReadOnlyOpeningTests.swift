import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

/// Reading leaves every byte, name and time in a file's folder as it was.
@Suite struct ReadOnlyOpeningTests {
  /// A file, a query, its right answer, and how the file is read.
  struct Case: Sendable, CustomTestStringConvertible {
    var file: String
    var sql: String
    var rows: [String]
    var rung: String
    var notice: String?
    var testDescription: String { file }
  }

  static let cases = [
    Case(file: "one.sqlite", sql: "SELECT x FROM t", rows: ["1"], rung: "locked"),
    Case(
      file: "wal.sqlite", sql: "SELECT count(*) FROM t", rows: ["1"], rung: "immutable",
      notice: "no -wal file"),
    Case(
      file: "wal-noshm.sqlite", sql: "SELECT x FROM t", rows: ["in-wal"], rung: "privateIndex"),
    Case(
      file: "wal-lost.sqlite", sql: "SELECT x FROM t", rows: [], rung: "immutable",
      notice: "recent transactions may be missing"),
    Case(
      file: "hot.sqlite", sql: "SELECT DISTINCT x FROM t", rows: ["before"], rung: "copy",
      notice: "after rolling back an unfinished transaction; the original is untouched"),
    Case(
      file: "empty.sqlite", sql: "SELECT count(*) FROM sqlite_schema", rows: ["0"],
      rung: "locked", notice: "empty"),
    Case(
      file: "old-shop.sqlite", sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'view'",
      rows: ["0"], rung: "locked"),
    Case(file: "utf16be.sqlite", sql: "PRAGMA encoding", rows: ["UTF-16be"], rung: "locked"),
  ]

  @Test(arguments: cases) func readingChangesNothing(_ example: Case) throws {
    let folder = try ForeignFolder()
    let path = try folder.copy(example.file)
    try check(example, folder, path)
  }

  /// Root may write everywhere, so the reading thread becomes somebody else for the file system.
  @Test(arguments: cases) func readingInAReadOnlyFolderChangesNothing(_ example: Case) throws {
    let folder = try ForeignFolder()
    let path = try folder.copy(example.file)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      #expect(chmod(folder.path + "/" + name, 0o444) == 0)
    }
    #expect(chmod(folder.path, 0o555) == 0)
    try Nobody.run { try check(example, folder, path) }
  }

  private func check(_ example: Case, _ folder: ForeignFolder, _ path: String) throws {
    let before = try folder.listing()
    let engine = try openForeign(path)
    #expect(try rows(engine, example.sql) == example.rows)
    _ = try engine.report()
    _ = try engine.check(.deep, progress: nil)
    _ = try engine.commitMarker()
    let source = try #require((engine as? SQLiteEngine)?.pool.source as? ReadOnlySource)
    #expect("\(source.rung)".hasPrefix(example.rung))
    if let notice = example.notice {
      let found = engine.notices.filter { $0.contains(notice) }
      #expect(found.count == 1)
    } else {
      #expect(engine.notices == [])
    }
    #expect(try folder.listing() == before)
    try engine.close()
    #expect(try folder.listing() == before)
  }

  @Test func aJournalWithAZeroedHeaderIsNotHot() throws {
    let folder = try ForeignFolder()
    try folder.sqlite(
      "p.db", "PRAGMA journal_mode=PERSIST; CREATE TABLE t(x); INSERT INTO t VALUES (7);")
    #expect(FileManager.default.fileExists(atPath: folder.path + "/p.db-journal"))
    let before = try folder.listing()
    let engine = try openForeign(folder.path + "/p.db")
    #expect(try rows(engine, "SELECT x FROM t") == ["7"])
    #expect(engine.notices == [])
    try engine.close()
    #expect(try folder.listing() == before)
  }

  @Test func anEmptyLogIsNoLog() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("wal.sqlite")
    try Data().write(to: URL(filePath: path + "-wal"))
    let before = try folder.listing()
    let engine = try openForeign(path)
    #expect(try rows(engine, "SELECT count(*) FROM t") == ["1"])
    #expect(engine.notices == [])
    try engine.close()
    #expect(try folder.listing() == before)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func readingBesideAWriterSeesTheLastCommitAndChangesNothing(_ mode: String) throws {
    let folder = try ForeignFolder()
    try folder.sqlite("live.db", "PRAGMA journal_mode=\(mode); CREATE TABLE t(x);")
    let writer = try LiveShell(folder.path + "/live.db")
    defer { writer.end() }
    writer.send("INSERT INTO t VALUES ('committed');")
    writer.send("BEGIN IMMEDIATE; INSERT INTO t VALUES ('open');")
    try writer.synchronise()
    let before = try folder.listing()
    let engine = try openForeign(folder.path + "/live.db")
    #expect(try rows(engine, "SELECT x FROM t") == ["committed"])
    let report = try engine.report()
    let holders = report.facts.first { $0.key == "openedBy" }
    let users = String(describing: holders?.value)
    #expect(users.contains("process \(writer.process)"))
    try engine.close()
    // The index of a live log has a reader's mark, which is not content.
    #expect(
      try folder.listing().filter { !$0.contains("-shm") } == before.filter { !$0.contains("-shm") }
    )
    writer.send("COMMIT;")
    try writer.synchronise()
    #expect(try folder.sqlite("live.db", "SELECT count(*) FROM t;") == "2")
  }

  @Test func aCommitOfAnotherProcessIsSeenByTheNextTransaction() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("wal.sqlite")
    let engine = try openForeign(path)
    #expect(try rows(engine, "SELECT count(*) FROM t") == ["1"])
    try folder.sqlite("wal.sqlite", "INSERT INTO t VALUES ('new');")
    #expect(try rows(engine, "SELECT count(*) FROM t") == ["2"])
    try engine.close()
  }

  @Test func aReplacedFileIsSaidToBeReplaced() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("one.sqlite")
    let engine = try openForeign(path)
    let other = try folder.copy("wal.sqlite", as: "other.sqlite")
    #expect(rename(other, path) == 0)
    #expect { try engine.beginRead() } throws: { ($0 as? StoreError)?.code == .replaced }
    try engine.close()
  }

  @Test(arguments: [
    "100% #1?.sqlite", "a b'c.sqlite", "日本.sqlite", "-dash.sqlite", "mode=ro&x.sqlite",
    "file:x?mode=memory",
  ])
  func anyNameOpensTheFileOfThatName(_ name: String) throws {
    let folder = try ForeignFolder()
    for file in ["one.sqlite", "wal-noshm.sqlite", "hot.sqlite"] {
      let path = try folder.copy(file, as: file + name)
      let before = try folder.listing()
      let engine = try openForeign(path)
      #expect(try rows(engine, "SELECT count(*) > 0 FROM t") == ["1"])
      try engine.close()
      let doubled = try openForeign("/" + path)
      #expect(try rows(doubled, "SELECT count(*) > 0 FROM t") == ["1"])
      try doubled.close()
      #expect(try folder.listing() == before)
    }
  }

  @Test func sideFilesBesideALinksTargetAreFound() throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("wal-noshm.sqlite")
    let link = folder.path + "/link"
    #expect(symlink(path, link) == 0)
    let engine = try openForeign(link)
    #expect(try rows(engine, "SELECT x FROM t") == ["in-wal"])
    try engine.close()
  }

  @Test(arguments: [
    ("missing.sqlite", "store.missing"), ("truncated.sqlite", "store.truncated"),
    ("newer.sqlite", "store.newerFormat"), ("notadb.sqlite", "store.unknownFormat"),
  ])
  func whatCannotBeOpenedIsSaid(_ name: String, _ code: String) throws {
    let folder = try ForeignFolder()
    let path = name == "missing.sqlite" ? folder.path + "/" + name : try folder.copy(name)
    let before = try folder.listing()
    #expect { try openForeign(path) } throws: { ($0 as? StoreError)?.code.rawValue == code }
    #expect(try folder.listing() == before)
  }

  @Test(arguments: [
    (16, [0x03, 0xE9], "store.damaged"),  // page size 1001
    (28, [0x80, 0, 0, 0], "store.truncated"),  // 2^31 pages
  ])
  func aHeaderThatLiesIsSaidToLie(_ offset: Int, _ lie: [UInt8], _ code: String) throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("one.sqlite")
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes.replaceSubrange(offset..<(offset + lie.count), with: lie)
    try bytes.write(to: URL(filePath: path))
    let before = try folder.listing()
    #expect { try openForeign(path) } throws: { ($0 as? StoreError)?.code.rawValue == code }
    let report = try SQLiteBackend().report(onDamagedFileAt: path)
    #expect(!report.warnings.isEmpty)
    #expect(try folder.listing() == before)
  }

  @Test(arguments: [
    "ATTACH 'x.db' AS x", "VACUUM INTO 'copy.db'", "PRAGMA user_version = 3", "DELETE FROM t",
    "PRAGMA writable_schema = ON", "SELECT load_extension('x')", "CREATE TABLE n(x)",
    "PRAGMA journal_mode = WAL", "PRAGMA query_only = OFF", "CREATE TEMP TABLE n(x)",
  ])
  func sqlThatReachesFurtherIsRefused(_ sql: String) throws {
    let folder = try ForeignFolder()
    let path = try folder.copy("one.sqlite")
    let before = try folder.listing()
    let engine = try openForeign(path)
    #expect(throws: StoreError.self) { try rows(engine, sql) }
    #expect(try rows(engine, "SELECT x FROM t") == ["1"])
    try engine.close()
    #expect(try folder.listing() == before)
  }

  @Test func noCopyIsLeftInTheTemporaryFolder() throws {
    let folder = try ForeignFolder()
    let engine = try openForeign(try folder.copy("hot.sqlite"))
    let source = try #require((engine as? SQLiteEngine)?.pool.source as? ReadOnlySource)
    let copy = try #require(source.copyFolder)
    #expect(FileManager.default.fileExists(atPath: copy))
    try engine.close()
    #expect(!FileManager.default.fileExists(atPath: copy))
  }
}
