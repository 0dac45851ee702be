import Dispatch
import Kura

/// Several threads at once: one writer, readers beside it, nothing lost.
enum ConcurrencyRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("writers of many threads take turns and lose nothing", writers),
    ConformanceRule("readers beside a writer see whole commits only", readers),
    ConformanceRule("a writer that waits too long gives up with an error", timeout),
  ]

  private static let counter = ModelDescription(
    "Counter", primaryKey: ["id"],
    properties: [PropertyDescription("id", .integer), PropertyDescription("value", .integer)])
  private static let layout = ModelLayout(counter)

  private static func value(_ transaction: any EngineReadTransaction, _ id: RecordKey) throws
    -> Int64
  {
    guard case .integer(let value)? = try transaction.row(id, layout)?[1] else {
      throw ConformanceFailure("the counter is gone")
    }
    return value
  }

  private static func writers(_ bench: ConformanceBench) throws {
    let engine = try bench.make(counter)
    try bench.write(engine) { try $0.put(layout, [1, 0]) }
    try inParallel(4) { _ in
      for _ in 0..<25 {
        try bench.write(engine) { transaction in
          let next = try value(transaction, 1) + 1
          try transaction.put(layout, [1, .integer(next)], .upsert)
        }
      }
    }
    try expectEqual(try bench.read(engine) { try value($0, 1) }, 100, "the sum of all writers")
  }

  private static func readers(_ bench: ConformanceBench) throws {
    let engine = try bench.make(counter)
    try bench.write(engine) { transaction in
      try transaction.put(layout, [1, 500])
      try transaction.put(layout, [2, 500])
    }
    // The first thread moves amounts from one record to the other; the sum never changes.
    try inParallel(4) { thread in
      for round in 0..<50 {
        if thread == 0 {
          try bench.write(engine) { transaction in
            let (left, right) = (try value(transaction, 1), try value(transaction, 2))
            try transaction.put(layout, [1, .integer(left - Int64(round))], .upsert)
            try transaction.put(layout, [2, .integer(right + Int64(round))], .upsert)
          }
        } else {
          try bench.read(engine) { transaction in
            let sum = try value(transaction, 1) + value(transaction, 2)
            try expectEqual(sum, 1000, "the sum in a snapshot")
          }
        }
      }
    }
  }

  private static func timeout(_ bench: ConformanceBench) throws {
    let engine = try bench.make(counter)
    let transaction = try engine.beginWrite(timeout: nil)
    try inParallel(1) { _ in
      try expectError(.timedOut, .locked, of: "waiting for another writer") {
        try engine.beginWrite(timeout: .milliseconds(30)).end()
      }
    }
    transaction.end()
    try inParallel(1) { _ in try engine.beginWrite(timeout: .milliseconds(30)).end() }
  }

  /// Runs a body on several threads at once and throws the first error of any.
  private static func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void)
    throws
  {
    let failure = Monitor<(any Error)?>(nil)
    let group = DispatchGroup()
    for thread in 0..<count {
      DispatchQueue.global().async(group: group) {
        do {
          try body(thread)
        } catch {
          failure.withLock { if $0 == nil { $0 = error } }
        }
      }
    }
    group.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
