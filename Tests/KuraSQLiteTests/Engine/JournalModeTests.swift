import CSQLite
import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

@Suite("Journal mode")
struct JournalModeTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  /// Bytes 18 and 19 of the header are 1 in rollback mode and 2 in WAL mode (fileformat2.html §1.3.3).
  private func formatBytes(of path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path))[18..<20])
  }

  @Test("a write leaves somebody else's file in the mode that it has")
  func foreignFileKeepsItsMode() throws {
    try withFolder { folder in
      let path = folder + "/foreign.sqlite"
      var handle: OpaquePointer?
      #expect(sqlite3_open(path, &handle) == SQLITE_OK)
      #expect(sqlite3_exec(handle, "CREATE TABLE t(x)", nil, nil, nil) == SQLITE_OK)
      sqlite3_close(handle)
      let engine = try SQLiteBackend().open(.file(path), EngineOptions())
      let transaction = try #require(
        try engine.beginWrite(timeout: nil) as? any SQLWriteTransaction)
      try transaction.execute(sql: "INSERT INTO t VALUES (1)", parameters: [:])
      try transaction.commit()
      try engine.close()
      #expect(try formatBytes(of: path) == [1, 1])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["foreign.sqlite"])
    }
  }

  @Test("a new store is in WAL mode")
  func newStoreIsInWALMode() throws {
    try withFolder { folder in
      let path = folder + "/new.sqlite"
      let engine = try SQLiteBackend().open(.file(path), EngineOptions())
      let transaction = try engine.beginWrite(timeout: nil)
      try transaction.setMetadata("a", 1)
      try transaction.commit()
      try engine.close()
      #expect(try formatBytes(of: path) == [2, 2])
    }
  }
}
