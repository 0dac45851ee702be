import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

/// One file, opened more than once by this process.
@Suite("A file opened twice in one process")
struct SharedProcessTests {
  private let folder: ForeignFolder

  init() throws { folder = try ForeignFolder() }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func reader(_ path: String) throws -> any StorageEngine {
    try SQLiteBackend().open(.file(path), EngineOptions(access: .readOnly))
  }

  @Test(
    "two readers of a file at rest leave nothing beside it",
    arguments: ["wal.sqlite", "wal-noshm.sqlite", "one.sqlite"])
  func twoReaders(fixture: String) throws {
    let path = try folder.copy(fixture)
    let before = try names()
    let (first, second) = (try reader(path), try reader(path))
    _ = try first.beginRead().storedSchema()
    _ = try second.beginRead().storedSchema()
    #expect(try names() == before)
    try second.close()
    try first.close()
    #expect(try names() == before)
  }

  #if os(Linux)
    /// The locks that this process holds on a file, as the kernel counts them.
    private func ownLocks(on path: String) throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let inode = try #require(attributes[.systemFileNumber] as? NSNumber)
      let text = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
      return text.split(separator: "\n").count { line in
        let words = line.split(separator: " ")
        return words.contains("\(ProcessInfo.processInfo.processIdentifier)")
          && words.contains { $0.hasSuffix(":\(inode)") }
      }
    }

    @Test("closing a reader without locks leaves the locks of this process's writer")
    func readerKeepsLocks() throws {
      let path = try folder.copy("wal-noshm.sqlite")
      let reader = try reader(path)
      let reading = try reader.beginRead()
      let writer = try SQLiteBackend().open(.file(path), EngineOptions())
      let snapshot = try writer.beginRead()
      let held = try ownLocks(on: path)
      #expect(held > 0)
      reading.end()
      try reader.close()
      #expect(try ownLocks(on: path) == held)
      snapshot.end()
      try writer.close()
    }
  #endif
}
