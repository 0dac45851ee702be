import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

@Suite struct `Numbers of SQLite commits` {
  private let note = ModelDescription(
    "Note", primaryKey: ["id"],
    properties: [PropertyDescription("id", .integer), PropertyDescription("text", .text)])
  private var notes: ModelLayout { ModelLayout(note) }
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func commit(_ engine: SQLiteEngine) throws -> UInt64? {
    try Self.commit(engine, notes)
  }

  private static func commit(_ engine: SQLiteEngine, _ layout: ModelLayout) throws -> UInt64? {
    let transaction = try engine.beginWrite(timeout: nil)
    defer { transaction.end() }
    try transaction.put(layout, [.null, "text"])
    try transaction.commit()
    return transaction.committedNumber
  }

  /// A number in a file as another process reads it: in this one it would cost SQLite's locks.
  private func number(_ file: String, _ offset: Int) throws -> [UInt8] {
    try ChildProcess.output("od", ["-An", "-tu1", "-j\(offset)", "-N4", "-v", file])
      .split(separator: " ").compactMap { UInt8($0) }
  }

  @Test func `in WAL mode they are those of the log's index, whoever commits`() throws {
    let engine = try workshop.make(note)
    let first = try #require(try commit(engine))
    // walformat.html, section 2.1: iChange, in the machine's byte order.
    let stored = try number(workshop.path + "-shm", 8)
    #expect(stored.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) } == first)
    _ = try workshop.stock("INSERT INTO Note VALUES (100, 'elsewhere')")
    #expect(try engine.newestCommitNumber() == first + 1)
    #expect(try engine.read { $0.commitNumber } == first + 1)
    #expect(try commit(engine) == first + 2)
    // A checkpoint commits nothing, and the log that begins anew counts on.
    _ = try workshop.stock("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try engine.newestCommitNumber() == first + 2)
    #expect(try commit(engine) == first + 3)
    #expect(try engine.read { $0.commitNumber } == first + 3)
  }

  @Test func `in rollback mode they are those of the file's header, whoever commits`() throws {
    _ = try workshop.stock("CREATE TABLE Note(id INTEGER PRIMARY KEY, text)")
    let engine = try workshop.open(EngineOptions(access: .readWrite(create: false)))
    #expect(try workshop.names == ["store.sqlite"])
    let before = try #require(try engine.newestCommitNumber())
    let stored = try number(workshop.path, 24)
    #expect(stored.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } == before)
    #expect(try engine.read { $0.commitNumber } == before)
    #expect(try commit(engine) == before + 1)
    _ = try workshop.stock("INSERT INTO Note VALUES (100, 'elsewhere')")
    #expect(try engine.newestCommitNumber() == before + 2)
    #expect(try engine.read { $0.commitNumber } == before + 2)
    #expect(try commit(engine) == before + 3)
    let reading = try engine.newestCommitNumber()
    #expect(reading == before + 3)
    // Nothing of a log was made by asking.
    #expect(try workshop.names == ["store.sqlite"])
  }

  @Test func `a file that goes over to WAL mode does not count on`() throws {
    _ = try workshop.stock("CREATE TABLE Note(id INTEGER PRIMARY KEY, text)")
    let engine = try workshop.open(EngineOptions(access: .readWrite(create: false)))
    let before = try #require(try commit(engine))
    _ = try workshop.stock("PRAGMA journal_mode = WAL; INSERT INTO Note VALUES (100, 'x')")
    let after = try #require(try engine.read { $0.commitNumber })
    #expect(after > before + 1)
    #expect(try engine.newestCommitNumber() == after)
    #expect(try commit(engine) == after + 1)
  }

  @Test func `a count that begins anew is never next to the one before`() throws {
    let engine = try workshop.make(note)
    for _ in 0..<3 { _ = try commit(engine) }
    let last = try #require(try commit(engine))
    // As after a process that died while it wrote the header: the next one who reads makes it anew.
    _ = try ChildProcess.output(
      "dd",
      [
        "if=/dev/zero", "of=" + workshop.path + "-shm", "bs=48", "count=1", "conv=notrunc",
        "status=none",
      ])
    let recovered = try #require(try engine.read { $0.commitNumber })
    #expect(recovered > last + 1)
    #expect(try #require(try commit(engine)) == recovered + 1)
    #expect(try engine.read { try $0.rows(notes).count } == 5)
    let recount = try number(workshop.path + "-shm", 8)
    #expect(recount.reversed().reduce(0) { $0 << 8 | Int($1) } < 4)
  }

  @Test func `a file that is only read has numbers when SQLite's locks are used`() throws {
    let writer = try workshop.make(note)
    let last = try commit(writer)
    let reader = try workshop.open(EngineOptions(access: .readOnly))
    #expect(try reader.read { $0.commitNumber } == last)
    #expect(try reader.newestCommitNumber() == last)
    let after = try commit(writer)
    #expect(try reader.newestCommitNumber() == after)
    #expect(try reader.read { $0.commitNumber } == after)
  }

  @Test func `a file at rest that is only read has none`() throws {
    try workshop.make(note).close()
    let names = try workshop.names
    let reader = try workshop.open(EngineOptions(access: .readOnly))
    #expect(try reader.read { $0.commitNumber } == nil)
    #expect(try reader.newestCommitNumber() == nil)
    #expect(try workshop.names == names)
  }

  @Test func `a snapshot's number fits what it shows while others commit`() async throws {
    let engine = try workshop.make(note)
    let first = try #require(try commit(engine))
    let layout = notes
    try await withThrowingTaskGroup { group in
      group.addTask { for _ in 0..<300 { _ = try Self.commit(engine, layout) } }
      group.addTask {
        var count = 0
        while count < 301 {
          let transaction = try engine.beginRead()
          defer { transaction.end() }
          count = try transaction.rows(BoundQuery(layout: layout)).count
          guard let number = transaction.commitNumber else { continue }
          #expect(number == first + UInt64(count) - 1)
        }
      }
      try await group.waitForAll()
    }
  }
}
