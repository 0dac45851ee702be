import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

#if canImport(Glibc)
  import Glibc
#endif

/// What happens when the disk is full or the process is killed.
@Suite("Failures of the surroundings")
struct FailureTests {
  private static let note = ModelDescription(
    "Note", primaryKey: ["id"],
    properties: [PropertyDescription("id", .integer), PropertyDescription("text", .text)])
  private static let layout = ModelLayout(note)

  @Test("no space is an error, and what was committed is whole")
  func diskFull() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(Self.note)
    try engine.write { try $0.put(Self.layout, [1, "kept"]) }
    let transaction = try #require(
      try engine.beginWrite(timeout: nil) as? SQLiteWriteTransaction)
    // SQLite reports its own limit with the same code as a full disk.
    _ = try transaction.connection.integer("PRAGMA max_page_count = 60")
    let error = expectError(.diskFull) {
      for number in 2...10_000 as ClosedRange<Int64> {
        try transaction.put(
          Self.layout, [.integer(number), .text(String(repeating: "x", count: 500))])
      }
    }
    #expect(error?.code.kind == .environment)
    transaction.end()
    try engine.read { transaction throws in
      #expect(try transaction.rows(Self.layout) == [[1, "kept"]])
    }
    try engine.write { transaction in
      _ = try transaction.connection.integer("PRAGMA max_page_count = 1000000")
      try transaction.put(Self.layout, [2, "after"])
    }
    #expect(try shop.stock("SELECT text FROM Note; PRAGMA integrity_check") == "kept\nafter\nok")
  }

  #if os(Linux)
    @Test("a full file system is an error, and what was committed is whole")
    func fullFileSystem() async throws {
      // The limit on the size of files is the process's, so a process of its own meets it.
      let shop = try Workshop()
      try shop.make(Self.note).close()
      await #expect(processExitsWith: .success) { [path = shop.path as String] in
        signal(SIGXFSZ, SIG_IGN)
        let engine = try #require(
          try SQLiteBackend().open(.file(path), EngineOptions()) as? SQLiteEngine)
        try engine.write { try $0.put(FailureTests.layout, [1, "kept"]) }
        var limit = rlimit(rlim_cur: 200_000, rlim_max: 200_000)
        try #require(setrlimit(__rlimit_resource_t(1), &limit) == 0)
        let transaction = try engine.beginWrite(timeout: nil)
        expectError(.diskFull) {
          for number in 2...10_000 as ClosedRange<Int64> {
            try transaction.put(
              FailureTests.layout, [.integer(number), .text(String(repeating: "x", count: 500))])
          }
          try transaction.commit()
        }
        transaction.end()
        try engine.read { transaction throws in
          #expect(try transaction.rows(FailureTests.layout) == [[1, "kept"]])
        }
      }
      #expect(try shop.stock("SELECT text FROM Note; PRAGMA integrity_check") == "kept\nok")
    }
  #endif

  @Test("a writer that is killed leaves whole commits", arguments: 1...4)
  func killed(round: Int) async throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    try shop.make(Self.note).close()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = shop.path as String, round = round as Int] in
      let engine = try #require(
        try SQLiteBackend().open(.file(path), EngineOptions()) as? SQLiteEngine)
      let acknowledged = open(path + ".done", O_WRONLY | O_CREAT, 0o600)
      // Another thread kills the process in the midst of the work; each round at another time.
      Thread {
        usleep(UInt32(round) * 37_000 + 90_000)
        kill(getpid(), SIGKILL)
      }.start()
      for batch in 0..<1_000_000 as Range<Int64> {
        try engine.write { transaction in
          for number in 0..<10 as Range<Int64> {
            try transaction.put(
              FailureTests.layout, [.integer(batch * 10 + number), .text("batch \(batch)")])
          }
        }
        let line = "\(batch)\n"
        _ = line.withCString { write(acknowledged, $0, strlen($0)) }
      }
    }
    let done = try String(contentsOfFile: shop.path + ".done", encoding: .utf8)
    let acknowledged = done.split(separator: "\n").count
    #expect(acknowledged > 0)
    // First as SQLite finds it, then as we do.
    #expect(try shop.stock("PRAGMA integrity_check") == "ok")
    let engine = try shop.open()
    try engine.read { transaction throws in
      let rows = try transaction.rows(Self.layout)
      // The commit under way may have been finished without an answer.
      #expect([acknowledged * 10, acknowledged * 10 + 10].contains(rows.count))
      for (number, row) in rows.enumerated() {
        #expect(row == [.integer(Int64(number)), .text("batch \(number / 10)")])
      }
    }
    try engine.write { try $0.put(Self.layout, [.integer(-1), "after"]) }
  }

  @Test("an unfinished transaction of a killed process is gone")
  func killedInside() async throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    try shop.make(Self.note).close()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = shop.path as String] in
      let engine = try #require(
        try SQLiteBackend().open(.file(path), EngineOptions()) as? SQLiteEngine)
      try engine.write { try $0.put(FailureTests.layout, [1, "kept"]) }
      let transaction = try engine.beginWrite(timeout: nil)
      // More than the page cache holds, so that uncommitted pages are in the log.
      for number in 2...20_000 as ClosedRange<Int64> {
        try transaction.put(
          FailureTests.layout, [.integer(number), .text(String(repeating: "x", count: 500))])
      }
      kill(getpid(), SIGKILL)
    }
    let engine = try shop.open()
    try engine.read { transaction throws in
      #expect(try transaction.rows(Self.layout) == [[1, "kept"]])
    }
    try engine.close()
    #expect(try shop.stock("SELECT text FROM Note; PRAGMA integrity_check") == "kept\nok")
  }
}
