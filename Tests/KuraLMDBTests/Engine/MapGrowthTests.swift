import KuraCore
import KuraTesting
import Synchronization
import Testing

@testable import KuraLMDB

/// The memory map grows without anybody noticing.
@Suite struct `Growing the map` {
  private let workshop: LMDBWorkshop
  private static let note = ModelDescription(
    "Note", primaryKey: ["id"],
    properties: [PropertyDescription("id", .integer), PropertyDescription("text", .text)])
  private static let notes = ModelLayout(note)

  init() throws { workshop = try LMDBWorkshop() }

  private func store(_ location: StoreLocation) throws -> Store {
    try Store.open(
      StoreConfiguration(
        at: location, schema: try Schema(version: 1, [Self.note]),
        backends: [LMDBBackend(firstMapSize: 1 << 20)]))
  }

  @Test(arguments: [true, false])
  func `a write that outgrows the map runs again`(isInMemory: Bool) throws {
    let store = try store(isInMemory ? .memory : .file(workshop.path))
    let text = String(repeating: "x", count: 10_000)
    var runs = 0
    try store.write { transaction in
      runs += 1
      for number in 1...500 {
        try transaction.insert("Note", ["id": .integer(Int64(number)), "text": .text(text)])
      }
    }
    // Five megabytes into one, two, four and eight.
    #expect(runs > 1)
    #expect(try store.read { try $0.count(Query("Note")) } == 500)
    try store.close()
  }

  @Test func `the error of a full map is told apart and leaves the store as it was`() throws {
    let engine = try workshop.make(Self.note, backend: LMDBBackend(firstMapSize: 1 << 20))
    let text = String(repeating: "x", count: 10_000)
    let transaction = try engine.beginWrite(timeout: nil)
    var error: StoreError?
    do {
      for number in 1...500 {
        try transaction.put(Self.notes, [.integer(Int64(number)), .text(text)])
      }
    } catch let thrown as StoreError {
      error = thrown
    }
    #expect(error?.code == .limitReached)
    #expect(error?.engineCode == -30792)
    #expect(code { _ = try transaction.put(Self.notes, [1, "x"]) } == .transactionFailed)
    #expect(code { try transaction.commit() } == .transactionFailed)
    transaction.end()
    #expect(transaction.isWorthRepeating)
    #expect(try engine.read { try $0.count(Self.notes) } == 0)
    try engine.write { try $0.put(Self.notes, [1, "x"]) }
    #expect(try workshop.findings(engine) == [])
  }

  @Test func `a full map inside a savepoint ends the transaction`() throws {
    let store = try store(.file(workshop.path))
    let text = String(repeating: "x", count: 10_000)
    var runs = 0
    try store.write { transaction in
      runs += 1
      _ = try? transaction.savepoint {
        for number in 1...300 {
          try transaction.insert("Note", ["id": .integer(Int64(number)), "text": .text(text)])
        }
      }
    }
    #expect(runs > 1)
    #expect(try store.read { try $0.count(Query("Note")) } == 300)
  }

  @Test func `a reader that goes on keeps the map, and the writer says so`() throws {
    let engine = try workshop.make(
      Self.note, options: EngineOptions(busyTimeout: .milliseconds(50)),
      backend: LMDBBackend(firstMapSize: 1 << 20))
    try engine.write { try $0.put(Self.notes, [1, "x"]) }
    let reader = try engine.beginRead()
    let filling = try engine.beginWrite(timeout: nil)
    let text = String(repeating: "x", count: 100_000)
    #expect(
      code {
        for number in 2...100 {
          try filling.put(Self.notes, [.integer(Int64(number)), .text(text)])
        }
      } == .limitReached)
    filling.end()
    #expect(code { _ = try engine.beginWrite(timeout: .milliseconds(50)) } == .timedOut)
    #expect(try reader.row(1, Self.notes) == [1, "x"])
    reader.end()
    try engine.write { transaction in
      for number in 2...8 {
        try transaction.put(Self.notes, [.integer(Int64(number)), .text(text)])
      }
    }
    #expect(try engine.read { try $0.count(Self.notes) } == 8)
  }
}
