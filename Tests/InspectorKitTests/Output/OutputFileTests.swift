import Foundation
import KuraCore
import Testing

@testable import InspectorKit

@Suite("Output file")
struct OutputFileTests {
  @Test(
    "no part of the database that is read is replaced, whatever its name",
    arguments: ["a.db", "./a.db", "link", "hard", "a.db-wal", "a.db-journal", "a.db-shm"])
  func databaseStays(name: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let files = FileManager.default
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    let database = folder.path + "/a.db"
    try Data("content".utf8).write(to: URL(fileURLWithPath: database))
    try files.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: database)
    try files.linkItem(atPath: database, toPath: folder.path + "/hard")
    let error = #expect(throws: StoreError.self) {
      try Output.memory().redirect(
        to: folder.path + "/" + name, replacing: true, reading: database)
    }
    #expect(error?.code == .targetExists)
    #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == Data("content".utf8))
    #expect(
      try files.contentsOfDirectory(atPath: folder.path).sorted() == ["a.db", "hard", "link"])
  }
}
