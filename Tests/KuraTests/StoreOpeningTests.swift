import Foundation
import Kura
import Testing

@Suite("Opening a store")
struct StoreOpeningTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func configuration(
    version: Int = 1, extra: [PropertyDescription] = [],
    _ change: (inout StoreConfiguration) -> Void = { _ in }
  ) throws -> StoreConfiguration {
    var configuration = StoreConfiguration(
      at: .file(folder.file("dogs.db")),
      schema: try SampleSchema.dogs(version: version, extra: extra))
    change(&configuration)
    return configuration
  }

  /// Makes version 1 with one record and closes it.
  private func makeFirstVersion() throws {
    let store = try Store.open(configuration())
    try store.write { try $0.insert("Dog", ["name": "Rex"]) }
    try store.close()
  }

  private func makeForeign() throws {
    let engine = try EngineOpener.open(
      .file(folder.file("dogs.db")), options: EngineOptions(), backends: Backends.default)
    let transaction = try #require(try engine.beginWrite(timeout: nil) as? any SQLWriteTransaction)
    try transaction.execute(sql: "CREATE TABLE somebodys(x)", parameters: [:])
    try transaction.commit()
    try engine.close()
  }

  private let nickname = PropertyDescription("nickname", .text, isOptional: true)

  @Test func `a missing store is reported and nothing is made`() throws {
    #expect(try Store.inspect(configuration()) == .missing)
    let error = try #require(throws: StoreError.self) {
      try Store.open(configuration { $0.creation = .never })
    }
    #expect(error.code == .missing)
    #expect(try folder.snapshot().isEmpty)
  }

  @Test func `an empty file is reported as empty and becomes a store`() throws {
    try #require(FileManager.default.createFile(atPath: folder.file("dogs.db"), contents: Data()))
    #expect(try Store.inspect(configuration()) == .empty)
    let error = try #require(throws: StoreError.self) {
      try Store.open(configuration { $0.creation = .never })
    }
    #expect(error.code == .empty)
    try Store.open(configuration()).close()
    #expect(try Store.inspect(configuration()) == .current)
  }

  @Test func `a store that must be new refuses what is there`() throws {
    try Store.open(configuration { $0.creation = .mustBeNew }).close()
    let before = try folder.snapshot()
    let error = try #require(throws: StoreError.self) {
      try Store.open(configuration { $0.creation = .mustBeNew })
    }
    #expect(error.code == .targetExists)
    #expect(try folder.snapshot() == before)
  }

  @Test func `an older store throws with the difference and stays as it was`() throws {
    try makeFirstVersion()
    let before = try folder.snapshot()
    let newer = try configuration(version: 2, extra: [nickname]) {
      $0.whenMigrationIsNeeded = .throw
    }
    let error = try #require(throws: StoreError.self) { try Store.open(newer) }
    #expect(error.code == .migrationRequired)
    #expect(error.schemaDifference?.changes == [.propertyAdded(model: "Dog", nickname)])
    #expect(error.description.contains("+ Dog.nickname"))
    guard case .pending(let plan) = try Store.inspect(newer) else {
      Issue.record("the store is not pending")
      return
    }
    #expect(plan.from == 1)
    #expect(plan.steps.map(\.operation) == [.addProperty(model: "Dog", nickname)])
    #expect(try folder.snapshot() == before)
  }

  @Test func `an older store opens read-only with its own schema`() throws {
    try makeFirstVersion()
    let before = try folder.snapshot()
    let store = try Store.open(
      configuration(version: 2, extra: [nickname]) { $0.whenMigrationIsNeeded = .openReadOnly })
    #expect(store.isReadOnly)
    #expect(store.schema.version == 1)
    #expect(try store.read { try $0.count(Query("Dog")) } == 1)
    let error = try #require(throws: StoreError.self) {
      try store.write { try $0.delete(Query("Dog")) }
    }
    #expect(error.code == .readOnly)
    try store.close()
    #expect(try folder.snapshot() == before)
  }

  @Test func `a newer store throws, or opens read-only when that is asked for`() throws {
    try Store.open(configuration(version: 3, extra: [nickname])).close()
    let before = try folder.snapshot()
    #expect(try Store.inspect(configuration()) == .newer(version: 3))
    let error = try #require(throws: StoreError.self) { try Store.open(configuration()) }
    #expect(error.code == .newer)
    let store = try Store.open(configuration { $0.whenStoreIsNewer = .openReadOnly })
    #expect(store.schema.version == 3)
    try store.close()
    #expect(try folder.snapshot() == before)
  }

  @Test func `another schema of the same version has drifted`() throws {
    try makeFirstVersion()
    let other = try configuration(extra: [nickname])
    let error = try #require(throws: StoreError.self) { try Store.open(other) }
    #expect(error.code == .drifted)
    #expect(error.schemaDifference?.changes.count == 1)
    guard case .drifted = try Store.inspect(other) else {
      Issue.record("the store has not drifted")
      return
    }
  }

  @Test func `a foreign database is never adopted or erased`() throws {
    try makeForeign()
    let before = try folder.snapshot()
    for policy: StoreConfiguration.MigrationPolicy in [.throw, .openReadOnly, .eraseData] {
      let error = try #require(throws: StoreError.self) {
        try Store.open(configuration { $0.whenMigrationIsNeeded = policy })
      }
      #expect(error.code == .foreign)
    }
    guard case .foreign(let kind) = try Store.inspect(configuration()) else {
      Issue.record("the file is not foreign")
      return
    }
    #expect(kind.contains("somebodys"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `erasing replaces schema and records at once`() throws {
    try makeFirstVersion()
    let store = try Store.open(
      configuration(version: 2, extra: [nickname]) { $0.whenMigrationIsNeeded = .eraseData })
    #expect(try store.read { try $0.count(Query("Dog")) } == 0)
    try store.write { try $0.insert("Dog", ["name": "Rex", "nickname": "R"]) }
    try store.close()
    #expect(try Store.inspect(configuration(version: 2, extra: [nickname])) == .current)
  }

  @Test func `a text file is named as one and left alone`() throws {
    try Data("name,age\n".utf8).write(to: URL(fileURLWithPath: folder.file("dogs.db")))
    let before = try folder.snapshot()
    let error = try #require(throws: StoreError.self) { try Store.open(configuration()) }
    #expect(error.code == .unknownFormat)
    guard case .foreign = try Store.inspect(configuration()) else {
      Issue.record("text is not foreign")
      return
    }
    #expect(try folder.snapshot() == before)
  }

  @Test func `opening for reading only leaves the folder alone`() throws {
    try makeFirstVersion()
    let before = try folder.snapshot()
    let store = try Store.open(configuration { $0.access = .readOnly })
    #expect(try store.read { try $0.count(Query("Dog")) } == 1)
    try store.close()
    #expect(try folder.snapshot() == before)
  }

  @Test func `many that make the same store at once get one schema and open stores`() async throws {
    let configuration = try configuration()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          let store = try await Store.open(configuration)
          try await store.write { _ = try $0.insert("Dog", ["name": "Rex"]) }
          try await store.close()
        }
      }
      try await group.waitForAll()
    }
    let store = try await Store.open(configuration)
    #expect(try await store.read { try $0.count(Query("Dog")) } == 6)
    try await store.close()
  }

  @Test func `a store in memory begins empty each time`() throws {
    let configuration = StoreConfiguration(at: .memory, schema: try SampleSchema.dogs())
    #expect(try Store.inspect(configuration) == .missing)
    let first = try Store.open(configuration)
    try first.write { try $0.insert("Dog", ["name": "Rex"]) }
    let second = try Store.open(configuration)
    #expect(try second.read { try $0.count(Query("Dog")) } == 0)
    #expect(try first.read { try $0.count(Query("Dog")) } == 1)
  }

  @Test func `a link to nothing is told, whether a store may be made or not`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("dogs.db"), withDestinationPath: "gone.db")
    for creation: StoreConfiguration.Creation in [.never, .ifMissing] {
      let error = try #require(throws: StoreError.self) {
        try Store.open(configuration { $0.creation = creation })
      }
      #expect(error.code == .missing)
      #expect(error.found == "a link to gone.db")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("gone.db")))
  }

  @Test func `a new store in a missing folder, and a name that is too long, have their own errors`()
    throws
  {
    let schema = try SampleSchema.dogs()
    for (name, code) in [
      ("missing/dogs.db", StoreError.Code.missing),
      (String(repeating: "n", count: 256), .nameTooLong),
    ] {
      let error = try #require(throws: StoreError.self) {
        try Store.open(StoreConfiguration(at: .file(folder.file(name)), schema: schema))
      }
      #expect(error.code == code)
      #expect(error.suggestion != nil)
    }
    #expect(try folder.snapshot().isEmpty)
  }

  @Test func `a store that was cut off is reported with its length and left alone`() throws {
    try makeFirstVersion()
    let path = folder.file("dogs.db")
    let whole = try #require(FileManager.default.contents(atPath: path))
    for length in [50, 700, whole.count / 2 + 100, whole.count - 1] {
      try whole.prefix(length).write(to: URL(fileURLWithPath: path))
      let before = try folder.snapshot()
      guard case .damaged(let found) = try Store.inspect(configuration()) else {
        Issue.record("a store of \(length) bytes is not damaged")
        continue
      }
      #expect(found.code == .truncated)
      #expect(found.found == "\(length) bytes")
      #expect(found.expected?.hasPrefix("\(whole.count) bytes") == true)
      let error = #expect(throws: StoreError.self) { try Store.open(configuration()) }
      #expect(error?.code == .truncated)
      #expect(try folder.snapshot() == before)
    }
  }

  @Test func `a file of a newer Kura is refused with its own code and left alone`() throws {
    try makeFirstVersion()
    let engine = try EngineOpener.open(
      .file(folder.file("dogs.db")), options: EngineOptions(), backends: Backends.default)
    let transaction = try #require(try engine.beginWrite(timeout: nil) as? any SQLWriteTransaction)
    try transaction.execute(
      sql: "UPDATE kura_meta SET value = 99 WHERE name = 'format'", parameters: [:])
    try transaction.commit()
    try engine.close()
    let before = try folder.snapshot()
    for attempt in [{ _ = try Store.open($0) }, { _ = try Store.inspect($0) }]
      as [(StoreConfiguration) throws -> Void]
    {
      let error = try #require(throws: StoreError.self) { try attempt(configuration()) }
      #expect(error.code == .newerFormat)
      #expect(error.found == "format 99")
    }
    #expect(try folder.snapshot() == before)
  }
}
