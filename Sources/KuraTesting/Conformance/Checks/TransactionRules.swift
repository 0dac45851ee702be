import Kura

/// Snapshots do not move, commits are whole, and what has ended is not used.
enum TransactionRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("a reader sees its snapshot whatever is committed meanwhile", isolation),
    ConformanceRule("a writer sees its own changes, others do not", ownChanges),
    ConformanceRule("a write transaction that ends without a commit changes nothing", rollBack),
    ConformanceRule("a write transaction that is dropped changes nothing", dropped),
    ConformanceRule("a change of the schema that is rolled back never was", schemaRollBack),
    ConformanceRule("a dropped model is gone with its records", dropModel),
    ConformanceRule("savepoints nest and undo what they enclose", savepoints),
    ConformanceRule("everything throws after a transaction's end", afterEnd),
    ConformanceRule("a write inside a write is an error, not a deadlock", nested),
    ConformanceRule("the commit marker moves with every commit", marker),
    ConformanceRule("metadata is part of the transaction", metadata),
    ConformanceRule("a closed engine throws, and its open reader keeps its snapshot", closing),
  ]

  private static let layout = QueryRules.layout
  private static let everybody = BoundQuery(layout: QueryRules.layout)
  private static let eve: [StoredValue] = [6, "Eve", .null, .null, .null]

  private static func isolation(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    let reader = try engine.beginRead()
    defer { reader.end() }
    let cursor = try reader.cursor(
      for: BoundQuery(layout: layout, order: [BoundSortTerm(column: 0)]))
    let buffer = RowBuffer(columns: layout.columns.count)
    try expect(try cursor.next(into: buffer), "a walk has no first row")
    try bench.write(engine) { transaction in
      try transaction.put(layout, eve)
      _ = try transaction.delete(2, in: layout)
      _ = try transaction.update(
        3, in: layout, columns: [1], from: RowBuffer([.null, "changed", .null, .null, .null]))
    }
    try expectEqual(try reader.count(everybody), 5, "the count in the old snapshot")
    try expect(try reader.row(3, layout)?[1] == "ada", "the old snapshot shows a later value")
    var ids: [StoredValue] = [buffer.value(at: 0)]
    while try cursor.next(into: buffer) { ids.append(buffer.value(at: 0)) }
    try expect(ids == [1, 2, 3, 4, 5], "a walk in the old snapshot gave \(ids)")
    try bench.read(engine) { later in
      try expectEqual(
        try QueryRules.ids(.always, in: later), [1, 3, 4, 5, 6], "the new snapshot")
    }
  }

  private static func ownChanges(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      try transaction.put(layout, eve)
      try expect(try transaction.row(6, layout) == eve, "the writer does not see its own record")
      try expectEqual(
        try bench.read(engine) { try $0.count(everybody) }, 5, "a reader beside the writer")
    }
    try expectEqual(try bench.read(engine) { try $0.count(everybody) }, 6, "after the commit")
  }

  private static func rollBack(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    let transaction = try engine.beginWrite(timeout: nil)
    _ = try transaction.delete(matching: everybody)
    transaction.end()
    transaction.end()
    try expectEqual(try bench.read(engine) { try $0.count(everybody) }, 5, "after the end")
    try bench.write(engine) { try $0.put(layout, eve) }
  }

  private static func dropped(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    func lose() throws { _ = try engine.beginWrite(timeout: nil).delete(matching: everybody) }
    try lose()
    try expectEqual(try bench.read(engine) { try $0.count(everybody) }, 5, "after the drop")
    try bench.write(engine) { try $0.put(layout, eve) }
  }

  private static func schemaRollBack(_ bench: ConformanceBench) throws {
    let engine = try bench.open()
    let transaction = try engine.beginWrite(timeout: nil)
    try transaction.apply(.createModel(QueryRules.people))
    try transaction.setSchema(try Schema(version: 3, [QueryRules.people]))
    transaction.end()
    try bench.read(engine) { reader in
      let stored = try reader.storedSchema()
      try expect(stored.kuraSchema == nil, "a schema was recorded without a commit")
      try expect(stored.models.isEmpty, "a model was made without a commit")
    }
  }

  private static func dropModel(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      try transaction.apply(.dropModel("Person"))
      try transaction.apply(.createModel(QueryRules.people))
      try expectEqual(try transaction.count(everybody), 0, "the records of the new model")
    }
  }

  private static func savepoints(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      try transaction.beginSavepoint()
      _ = try transaction.delete(1, in: layout)
      try transaction.beginSavepoint()
      _ = try transaction.delete(2, in: layout)
      try transaction.rollBackToSavepoint()
      try expectEqual(try QueryRules.ids(.always, in: transaction), [2, 3, 4, 5], "inner undone")
      try transaction.beginSavepoint()
      _ = try transaction.delete(3, in: layout)
      try transaction.releaseSavepoint()
      try expectEqual(try QueryRules.ids(.always, in: transaction), [2, 4, 5], "inner kept")
      try transaction.rollBackToSavepoint()
      try expectEqual(try QueryRules.ids(.always, in: transaction), [1, 2, 3, 4, 5], "all undone")
      try expectError(.transactionFailed, of: "ending a savepoint that was not begun") {
        try transaction.releaseSavepoint()
      }
      try transaction.put(layout, eve)
    }
    try expectEqual(try bench.read(engine) { try $0.count(everybody) }, 6, "after the commit")
  }

  private static func afterEnd(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    let buffer = RowBuffer(columns: layout.columns.count)
    let reader = try engine.beginRead()
    let cursor = try reader.cursor(for: everybody)
    try expect(try cursor.next(into: buffer), "a walk has no first row")
    reader.end()
    reader.end()
    try expectError(.transactionEnded, of: "a cursor after the end") {
      _ = try cursor.next(into: buffer)
    }
    let writer = try engine.beginWrite(timeout: nil)
    try writer.commit()
    for transaction: any EngineReadTransaction in [reader, writer] {
      let calls: [(String, () throws -> Void)] = [
        ("cursor", { _ = try transaction.cursor(for: everybody) }),
        ("record", { _ = try transaction.record(1, in: layout, into: buffer) }),
        ("aggregate", { _ = try transaction.count(everybody) }),
        ("storedSchema", { _ = try transaction.storedSchema() }),
        ("metadata", { _ = try transaction.metadata("x") }),
        ("explain", { _ = try transaction.explain(everybody) }),
      ]
      for (name, call) in calls {
        try expectError(.transactionEnded, of: "\(name) after the end", call)
      }
    }
    let calls: [(String, () throws -> Void)] = [
      ("write", { try writer.put(layout, eve) }),
      ("delete", { _ = try writer.delete(1, in: layout) }),
      ("delete by query", { _ = try writer.delete(matching: everybody) }),
      ("setMetadata", { try writer.setMetadata("x", 1) }),
      ("beginSavepoint", { try writer.beginSavepoint() }),
      ("commit", { try writer.commit() }),
    ]
    for (name, call) in calls {
      try expectError(.transactionEnded, of: "\(name) after the commit", call)
    }
  }

  private static func nested(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      try expectError(.nestedWrite, of: "a write inside a write") {
        try engine.beginWrite(timeout: .seconds(20)).end()
      }
      try transaction.put(layout, eve)
    }
    try expectEqual(try bench.read(engine) { try $0.count(everybody) }, 6, "after the outer write")
  }

  private static func marker(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    let first = try engine.commitMarker()
    try bench.read(engine) { _ = try $0.count(everybody) }
    try expectEqual(try engine.commitMarker(), first, "the marker after a read")
    try bench.write(engine) { try $0.put(layout, eve) }
    let second = try engine.commitMarker()
    try expect(second != first, "the marker did not move with a commit")
    try bench.write(engine) { _ = try $0.delete(6, in: layout) }
    try expect(try engine.commitMarker() != second, "the marker did not move with a second commit")
  }

  private static func metadata(_ bench: ConformanceBench) throws {
    let engine = try bench.make(QueryRules.people)
    try bench.write(engine) { transaction in
      try expect(try transaction.metadata("note") == nil, "there is metadata nobody set")
      try transaction.setMetadata("note", "a\0b")
      try transaction.setMetadata("number", .integer(.min))
    }
    let lost = try engine.beginWrite(timeout: nil)
    try lost.setMetadata("note", "lost")
    lost.end()
    try bench.write(engine) { transaction in
      try expect(try transaction.metadata("note") == "a\0b", "metadata was not kept")
      try expect(try transaction.metadata("number") == .integer(.min), "metadata was changed")
      try transaction.setMetadata("note", .null)
    }
    try bench.read(engine) {
      try expect(try $0.metadata("note") == nil, "removed metadata is there")
    }
  }

  private static func closing(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    let reader = try engine.beginRead()
    try engine.close()
    try engine.close()
    try expectEqual(try reader.count(everybody), 5, "the count in a reader of a closed engine")
    reader.end()
    try expectError(.closed, of: "reading after the close") { try engine.beginRead().end() }
    try expectError(.closed, of: "writing after the close") {
      try engine.beginWrite(timeout: nil).end()
    }
    try expectError(.closed, of: "the marker after the close") { _ = try engine.commitMarker() }
  }
}
