import Kura

/// Commits are numbered without gaps, where a backend numbers them at all.
enum NumberRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("each commit has the number after the last one's", contiguous),
    ConformanceRule("a write that writes nothing uses no number up", empty),
    ConformanceRule("commits of another engine leave a gap", elsewhere),
  ]

  private static let layout = QueryRules.layout

  /// Commits what a body writes.
  ///
  /// - Returns: The numbers of the snapshot that was written on and of the commit.
  private static func commit(
    _ engine: any StorageEngine, _ body: (any EngineWriteTransaction) throws -> Void
  ) throws -> (before: UInt64?, after: UInt64?) {
    let transaction = try engine.beginWrite(timeout: nil)
    defer { transaction.end() }
    let before = transaction.commitNumber
    try body(transaction)
    try expect(transaction.committedNumber == nil, "there is a number before the commit")
    try transaction.commit()
    return (before, transaction.committedNumber)
  }

  private static func read(_ bench: ConformanceBench, _ engine: any StorageEngine) throws
    -> UInt64?
  {
    try bench.read(engine) { $0.commitNumber }
  }

  /// The record of the greatest key.
  private static let greatest = BoundQuery(
    layout: QueryRules.layout, order: [BoundSortTerm(column: 0, isDescending: true)], limit: 1)

  private static func name(_ text: StoredValue) -> RowBuffer {
    RowBuffer([.null, text, .null, .null, .null])
  }

  private static func contiguous(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    guard var last = try engine.newestCommitNumber() else { return }
    for round in 0..<40 {
      let numbers = try commit(engine) { transaction in
        switch round % 4 {
        case 0: try transaction.put(layout, [.null, "Zoe", .null, .null, .null])
        case 1:
          _ = try transaction.update(1, in: layout, columns: [1], from: name(.text("\(round)")))
        case 2: _ = try transaction.delete(matching: greatest)
        default: try transaction.setMetadata("round", .integer(Int64(round)))
        }
      }
      try expectEqual(numbers.before, last, "the number of the snapshot of a write")
      try expectEqual(numbers.after, last + 1, "the number of commit \(round)")
      last += 1
      try expectEqual(try engine.newestCommitNumber(), last, "the newest number")
      try expectEqual(try read(bench, engine), last, "a snapshot's number")
    }
    let reader = try engine.beginRead()
    defer { reader.end() }
    _ = try commit(engine) { try $0.put(layout, [.null, "Yves", .null, .null, .null]) }
    try expectEqual(reader.commitNumber, last, "the number of an old snapshot")
    try expectEqual(try engine.newestCommitNumber(), last + 1, "the newest number")
  }

  private static func empty(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    guard let last = try engine.newestCommitNumber() else { return }
    try expectEqual(try commit(engine) { _ in }.after, nil, "the number of nothing")
    let none = try commit(engine) { transaction in
      _ = try transaction.delete(99, in: layout)
      _ = try transaction.update(99, in: layout, columns: [1], from: name("x"))
    }
    try expectEqual(none.after, nil, "the number of changes of no record")
    let rolledBack = try engine.beginWrite(timeout: nil)
    try rolledBack.put(layout, [50, "x", .null, .null, .null])
    rolledBack.end()
    try expectEqual(rolledBack.committedNumber, nil, "the number of what was rolled back")
    try expectEqual(try engine.newestCommitNumber(), last, "the newest number")
    let undone = try commit(engine) { transaction in
      try transaction.beginSavepoint()
      try transaction.put(layout, [51, "x", .null, .null, .null])
      try transaction.rollBackToSavepoint()
    }
    // Whether that uses a number up is the engine's own affair; it must say so.
    let newest = try read(bench, engine)
    try expectEqual(newest, undone.after ?? last, "the newest number after what was undone")
    let next = try commit(engine) { try $0.put(layout, [52, "x", .null, .null, .null]) }
    try expectEqual(next.after, newest.map { $0 + 1 }, "the next number")
  }

  private static func elsewhere(_ bench: ConformanceBench) throws {
    guard bench.place == .files else { return }
    let engine = try QueryRules.filled(bench)
    guard let last = try engine.newestCommitNumber() else { return }
    let other = try bench.open()
    _ = try commit(other) { try $0.put(layout, [61, "x", .null, .null, .null]) }
    _ = try commit(other) { try $0.put(layout, [62, "x", .null, .null, .null]) }
    try expectEqual(try engine.newestCommitNumber(), last + 2, "the newest number")
    try expectEqual(try read(bench, engine), last + 2, "a snapshot's number")
    let own = try commit(engine) { try $0.put(layout, [63, "x", .null, .null, .null]) }
    try expectEqual(own.after, last + 3, "the number of the next commit")
    try expectEqual(try other.newestCommitNumber(), last + 3, "the other engine's newest number")
  }
}
