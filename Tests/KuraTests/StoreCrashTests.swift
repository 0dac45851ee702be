import Foundation
import Kura
import Testing

/// Processes that make and write one store at once and are killed at any moment.
@Suite("Store after crashes")
struct StoreCrashTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("store.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  /// What stock `sqlite3` prints for some SQL about the store's file.
  private func stock(_ sql: String) throws -> [String] {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-batch", path, sql]
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The transactions of a writer that are whole in the file, and the first that it kept.
  private func found(_ writer: Int64) throws -> (numbers: Set<Int64>, first: Int64, last: Int64) {
    let numbers = try stock("SELECT DISTINCT number FROM Entry WHERE writer = \(writer)")
    let ends = try stock("SELECT first || ' ' || last FROM Writer WHERE id = \(writer)")
    let words = ends.first?.split(separator: " ").compactMap { Int64($0) } ?? []
    return (
      Set(numbers.compactMap { Int64($0) }), words.first ?? 1, words.count == 2 ? words[1] : 0
    )
  }

  private func expectWhole(round: Int) throws {
    #expect(try stock("PRAGMA integrity_check") == ["ok"], "round \(round)")
    let halves = """
      SELECT writer, number FROM Entry GROUP BY writer, number
      HAVING count(*) <> min(parts) OR min(parts) <> max(parts) OR max(part) <> min(parts) - 1
      """
    #expect(try stock(halves) == [], "round \(round)")
    let sums = "SELECT sum(written) - (SELECT written FROM Total) FROM Writer"
    #expect(try stock(sums) == ["0"], "round \(round)")
  }

  @Test func `killed writers leave every commit, no half of one, and a store that opens`() throws {
    var random = SystemRandomNumberGenerator()
    var abandoned: [Int64: Set<Int64>] = [:]
    for round in 0..<4 {
      let writers = try (1...8 as ClosedRange<Int64>).map {
        try HammerProcess(path, writer: $0, seed: random.next())
      }
      // All at once; in the first round there is no file yet.
      for writer in writers { try writer.begin() }
      for writer in writers.shuffled() {
        try writer.read(untilCommits: Int.random(in: 1...6))
        try writer.end()
        #expect(writer.others == ["ready", "open"], "round \(round)")
      }
      if round % 2 == 0 {
        // Whoever opens next needs to do nothing by hand.
        let next = try HammerProcess(path, writer: 9, seed: 1)
        try next.begin()
        try next.read(untilCommits: 1)
        #expect(try next.finish() == 0)
      }
      try expectWhole(round: round)
      for writer in writers {
        let found = try found(writer.writer)
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
