import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

/// Side files that SQLite itself would remove or play back; the answers are those that the stock
/// shell gives on a copy of the folder.
@Suite("Side files of files that are only read")
struct SideFileTests {
  private let folder: ForeignFolder
  private var path: String { folder.path + "/a.db" }

  init() throws { folder = try ForeignFolder() }

  /// Reads with us and with the stock shell on a copy; ours must leave the folder alone.
  private func compare(_ sql: String, notice: String? = nil) throws {
    let before = try folder.listing()
    let engine = try openForeign(path)
    let found = try rows(engine, sql)
    #expect(try folder.listing() == before)
    if let notice { #expect(engine.notices.contains { $0.contains(notice) }) }
    try engine.close()
    #expect(try folder.listing() == before)
    let copy = try ForeignFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.copyItem(
        atPath: folder.path + "/" + name, toPath: copy.path + "/" + name)
    }
    #expect(try copy.sqlite("a.db", sql + ";") == found.joined(separator: "\n"))
  }

  @Test(
    "files beside an empty database stay",
    arguments: [("wal-noshm.sqlite", "-wal"), ("hot.sqlite", "-journal"), ("", "-wal")])
  func empty(fixture: String, suffix: String) throws {
    try Data().write(to: URL(filePath: path))
    let side =
      fixture.isEmpty
      ? Data()
      : try Data(contentsOf: URL(filePath: ForeignFolder.fixtures + "/" + fixture + suffix))
    try side.write(to: URL(filePath: path + suffix))
    try compare("SELECT count(*) FROM sqlite_schema", notice: "remove the files beside it")
  }

  @Test("a journal is rolled back also when the header says WAL")
  func journalOfAnUnfinishedSwitch() throws {
    _ = try folder.copy("hot.sqlite", as: "a.db")
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[18] = 2
    bytes[19] = 2
    try bytes.write(to: URL(filePath: path))
    try compare("SELECT x, count(*) FROM t GROUP BY x", notice: "after rolling back")
  }

  /// SQLite takes every journal for hot whose first byte is not zero.
  @Test("a journal without the magic number is read from a copy")
  func journalWithADamagedHeader() throws {
    _ = try folder.copy("hot.sqlite", as: "a.db")
    var bytes = try Data(contentsOf: URL(filePath: path + "-journal"))
    bytes[1] ^= 0x10
    try bytes.write(to: URL(filePath: path + "-journal"))
    try compare("SELECT x, count(*) FROM t GROUP BY x", notice: "private copy")
  }
}
