import Foundation
import KuraCore
import Testing

@testable import KuraLMDB

#if canImport(Glibc)
  import Glibc
#endif

#if os(Linux)
  /// A file that cannot grow: an error, the old state, and a store that goes on when there is room.
  @Suite struct `LMDB stores on a full disk` {
    private static let note = ModelDescription(
      "Note", primaryKey: ["id"],
      properties: [PropertyDescription("id", .integer), PropertyDescription("text", .text)])
    private static let notes = ModelLayout(note)

    private static func limitFiles(to size: UInt) throws {
      signal(SIGXFSZ, SIG_IGN)
      // The hard limit stays, so that the limit can be lifted again.
      var limit = rlimit(rlim_cur: size, rlim_max: .max)
      try #require(setrlimit(__rlimit_resource_t(1), &limit) == 0)
    }

    /// Writes records with long texts in one transaction.
    private static func fill(_ engine: any StorageEngine, _ numbers: ClosedRange<Int64>) throws {
      try engine.write { transaction in
        for number in numbers {
          try transaction.put(
            notes, [.integer(number), .text(String(repeating: "x", count: 5_000))], .upsert)
        }
      }
    }

    @Test func `a commit that finds no room throws, and the next one succeeds`() async throws {
      let workshop = try LMDBWorkshop()
      try workshop.make(Self.note).close()
      // The limit on the size of files is the process's, so a process of its own meets it.
      await #expect(processExitsWith: .success) { [path = workshop.path as String] in
        typealias Here = `LMDB stores on a full disk`
        let engine = try LMDBBackend().open(.file(path), EngineOptions())
        try engine.write { try $0.put(Here.notes, [1, "kept"]) }
        try Here.limitFiles(to: 200_000)
        for _ in 0..<3 {
          let failure = code { try Here.fill(engine, 2...200) }
          #expect(failure == .diskFull)
          #expect(
            try engine.read { try $0.rows(BoundQuery(layout: Here.notes)) } == [[1, "kept"]])
        }
        // There is room for a little.
        try engine.write { try $0.put(Here.notes, [2, "small"]) }
        try Here.limitFiles(to: 100_000_000)
        try Here.fill(engine, 3...200)
        #expect(try engine.read { try $0.count(Here.notes) } == 200)
        #expect(try engine.check(.deep, progress: nil).findings.isEmpty)
      }
      let engine = try workshop.open()
      #expect(try workshop.findings(engine) == [])
      #expect(try engine.read { try $0.count(Self.notes) } == 200)
      #expect(try engine.read { try $0.row(1, Self.notes) } == [1, "kept"])
    }

    @Test func `a store that cannot be made leaves nothing`() async throws {
      let workshop = try LMDBWorkshop()
      await #expect(processExitsWith: .success) { [path = workshop.path as String] in
        typealias Here = `LMDB stores on a full disk`
        try Here.limitFiles(to: 4_096)
        #expect(code { _ = try LMDBBackend().open(.file(path), EngineOptions()) } == .diskFull)
      }
      #expect(try workshop.names == [])
    }
  }
#endif
