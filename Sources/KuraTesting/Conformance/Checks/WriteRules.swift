import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Records are written, changed and deleted as asked, or not at all.
enum WriteRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("a null integer key is given the next number", numbers),
    ConformanceRule("insert refuses a key that exists, upsert replaces all columns", modes),
    ConformanceRule("a required property needs a value", required),
    ConformanceRule("unique indexes refuse equal values and let nulls be", unique),
    ConformanceRule("of several broken rules the first in order is reported", severalReasons),
    ConformanceRule("an update by key sets the named columns only", updateByKey),
    ConformanceRule("an update keeps what it does not set of a long or composite key", updateKeys),
    ConformanceRule("an update by query changes each record once", updateByQuery),
    ConformanceRule("a delete by query deletes what the query gives", deleteByQuery),
    ConformanceRule("a wrong key is an error", wrongKeys),
  ]

  private static let layout = QueryRules.layout

  private static func numbers(_ bench: ConformanceBench) throws {
    let engine = try bench.make(QueryRules.people)
    let rest: [StoredValue] = [.null, .null, .null, .null]
    try bench.write(engine) { transaction in
      try expectEqual(try transaction.put(layout, [.null] + rest), 1, "the first number")
      try expectEqual(try transaction.put(layout, [.null] + rest), 2, "the second number")
      try expectEqual(try transaction.put(layout, [40] + rest), nil, "the number of a given key")
      try expectEqual(try transaction.put(layout, [.null] + rest), 41, "the number after 40")
      try transaction.put(layout, [.integer(.max - 1)] + rest)
      try expectEqual(try transaction.put(layout, [.null] + rest), .max, "the greatest number")
      try expectError(.limitReached, of: "a number after the greatest one") {
        try transaction.put(layout, [.null] + rest)
      }
      for key in [Int64.max - 1, Int64.max] {
        try expect(try transaction.delete(RecordKey(.integer(key)), in: layout), "not found")
      }
      try expectEqual(try transaction.put(layout, [.null] + rest), 42, "the number after 41")
    }
  }

  private static func modes(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      try expectError(.duplicateKey, of: "inserting a key that exists") {
        try transaction.put(layout, [1, "Eve", .null, .null, .null])
      }
      try expect(try transaction.row(1, layout)?[1] == "Ada", "a refused insert changed the record")
      try transaction.put(layout, [1, "Eve", .null, .null, .null], .upsert)
      try expect(
        try transaction.row(1, layout) == [1, "Eve", .null, .null, .null],
        "an upsert did not replace all columns")
      try transaction.put(layout, [9, "New", .null, .null, .null], .upsert)
      try expectEqual(try transaction.count(BoundQuery(layout: layout)), 6, "the count")
    }
  }

  private static func required(_ bench: ConformanceBench) throws {
    let model = ModelDescription(
      "Strict", primaryKey: ["id"],
      properties: [PropertyDescription("id", .text), PropertyDescription("value", .integer)])
    let layout = ModelLayout(model)
    let engine = try bench.make(model)
    try bench.write(engine) { transaction in
      for values: [StoredValue] in [["a", .null], [.null, 1]] {
        try expectError(.missingValue, of: "a null in a required property") {
          try transaction.put(layout, values)
        }
      }
      try transaction.put(layout, ["a", 1])
      try expectError(.missingValue, of: "an update to null of a required property") {
        _ = try transaction.update("a", in: layout, columns: [1], from: RowBuffer(["a", .null]))
      }
      try expect(try transaction.row("a", layout) == ["a", 1], "a refused change took effect")
    }
  }

  private static func unique(_ bench: ConformanceBench) throws {
    let model = ModelDescription(
      "Badge", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription("code", .text, isOptional: true),
        PropertyDescription("x", .integer, isOptional: true),
        PropertyDescription("y", .integer, isOptional: true),
      ],
      indexes: [
        IndexDescription(["code"], isUnique: true), IndexDescription(["x", "y"], isUnique: true),
      ])
    let layout = ModelLayout(model)
    let engine = try bench.make(model)
    try bench.write(engine) { transaction in
      try transaction.put(layout, [1, "a", 1, 1])
      try transaction.put(layout, [2, .null, 1, .null])
      try transaction.put(layout, [3, .null, 1, .null])
      try transaction.put(layout, [4, "A", 2, 1])
      try expectError(.notUnique, of: "a second record with a unique value") {
        try transaction.put(layout, [5, "a", .null, .null])
      }
      try expectError(.notUnique, of: "a second record with a unique pair") {
        try transaction.put(layout, [5, "b", 1, 1])
      }
      try expectError(.notUnique, of: "an upsert that takes another record's unique value") {
        try transaction.put(layout, [4, "a", 2, 1], .upsert)
      }
      try expectError(.notUnique, of: "an update to another record's unique value") {
        _ = try transaction.update(
          4, in: layout, columns: [1], from: RowBuffer([.null, "a", .null, .null]))
      }
      try expectEqual(try transaction.count(BoundQuery(layout: layout)), 4, "the count")
      try expect(try transaction.row(4, layout) == [4, "A", 2, 1], "a refused change took effect")
    }
  }

  private static func severalReasons(_ bench: ConformanceBench) throws {
    let owner = ModelDescription(
      "Owner", primaryKey: ["id"], properties: [PropertyDescription("id", .text)])
    let model = ModelDescription(
      "Pet", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .text), PropertyDescription("chip", .integer),
        PropertyDescription(
          "owner", .text, isOptional: true,
          reference: ReferenceDescription(to: "Owner")),
      ], indexes: [IndexDescription(["chip"], isUnique: true)])
    let layout = ModelLayout(model)
    let engine = try bench.make(owner, model)
    try bench.write(engine) { transaction in
      try transaction.put(layout, ["a", 1, .null])
      try transaction.put(layout, ["b", 2, .null])
      let cases: [([StoredValue], StoreError.Code)] = [
        ([.null, "x", .null], .wrongType), (["a", .null, "nobody"], .missingValue),
        (["a", 1, "nobody"], .duplicateKey), (["c", 1, "nobody"], .notUnique),
      ]
      for (values, code) in cases {
        try expectError(code, of: "inserting \(values)") { try transaction.put(layout, values) }
        let row = RowBuffer(values)
        try expectError(code, of: "updating to \(values)") {
          _ = try transaction.update("b", in: layout, columns: [0, 1, 2], from: row)
        }
      }
      try expectError(.missingValue, of: "a null for a record that there is not") {
        _ = try transaction.update(
          "z", in: layout, columns: [1], from: RowBuffer([.null, .null, .null]))
      }
      try expectEqual(try transaction.count(BoundQuery(layout: layout)), 2, "the count")
    }
  }

  private static func updateByKey(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      let row = RowBuffer([.null, "Zoe", 1, .null, .null])
      try expect(
        try transaction.update(2, in: layout, columns: [1, 3], from: row),
        "the record was not found")
      try expect(
        try transaction.row(2, layout) == [2, "Zoe", 20, .null, .decimal(-3)],
        "other columns than the named ones changed")
      try expect(
        !(try transaction.update(99, in: layout, columns: [1], from: row)),
        "a missing record was found")
    }
  }

  private static func updateKeys(_ bench: ConformanceBench) throws {
    let model = ModelDescription(
      "Page", primaryKey: ["book", "chapter"],
      properties: [
        PropertyDescription("book", .text), PropertyDescription("chapter", .text),
        PropertyDescription("note", .text, isOptional: true),
      ], indexes: [IndexDescription(["chapter"])])
    let layout = ModelLayout(model)
    let engine = try bench.make(model)
    for length in [1, 100, 250, 300, 470, 600] {
      let book = StoredValue.text(String(repeating: "b", count: length))
      let chapter = StoredValue.text(String(repeating: "c", count: length))
      let longer = StoredValue.text(String(repeating: "d", count: length + 3))
      guard let key = RecordKey([book, chapter]), let moved = RecordKey([longer, chapter]) else {
        return
      }
      try bench.write(engine) { transaction in
        try transaction.put(layout, [book, chapter, .null])
      }
      // Each in a transaction of its own, which has nothing at hand yet.
      try bench.write(engine) { transaction in
        let row = RowBuffer([.null, .null, "noted"])
        try expect(try transaction.update(key, in: layout, columns: [2], from: row), "not found")
      }
      try bench.write(engine) { transaction in
        try expect(
          try transaction.row(key, layout) == [book, chapter, "noted"],
          "the record of a key of \(length) bytes changed with an update")
        let row = RowBuffer([longer, .null, .null])
        try expect(try transaction.update(key, in: layout, columns: [0], from: row), "not found")
      }
      try bench.read(engine) { transaction in
        try expect(try transaction.row(key, layout) == nil, "the old key is still there")
        try expect(
          try transaction.row(moved, layout) == [longer, chapter, "noted"],
          "half of a key of \(length) bytes changed with the other half")
      }
    }
  }

  private static func updateByQuery(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      // The changed column is the one that the query looks at: no record may be met twice.
      let query = BoundQuery(layout: layout, condition: .compareValue(column: 2, .less, 100))
      let row = RowBuffer([.null, .null, 50, .null, .null])
      try expectEqual(
        try transaction.update(matching: query, columns: [2], from: row), 4, "changed records")
      try expectEqual(
        try QueryRules.ids(.compareValue(column: 2, .equal, 50), in: transaction), [1, 2, 3, 5],
        "the records with the new value")
      let window = BoundQuery(
        layout: layout, order: [BoundSortTerm(column: 0, isDescending: true)], limit: 2)
      try expectEqual(
        try transaction.update(
          matching: window, columns: [1], from: RowBuffer([.null, "last", .null, .null, .null])),
        2, "changed records of a window")
      try expectEqual(
        try QueryRules.ids(.compareValue(column: 1, .equal, "last"), in: transaction), [4, 5],
        "the records of the window")
    }
  }

  private static func deleteByQuery(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      let window = BoundQuery(
        layout: layout, condition: .compareValue(column: 2, .notEqual, .null),
        order: [BoundSortTerm(column: 2), BoundSortTerm(column: 0)], limit: 1, offset: 1)
      try expectEqual(try transaction.delete(matching: window), 1, "deleted records of a window")
      try expectEqual(try QueryRules.ids(.always, in: transaction), [1, 3, 4, 5], "what is left")
      try expect(try transaction.delete(4, in: layout), "the record to delete was not found")
      try expect(!(try transaction.delete(4, in: layout)), "a record was deleted twice")
      try expectEqual(
        try transaction.delete(matching: BoundQuery(layout: layout)), 3, "deleted records")
      try expectEqual(try transaction.count(BoundQuery(layout: layout)), 0, "the count")
    }
  }

  private static func wrongKeys(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    try bench.write(engine) { transaction in
      let pair = try RecordKey([1, 2]).orFail("a key of two values")
      for key: RecordKey in ["1", RecordKey(.double(1)), RecordKey(.null), pair] {
        try expectError(.wrongKey, of: "reading by a wrong key") {
          _ = try transaction.row(key, layout)
        }
        try expectError(.wrongKey, of: "deleting by a wrong key") {
          _ = try transaction.delete(key, in: layout)
        }
      }
      try expect(try transaction.row(99, layout) == nil, "a missing key found a record")
    }
  }
}
