import Foundation
import Kura
import Testing

@Suite("Store Concurrency")
struct StoreConcurrencyTests {
  private static let formats: [StoreFormat] = [.sqlite, .lmdb]

  private static func open(_ format: StoreFormat) throws -> Store {
    try Store.open(
      StoreConfiguration(
        at: .memory, schema: try SampleSchema.dogs(), busyTimeout: .seconds(30), format: format))
  }

  private struct Mistake: Error, Equatable {}

  @Test(arguments: formats)
  func `asynchronous writes of one task happen in order`(format: StoreFormat) async throws {
    let store = try Self.open(format)
    for number in 0..<20 {
      try await store.write { _ = try $0.insert("Dog", ["id": .null, "name": .text("\(number)")]) }
    }
    let names = try await store.read { transaction in
      try transaction.records(Query("Dog")).map { try $0.value("name", as: String.self) }
    }
    #expect(names == (0..<20).map(String.init))
  }

  @Test(arguments: formats)
  func `writes of many tasks lose nothing`(format: StoreFormat) async throws {
    let store = try Self.open(format)
    let key = try await store.write { try $0.insert("Dog", ["name": "Rex", "age": 0]) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<10 {
            if task % 2 == 0 {
              try await store.write { try Self.grow($0, key) }
            } else {
              try Self.growNow(store, key)
            }
          }
        }
        group.addTask { _ = try await store.read { try $0.count(Query("Dog")) } }
      }
      try await group.waitForAll()
    }
    #expect(try await store.read { try $0.record("Dog", key: key)?["age"] } == 80)
  }

  private static func grow(_ transaction: WriteTransaction, _ key: RecordKey) throws {
    guard var dog = try transaction.record("Dog", key: key) else { return }
    try dog.set("age", .integer(dog.value("age", as: Int64.self) + 1))
    try transaction.update(dog)
  }

  private static func growNow(_ store: Store, _ key: RecordKey) throws {
    try store.write { try grow($0, key) }
  }

  @Test(arguments: formats)
  func `a body's own error comes out and nothing is written`(format: StoreFormat) async throws {
    let store = try Self.open(format)
    await #expect(throws: Mistake()) {
      try await store.write { transaction in
        try transaction.insert("Dog", ["name": "Rex"])
        throw Mistake()
      }
    }
    #expect(try await store.read { try $0.count(Query("Dog")) } == 0)
  }

  @Test(arguments: formats)
  func `a write inside a write throws instead of waiting for itself`(format: StoreFormat) throws {
    let store = try Self.open(format)
    try store.write { _ in
      let error = try #require(throws: StoreError.self) { try store.write { _ in } }
      #expect(error.code == .nestedWrite)
    }
  }

  @Test(arguments: formats)
  func `a call of a cancelled task does not begin`(format: StoreFormat) async throws {
    let store = try Self.open(format)
    let hasRun = Monitor(false)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.write { _ in hasRunMark() }
    }
    @Sendable func hasRunMark() { hasRun.withLock { $0 = true } }
    let error = await #expect(throws: StoreError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(!hasRun.withLock { $0 })
  }

  @Test(arguments: formats)
  func `a write that cannot begin in time throws`(format: StoreFormat) async throws {
    let store = try Self.open(format)
    let inside = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let first = Task {
      try await store.write { _ in
        inside.signal()
        leave.wait()
      }
    }
    await Self.wait(inside)
    let error = try #require(throws: StoreError.self) {
      try Self.write(store, timeout: .milliseconds(20))
    }
    #expect(error.code == .timedOut || error.code == .locked)
    leave.signal()
    try await first.value
  }

  private static func write(_ store: Store, timeout: Duration) throws {
    try store.write(timeout: timeout) { _ in }
  }

  private static func wait(_ semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        semaphore.wait()
        continuation.resume()
      }
    }
  }

  @Test(arguments: formats)
  func `closing waits for running transactions and later calls throw`(format: StoreFormat)
    async throws
  {
    let store = try Self.open(format)
    let inside = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let reader = Task {
      try await store.read { transaction in
        inside.signal()
        leave.wait()
        return try transaction.count(Query("Dog"))
      }
    }
    await Self.wait(inside)
    let early = await #expect(throws: StoreError.self) {
      try await store.close(timeout: .milliseconds(20))
    }
    #expect(early?.code == .timedOut)
    leave.signal()
    #expect(try await reader.value == 0)
    try await store.close()
    try await store.close()
    let error = await #expect(throws: StoreError.self) { try await store.read { _ in } }
    #expect(error?.code == .closed)
  }

  @Test(arguments: formats)
  func `closing inside a transaction throws`(format: StoreFormat) throws {
    let store = try Self.open(format)
    try store.read { _ in
      let error = try #require(throws: StoreError.self) { try store.close() }
      #expect(error.code == .locked)
    }
    try store.close()
  }
}
