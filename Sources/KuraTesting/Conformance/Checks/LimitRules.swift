import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What comes after failures and at limits: nothing is left behind, nothing hangs.
enum LimitRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("waiting for one of a limited number of readers ends", readers),
    ConformanceRule("records may be changed while a walk over them is open", changesInWalk),
    ConformanceRule("a write that ends with a cursor alive lets the next writer in", aliveCursor),
    ConformanceRule("the commit marker stays when nothing is committed", marker),
    ConformanceRule("models are made once and removed only when they are there", models),
    ConformanceRule("an upsert is no deletion to those who refer to the record", upsert),
    ConformanceRule("a copy that is cancelled leaves nothing behind", cancelledCopy),
  ]

  private static let layout = QueryRules.layout
  private static let everybody = BoundQuery(
    layout: QueryRules.layout, order: [BoundSortTerm(column: 0)])

  private static func readers(_ bench: ConformanceBench) throws {
    let engine = try bench.open(busyTimeout: .milliseconds(50), maximumReaders: 2)
    var readers = try (0..<2).map { _ in try engine.beginRead() }
    let start = ContinuousClock.now
    try expectError(.timedOut, of: "a reader more than allowed") { try engine.beginRead().end() }
    let waited = ContinuousClock.now - start
    try expect(waited >= .milliseconds(50), "waited only \(waited) of 50 ms")
    try expect(waited < .seconds(20), "waited \(waited) instead of 50 ms")
    readers.removeLast().end()
    try engine.beginRead().end()
    // A reader that is dropped counts as ended.
    readers.removeAll()
    readers = try (0..<2).map { _ in try engine.beginRead() }
    for reader in readers { reader.end() }
  }

  private static func changesInWalk(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      let cursor = try transaction.cursor(for: everybody)
      let row = RowBuffer(columns: layout.columns.count)
      var seen: [StoredValue] = []
      while try cursor.next(into: row) {
        let id = row.value(at: 0)
        seen.append(id)
        try expect(try transaction.delete(RecordKey(id), in: layout), "a walked record is gone")
      }
      cursor.close()
      try expectEqual(seen, [1, 2, 3, 4, 5], "the walked records")
      try expectEqual(try transaction.count(everybody), 0, "the records left")
    }
  }

  private static func aliveCursor(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    let row = RowBuffer(columns: layout.columns.count)
    for commits in [true, false] {
      let transaction = try engine.beginWrite(timeout: nil)
      let cursor = try transaction.cursor(for: everybody)
      _ = try cursor.next(into: row)
      try transaction.put(layout, [9, "Zoe", .null, .null, .null], .upsert)
      if commits { try transaction.commit() } else { transaction.end() }
      try expectError(.transactionEnded, of: "the cursor after the end") {
        _ = try cursor.next(into: row)
      }
      cursor.close()
      try expectError(.transactionEnded, of: "the cursor after its close") {
        _ = try cursor.next(into: row)
      }
    }
    try bench.write(engine) { _ = try $0.delete(9, in: layout) }
    try expectEqual(try bench.read(engine) { try $0.count(everybody) }, 5, "the records")
  }

  private static func marker(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    let first = try engine.commitMarker()
    try expectEqual(try engine.commitMarker(), first, "the marker asked twice")
    let transaction = try engine.beginWrite(timeout: nil)
    _ = try transaction.delete(matching: everybody)
    try expectEqual(try engine.commitMarker(), first, "the marker beside an open write")
    transaction.end()
    try expectEqual(try engine.commitMarker(), first, "the marker after a roll-back")
    var seen: Set<CommitMarker> = [first]
    for number in 1...5 as ClosedRange<Int64> {
      try bench.write(engine) {
        try $0.put(layout, [1, .text("\(number)"), .null, .null, .null], .upsert)
      }
      try expect(
        seen.insert(try engine.commitMarker()).inserted, "the marker of an earlier commit again")
    }
  }

  private static func models(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      try expectError(.unknownModel, of: "removing a model that is not there") {
        try transaction.apply(.dropModel("Nobody"))
      }
      try expectError(.invalidSchema, .invalidName, of: "making a model twice") {
        try transaction.apply(.createModel(QueryRules.people))
      }
      try expectEqual(try transaction.count(everybody), 5, "the records")
    }
    let odd = ModelDescription(
      "odd \"name'; DROP", primaryKey: ["select"],
      properties: [
        PropertyDescription("select", .text),
        PropertyDescription("naïve 名", .integer, isOptional: true),
        PropertyDescription("a\"b", .bool, defaultValue: true),
      ], indexes: [IndexDescription(["a\"b", "select"])])
    let names = ModelLayout(odd)
    try bench.write(engine) { transaction in
      try transaction.apply(.createModel(odd))
      try transaction.put(names, ["x", 1, false])
    }
    try bench.read(engine) { transaction in
      let query = BoundQuery(layout: names, condition: .compareValue(column: 2, .equal, false))
      try expectEqual(try transaction.rows(query), [["x", 1, false]], "a record of odd names")
    }
    try bench.write(engine) { try $0.apply(.dropModel(odd.name)) }
  }

  private static func upsert(_ bench: ConformanceBench) throws {
    let owner = ModelDescription(
      "Owner", primaryKey: ["id"],
      properties: [PropertyDescription("id", .text), PropertyDescription("age", .integer)])
    let rules: [ReferenceDescription.DeleteRule] = [.deny, .nullify, .cascade]
    let referring = rules.map { rule in
      ModelDescription(
        "Pet \(rule.rawValue)", primaryKey: ["id"],
        properties: [
          PropertyDescription("id", .integer),
          PropertyDescription(
            "owner", .text, isOptional: true,
            reference: ReferenceDescription(to: "Owner", onDelete: rule)),
        ])
    }
    let engine = try bench.make(owner, referring[0], referring[1], referring[2])
    try bench.write(engine) { transaction in
      try transaction.put(ModelLayout(owner), ["ada", 1])
      for model in referring { try transaction.put(ModelLayout(model), [1, "ada"]) }
      try transaction.put(ModelLayout(owner), ["ada", 2], .upsert)
    }
    try bench.read(engine) { transaction in
      try expectEqual(
        try transaction.row("ada", ModelLayout(owner)), ["ada", 2], "the replaced record")
      for model in referring {
        try expectEqual(
          try transaction.row(1, ModelLayout(model)), [1, "ada"], "a record of \(model.name)")
      }
    }
  }

  private static func cancelledCopy(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    for isCompacting in [false, true] {
      let before = try FileManager.default.contentsOfDirectory(atPath: bench.folder).sorted()
      try expectError(.cancelled, of: "a cancelled copy (compacting: \(isCompacting))") {
        try engine.copy(
          to: .file(bench.folder + "/copy.db"), compacting: isCompacting
        ) { (_, _) throws(StoreError) in throw StoreError(.cancelled, "stop") }
      }
      try expectEqual(
        try FileManager.default.contentsOfDirectory(atPath: bench.folder).sorted(), before,
        "the names in the folder")
      try expectError(.missing, .readOnlyLocation, of: "a copy into a missing folder") {
        try engine.copy(
          to: .file(bench.folder + "/none/copy.db"), compacting: isCompacting, progress: nil)
      }
    }
    try expectEqual(try bench.read(engine) { try $0.count(everybody) }, 5, "the records")
  }
}
