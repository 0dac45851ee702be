import Foundation
import Kura
import Testing

@Suite("Store")
struct StoreTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func open(_ schema: Schema? = nil) throws -> Store {
    try Store.open(
      StoreConfiguration(
        at: .file(folder.file("dogs.db")), schema: try schema ?? SampleSchema.dogs()))
  }

  @Test func `a written record comes back after reopening`() throws {
    let store = try open()
    let key = try store.write { try $0.insert("Dog", ["name": "Rex", "age": 3]) }
    #expect(key == 1)
    try store.close()
    let again = try open()
    let record = try #require(try again.read { try $0.record("Dog", key: key) })
    #expect(record["name"] == "Rex")
    #expect(record["age"] == 3)
    #expect(record["weight"] == 1.5)
    #expect(record["chip"] == .null)
    #expect(record["unknown"] == nil)
    #expect(try record.value("name", as: String.self) == "Rex")
    #expect(try record.optionalValue("chip", as: String.self) == nil)
    try again.close()
  }
}
