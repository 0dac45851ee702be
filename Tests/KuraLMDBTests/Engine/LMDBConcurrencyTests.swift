import Dispatch
import Foundation
import KuraCore
import Synchronization
import Testing

@testable import KuraLMDB

/// Several threads in what they share: the environment, its map, its handles and its slots.
@Suite struct LMDBConcurrencyTests {
  private let workshop: LMDBWorkshop

  init() throws { workshop = try LMDBWorkshop() }

  /// Runs a body on threads of its own and records what it throws.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
    DispatchQueue.concurrentPerform(iterations: count) { number in
      do { try body(number) } catch { Issue.record("thread \(number): \(error)") }
    }
  }

  @Test func `readers that never pause do not keep the map from growing`() throws {
    let engine = try workshop.make(
      Dogs.model, options: EngineOptions(busyTimeout: .seconds(60)),
      backend: LMDBBackend(firstMapSize: 1 << 20))
    let isDone = Atomic(false)
    onThreads(4) { thread in
      if thread == 0 {
        defer { isDone.store(true, ordering: .relaxed) }
        let name = StoredValue.text(String(repeating: "x", count: 20_000))
        for number in 1...300 as ClosedRange<Int64> {
          try Self.repeating(engine) {
            try $0.put(Dogs.layout, [.integer(number), name, .integer(number), .null, .null])
          }
        }
      } else {
        while !isDone.load(ordering: .relaxed) {
          // The index and the records are of one commit.
          let reader = try engine.beginRead()
          defer { reader.end() }
          let count = try reader.count(Dogs.layout)
          let indexed = BoundQuery(
            layout: Dogs.layout, condition: .compareValue(column: 2, .greater, 0))
          #expect(try .integer(Int64(reader.rows(indexed).count)) == count)
        }
      }
    }
    #expect(try engine.read { try $0.count(Dogs.layout) } == 300)
    #expect(try workshop.findings(engine) == [])
  }

  /// Writes as `Store` does: again when the map was too small.
  private static func repeating(
    _ engine: any StorageEngine, _ body: (any EngineWriteTransaction) throws -> Void
  ) throws {
    while true {
      let transaction = try engine.beginWrite(timeout: nil)
      defer { transaction.end() }
      do {
        try body(transaction)
        return try transaction.commit()
      } catch {
        transaction.end()
        guard transaction.isWorthRepeating else { throw error }
      }
    }
  }

  @Test func `opening and closing beside readers and writers keeps one environment`() throws {
    try workshop.make(Dogs.model).close()
    let path = workshop.path
    onThreads(6) { thread in
      for round in 0..<20 {
        let engine = try LMDBBackend().open(.file(path), EngineOptions(busyTimeout: .seconds(60)))
        if thread % 2 == 0 {
          try engine.write { transaction in
            try transaction.put(
              Dogs.layout, [.integer(Int64(thread * 100 + round)), "Rex", 1, .null, .null])
          }
        } else {
          _ = try engine.read { try $0.rows(BoundQuery(layout: Dogs.layout)) }
        }
        try engine.close()
      }
    }
    let engine = try workshop.open()
    #expect(try engine.read { try $0.count(Dogs.layout) } == 60)
    #expect(try workshop.findings(engine) == [])
  }

  @Test func `models that are made meanwhile are there for readers of the commit`() throws {
    let engine = try workshop.make(
      Dogs.model, options: EngineOptions(busyTimeout: .seconds(60)))
    onThreads(4) { thread in
      for round in 0..<8 {
        if thread == 0 {
          try engine.write { transaction in
            let model = ModelDescription(
              "Model\(round)", primaryKey: ["id"],
              properties: [PropertyDescription("id", .integer)])
            try transaction.apply(.createModel(model))
            try transaction.put(ModelLayout(model), [.integer(Int64(round))])
          }
        } else {
          let reader = try engine.beginRead()
          defer { reader.end() }
          for model in try reader.storedSchema().models where model.name.hasPrefix("Model") {
            let name = model.name
            let layout = ModelLayout(
              ModelDescription(
                name, primaryKey: ["id"], properties: [PropertyDescription("id", .integer)]))
            #expect(try reader.count(layout) == 1, "\(name)")
          }
        }
      }
    }
    #expect(try engine.read { try $0.storedSchema().models.count } == 9)
  }

  @Test func `a marker moves with every commit that a reader can see`() throws {
    let engine = try workshop.make(Dogs.model)
    let commits = Atomic<Int64>(0)
    let isDone = Atomic(false)
    onThreads(3) { thread in
      if thread == 0 {
        defer { isDone.store(true, ordering: .releasing) }
        for number in 1...100 as ClosedRange<Int64> {
          try engine.write {
            try $0.put(Dogs.layout, [.integer(number), "Rex", 1, .null, .null])
          }
          commits.store(number, ordering: .releasing)
        }
        return
      }
      var last = try engine.commitMarker()
      var seen: Int64 = .max
      while !isDone.load(ordering: .acquiring) {
        let before = commits.load(ordering: .acquiring)
        let marker = try engine.commitMarker()
        let count = try engine.read { try $0.count(Dogs.layout) }
        guard case .integer(let count) = count else { continue }
        #expect(count >= before)
        if before > seen { #expect(marker != last, "commit \(before) after \(seen)") }
        // What the marker stands for is at most what was read after it.
        (last, seen) = (marker, count)
      }
    }
  }
}
