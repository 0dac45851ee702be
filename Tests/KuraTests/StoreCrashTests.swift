import Foundation
import Kura
import Testing

/// Processes that make and write one store at once and are killed at any moment.
///
/// `tools/hammer` does the same for as many rounds as wanted and reads the store with other programs.
@Suite("Store after crashes")
struct StoreCrashTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What a store holds of each writer, as a new process would read it.
  private struct Content {
    struct Writer {
      var numbers: Set<Int64> = []
      var first: Int64 = 1
      var last: Int64 = 0
    }

    var writers: [Int64: Writer] = [:]
    /// The transactions of which only some entries are there.
    var halves: [String] = []
    var sum: Int64 = 0
    var total: Int64 = 0

    init(_ path: String) throws {
      let store = try Store.open(
        StoreConfiguration(
          at: .file(path), schema: try Schema(version: 1, []),
          whenMigrationIsNeeded: .openReadOnly, creation: .never))
      try store.read { transaction in
        var parts: [[Int64]: (expected: Set<Int64>, found: [Int64])] = [:]
        for entry in try transaction.records(Query("Entry")) {
          let id = try [
            entry.value("writer", as: Int64.self), entry.value("number", as: Int64.self),
          ]
          parts[id, default: ([], [])].expected.insert(try entry.value("parts", as: Int64.self))
          parts[id]?.found.append(try entry.value("part", as: Int64.self))
        }
        for (id, part) in parts {
          writers[id[0], default: Writer()].numbers.insert(id[1])
          let isWhole =
            part.expected == [Int64(part.found.count)]
            && part.found.sorted() == Array(0..<Int64(part.found.count))
          if !isWhole { halves.append("\(id)") }
        }
        for writer in try transaction.records(Query("Writer")) {
          let id = try writer.value("id", as: Int64.self)
          writers[id, default: Writer()].first = try writer.value("first", as: Int64.self)
          writers[id]?.last = try writer.value("last", as: Int64.self)
          sum += try writer.value("written", as: Int64.self)
        }
        total =
          try transaction.record("Total", key: RecordKey(.integer(1)))?
          .value("written", as: Int64.self) ?? 0
      }
      try store.close()
    }
  }

  /// What the stock tools of a format say about a file that is sound.
  private static func stock(_ format: StoreFormat, _ path: String) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      format == .sqlite
      ? ["sqlite3", "-batch", path, "PRAGMA integrity_check"]
      // Not its exit code, which is 0 for damage as well: the end of the last database.
      : ["sh", "-c", "mdb_dump -n -a \"$0\" > \"$0.text\" && tail -n 1 \"$0.text\"", path]
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  private static func expectWhole(_ format: StoreFormat, _ path: String, _ content: Content)
    throws
  {
    #expect(content.halves == [])
    #expect(content.sum == content.total)
    #expect(try stock(format, path) == (format == .sqlite ? "ok\n" : "DATA=END\n"))
    let backend = try #require(Backends.default.first { $0.format == format })
    let engine = try backend.open(.file(path), EngineOptions(access: .readOnly))
    #expect(try engine.check(.deep, progress: nil).findings.map(\.message) == [])
    try engine.close()
  }

  @Test(arguments: [StoreFormat.sqlite, .lmdb])
  func `killed writers leave every commit, no half of one, and a store that opens`(
    format: StoreFormat
  ) throws {
    let path = folder.file("store")
    var random = SystemRandomNumberGenerator()
    var abandoned: [Int64: Set<Int64>] = [:]
    for round in 0..<3 {
      let writers = try (1...8 as ClosedRange<Int64>).map {
        try HammerProcess(path, format: format, writer: $0, seed: random.next())
      }
      // All at once; in the first round there is no file yet.
      for writer in writers { try writer.begin() }
      for writer in writers.shuffled() {
        try writer.read(untilCommits: Int.random(in: 1...4))
        try writer.end()
        #expect(writer.others == ["ready", "open"], "round \(round)")
      }
      if round % 2 == 0 {
        // Whoever opens next needs to do nothing by hand.
        let next = try HammerProcess(path, format: format, writer: 9, seed: 1)
        try next.begin()
        try next.read(untilCommits: 1)
        #expect(try next.finish() == 0)
      }
      let content = try Content(path)
      try Self.expectWhole(format, path, content)
      for writer in writers {
        let found = content.writers[writer.writer] ?? Content.Writer()
        let past = abandoned[writer.writer, default: []]
        let last = try #require(writer.committed.max())
        let said = try #require(writer.committed.union(writer.abandoned).max())
        #expect(found.last >= last && found.last <= said + 1, "at most one was not yet said")
        let missing = writer.committed.filter { $0 >= found.first }.subtracting(found.numbers)
        #expect(missing.isEmpty, "writer \(writer.writer), round \(round)")
        // Numbers after the last commit are given again when the writer comes back.
        let gone = past.union(writer.abandoned).filter { $0 <= found.last }
        #expect(found.numbers.isDisjoint(with: gone))
        abandoned[writer.writer] = gone
      }
    }
  }
}
