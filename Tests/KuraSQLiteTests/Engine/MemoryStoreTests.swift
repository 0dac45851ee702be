import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

#if canImport(Glibc)
  import Glibc
#endif

/// Stores in memory: files without a name, so that WAL gives its snapshots.
@Suite("Stores in memory")
struct MemoryStoreTests {
  private static let note = ModelDescription(
    "Note", primaryKey: ["id"],
    properties: [PropertyDescription("id", .integer), PropertyDescription("text", .text)])
  private static let layout = ModelLayout(note)

  @Test("a large store keeps snapshots through checkpoints, copies and vacuuming")
  func large() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(Self.note, options: EngineOptions(maximumReaders: 3), memory: true)
    var readers: [SQLiteTransaction] = []
    for round in 0..<6 as Range<Int64> {
      try engine.write { transaction in
        for number in 0..<1500 as Range<Int64> {
          try transaction.put(
            Self.layout,
            [.integer(round * 1500 + number), .text(String(repeating: "\(round)", count: 3000))])
        }
      }
      if readers.count < 3 { readers.append(try engine.beginSQLRead()) }
    }
    for (index, reader) in readers.enumerated() {
      let rows = try reader.rows(Self.layout)
      #expect(rows.count == (index + 1) * 1500)
      #expect(rows.last?[1] == .text(String(repeating: "\(index)", count: 3000)))
      reader.end()
    }
    let target = shop.folder + "/copy.sqlite"
    try engine.copy(to: .file(target), compacting: true, progress: nil)
    #expect(
      try shop.stock("SELECT count(*) FROM Note; PRAGMA integrity_check", file: target)
        == "9000\nok")
    let other = shop.folder + "/pages.sqlite"
    try engine.copy(to: .file(other), compacting: false, progress: nil)
    #expect(
      try shop.stock("SELECT count(*) FROM Note; PRAGMA integrity_check", file: other)
        == "9000\nok")
    try engine.write { _ = try $0.delete(matching: BoundQuery(layout: Self.layout)) }
    #expect(try engine.check(.deep, progress: nil).isClean)
  }

  @Test("two stores in memory have nothing in common")
  func separate() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let first = try shop.make(Self.note, memory: true)
    let second = try shop.make(Self.note, memory: true)
    try first.write { try $0.put(Self.layout, [1, "first"]) }
    try second.read { transaction throws in #expect(try transaction.rows(Self.layout).isEmpty) }
  }

  #if os(Linux)
    @Test("nothing has a name, neither while the store is open nor after the process is killed")
    func leavesNothing() async throws {
      let shop = try Workshop()
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [file = (shop.folder + "/names") as String] in
        let engine = try #require(
          try SQLiteBackend().open(.memory, EngineOptions()) as? SQLiteEngine)
        try engine.write { transaction in
          try transaction.apply(.createModel(MemoryStoreTests.note))
          try transaction.put(MemoryStoreTests.layout, [1, "x"])
        }
        // What the process has open tells where its files are, or were.
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
          .compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
          }
          .filter { $0.contains("memory.sqlite") }
        try links.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        kill(getpid(), SIGKILL)
      }
      let links = try String(contentsOfFile: shop.folder + "/names", encoding: .utf8)
        .split(separator: "\n")
      #expect(links.count >= 3)
      for link in links {
        #expect(link.hasSuffix(" (deleted)"))
        let folder = link.prefix { $0 != " " }.split(separator: "/").dropLast()
        #expect(!FileManager.default.fileExists(atPath: "/" + folder.joined(separator: "/")))
      }
    }
  #endif

  @Test("a cancelled reader does not use up the store's connections")
  func cancelledReaders() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(
      Self.note, options: EngineOptions(busyTimeout: .milliseconds(50), maximumReaders: 2),
      memory: true)
    for _ in 0..<5 {
      let reader = try engine.beginSQLRead()
      expectError(.invalidSQL) { _ = try reader.rows(sql: "SELECT nothing") }
      reader.end()
    }
    let readers = try (0..<2).map { _ in try engine.beginSQLRead() }
    for reader in readers { reader.end() }
  }
}
