import CSQLite
import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

@Suite("Reading in place")
struct ReadOnlySourceTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  private func execute(_ sql: String, on path: String) {
    var handle: OpaquePointer?
    #expect(sqlite3_open(path, &handle) == SQLITE_OK)
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    #expect(sqlite3_close(handle) == SQLITE_OK)
  }

  private func readOnly() -> EngineOptions { EngineOptions(access: .readOnly, isUntrusted: true) }

  @Test("a -wal file without frames stays", arguments: [32, 600])
  func emptyLogStays(size: Int) throws {
    try withFolder { folder in
      let path = folder + "/a.sqlite"
      execute("CREATE TABLE t(x); INSERT INTO t VALUES (1)", on: path)
      let log = Data(repeating: 0x5A, count: size)
      try log.write(to: URL(fileURLWithPath: path + "-wal"))
      let engine = try SQLiteBackend().open(.file(path), readOnly())
      let transaction = try engine.beginRead()
      #expect(try transaction.storedSchema().models.map(\.name) == ["t"])
      transaction.end()
      try engine.close()
      #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
          == ["a.sqlite", "a.sqlite-wal"])
    }
  }

  @Test("a device or pipe beside the file is refused", arguments: ["-wal", "-journal", "-shm"])
  func specialSideFile(suffix: String) throws {
    try withFolder { folder in
      let path = folder + "/a.sqlite"
      execute("CREATE TABLE t(x)", on: path)
      try FileManager.default.createSymbolicLink(
        atPath: path + suffix, withDestinationPath: "/dev/zero")
      let error = #expect(throws: StoreError.self) {
        _ = try SQLiteBackend().open(.file(path), readOnly())
      }
      #expect(error?.code == .notAFile)
    }
  }

  @Test("a change under a reader without locks is an error, not a mixture of two moments")
  func changeUnderReader() throws {
    try withFolder { folder in
      let path = folder + "/a.sqlite"
      execute(
        "PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)", on: path)
      let engine = try SQLiteBackend().open(.file(path), readOnly())
      let transaction = try #require(try engine.beginRead() as? any SQLReadTransaction)
      let cursor = try transaction.cursor(sql: "SELECT x FROM t", parameters: [:])
      let row = RowBuffer(columns: 1)
      #expect(try cursor.next(into: row))
      // Opened, written and checkpointed: nothing but the file's own time and size tells of it.
      execute("INSERT INTO t VALUES (3)", on: path)
      let error = #expect(throws: StoreError.self) {
        while try cursor.next(into: row) {}
      }
      #expect(error?.code == .locked)
      transaction.end()
      let next = try #require(try engine.beginRead() as? any SQLReadTransaction)
      let count = try next.cursor(sql: "SELECT count(*) FROM t", parameters: [:])
      #expect(try count.next(into: row))
      #expect(row.value(at: 0) == 3)
      count.close()
      next.end()
      try engine.close()
    }
  }
}
