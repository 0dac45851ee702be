import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

/// Several connections and processes at one file.
@Suite("Locks of other processes")
struct LockingTests {
  private static let note = ModelDescription(
    "Note", primaryKey: ["id"],
    properties: [PropertyDescription("id", .integer), PropertyDescription("text", .text)])
  private static let layout = ModelLayout(note)

  /// A stock `sqlite3` that has begun a transaction on a file.
  private func holder(_ path: String, _ begin: String) throws -> ChildProcess {
    let child = try ChildProcess("sqlite3", ["-batch", path])
    try child.say(begin + "; SELECT 'ready';")
    #expect(try child.line() == "ready")
    return child
  }

  @Test("a writer of another process is waited for until the deadline, and named")
  func named() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(Self.note)
    let child = try holder(shop.path, "BEGIN IMMEDIATE")
    let start = ContinuousClock.now
    let error = expectError(.locked) {
      try engine.beginWrite(timeout: .milliseconds(80)).end()
    }
    let waited = ContinuousClock.now - start
    #expect(waited >= .milliseconds(70) && waited < .seconds(20))
    #expect(error?.message.contains("process \(child.processIdentifier) (sqlite3)") == true)
    #expect(error?.path == shop.path)
    // Readers are not concerned.
    try engine.read { transaction throws in #expect(try transaction.rows(Self.layout).isEmpty) }
    try child.say("ROLLBACK;")
    try child.finish()
    try engine.write { try $0.put(Self.layout, [1, "after"]) }
    #expect(try shop.stock("SELECT text FROM Note") == "after")
  }

  @Test("a writer that waits takes its turn as soon as the other process ends")
  func waits() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(Self.note, options: EngineOptions(busyTimeout: .seconds(30)))
    let child = try holder(shop.path, "BEGIN IMMEDIATE; INSERT INTO Note VALUES (1, 'other')")
    // This thread waits in the write while the other one talks to the child; both have it alone.
    nonisolated(unsafe) let other = child
    let thread = Thread {
      // Whether the writer already waits or not, it gets its turn.
      try? other.say("COMMIT;")
      _ = try? other.finish()
    }
    thread.start()
    try engine.write { transaction throws in
      try transaction.put(Self.layout, [2, "ours"])
      #expect(try transaction.rows(Self.layout) == [[1, "other"], [2, "ours"]])
    }
  }

  @Test("commits of another process move the marker and are seen by new readers only")
  func otherCommits() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(Self.note)
    let marker = try engine.commitMarker()
    let early = try engine.beginSQLRead()
    _ = try shop.stock("INSERT INTO Note VALUES (7, 'other')")
    #expect(try early.rows(Self.layout).isEmpty)
    early.end()
    #expect(try engine.commitMarker() != marker)
    try engine.read { transaction throws in
      #expect(try transaction.rows(Self.layout) == [[7, "other"]])
    }
  }

  @Test("opening and closing engines of the same file keeps the locks of the others")
  func registry() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(Self.note)
    let transaction = try engine.beginWrite(timeout: nil)
    try transaction.put(Self.layout, [1, "held"])
    for access in [EngineOptions.Access.readOnly, .readWrite(create: false)] {
      let other = try EngineOpener.open(
        .file(shop.path), options: EngineOptions(access: access), backends: [SQLiteBackend()])
      let read = try other.beginRead()
      #expect(try read.rows(Self.layout).isEmpty)
      read.end()
      try other.close()
    }
    // If the lock were lost, stock sqlite3 could begin to write now.
    let refused = try ChildProcess.output(
      "sh", ["-c", "sqlite3 -batch '\(shop.path)' 'BEGIN IMMEDIATE' 2>&1 || true"])
    #expect(refused.contains("locked"))
    try transaction.commit()
    #expect(try shop.stock("SELECT text FROM Note; PRAGMA integrity_check") == "held\nok")
  }

  @Test("a commit into a file that was removed or replaced is an error")
  func replaced() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(Self.note)
    let transaction = try engine.beginWrite(timeout: nil)
    try transaction.put(Self.layout, [1, "lost"])
    try FileManager.default.moveItem(atPath: shop.path, toPath: shop.folder + "/moved.sqlite")
    expectError(.replaced) { try transaction.commit() }
    expectError(.replaced) { _ = try engine.beginWrite(timeout: nil) }
    expectError(.replaced) { _ = try engine.beginRead() }
    try Data("other".utf8).write(to: URL(fileURLWithPath: shop.path))
    expectError(.replaced) { _ = try engine.beginWrite(timeout: nil) }
    #expect(FileManager.default.contents(atPath: shop.path) == Data("other".utf8))
  }

  @Test("readers do not keep the log from being copied back for ever")
  func logSize() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(Self.note)
    for round in 0..<30 as Range<Int64> {
      try engine.write { transaction in
        for number in 0..<200 as Range<Int64> {
          try transaction.put(
            Self.layout, [.integer(number), .text(String(repeating: "x", count: 2000))], .upsert)
        }
      }
      try engine.read { transaction throws in
        #expect(try transaction.rows(Self.layout).count == 200, "round \(round)")
      }
    }
    // 30 rounds write about 15 MB to the log; without copying back it would have them all.
    let attributes = try FileManager.default.attributesOfItem(atPath: shop.path + "-wal")
    let size = try #require(attributes[.size] as? Int)
    #expect(size < 9_000_000)
    try engine.close()
    #expect(try shop.names == ["store.sqlite"])
  }
}
