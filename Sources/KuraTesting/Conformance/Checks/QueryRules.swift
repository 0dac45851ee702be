import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Queries give the right records in the right order; aggregates the right numbers.
enum QueryRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("limit and offset cut the ordered records", windows),
    ConformanceRule("distinct keeps the first record of each value in key order", distinct),
    ConformanceRule("conditions combine with two-valued logic", logic),
    ConformanceRule("texts match byte for byte", texts),
    ConformanceRule("chosen columns come in the order asked for", columns),
    ConformanceRule("aggregates of an empty set are as documented", emptyAggregates),
    ConformanceRule("aggregates give the right numbers", aggregates),
    ConformanceRule("a column of any type is summed by its numbers", sumsOfAny),
    ConformanceRule("values longer than a key are found by their index", longKeys),
    ConformanceRule("a sum of integers that overflows is an error", overflow),
    ConformanceRule("explain says something for every query", explain),
  ]

  static let people = ModelDescription(
    "Person", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("name", .text, isOptional: true),
      PropertyDescription("age", .integer, isOptional: true),
      PropertyDescription("height", .double, isOptional: true),
      PropertyDescription("wealth", .decimal, isOptional: true),
    ], indexes: [IndexDescription(["age"])])
  static let layout = ModelLayout(people)

  /// Five people; the numbers in the rules below are worked out by hand.
  static func filled(_ bench: ConformanceBench) throws -> any StorageEngine {
    let engine = try bench.make(people)
    try bench.write(engine) { transaction in
      let rows: [[StoredValue]] = [
        [1, "Ada", 36, 1.65, .decimal(10)], [2, "Bob", 20, 1.8, .decimal(-3)],
        [3, "ada", 36, .null, .null], [4, .null, .null, 1.5, .decimal(5)],
        [5, "Bo*b", 7, 1.25, .decimal(3)],
      ]
      for row in rows.reversed() { try transaction.put(layout, row) }
    }
    return engine
  }

  static func ids(
    _ condition: BoundCondition, order: [BoundSortTerm] = [BoundSortTerm(column: 0)],
    distinct: [Int]? = nil, limit: Int? = nil, offset: Int = 0,
    in transaction: any EngineReadTransaction
  ) throws -> [Int64] {
    let rows = try transaction.rows(
      BoundQuery(
        layout: layout, condition: condition, order: order, distinct: distinct, limit: limit,
        offset: offset))
    return rows.compactMap { if case .integer(let id) = $0[0] { id } else { nil } }
  }

  private static let byAge = [BoundSortTerm(column: 2), BoundSortTerm(column: 0)]

  private static func windows(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.read(engine) { transaction in
      let cases: [(Int?, Int, [Int64])] = [
        (nil, 0, [4, 5, 2, 1, 3]), (2, 0, [4, 5]), (2, 1, [5, 2]), (0, 0, []), (nil, 3, [1, 3]),
        (10, 4, [3]), (1, 9, []),
      ]
      for (limit, offset, expected) in cases {
        try expectEqual(
          try ids(.always, order: byAge, limit: limit, offset: offset, in: transaction), expected,
          "limit \(limit.map(String.init) ?? "none"), offset \(offset)")
      }
      let falling = [BoundSortTerm(column: 2, isDescending: true), BoundSortTerm(column: 0)]
      try expectEqual(
        try ids(.always, order: falling, in: transaction), [1, 3, 2, 5, 4], "the falling order")
    }
  }

  private static func distinct(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.read(engine) { transaction in
      try expectEqual(
        try ids(.always, distinct: [2], in: transaction), [1, 2, 4, 5], "one record for each age")
      try expectEqual(
        try ids(.compareValue(column: 0, .greater, 1), distinct: [2], in: transaction),
        [2, 3, 4, 5], "one record for each age after the condition")
      let query = BoundQuery(layout: layout, distinct: [2], limit: 3)
      try expectEqual(try transaction.count(query), 3, "the count with distinct and limit")
    }
  }

  private static func logic(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    let adult = BoundCondition.compareValue(column: 2, .greaterOrEqual, 18)
    let tall = BoundCondition.compareValue(column: 3, .greater, 1.6)
    try bench.read(engine) { transaction in
      let cases: [(BoundCondition, [Int64])] = [
        (.always, [1, 2, 3, 4, 5]), (.never, []), (adult, [1, 2, 3]), (.not(adult), [4, 5]),
        (.all([adult, tall]), [1, 2]), (.any([adult, tall]), [1, 2, 3]),
        (.not(.all([adult, tall])), [3, 4, 5]), (.not(.any([adult, tall])), [4, 5]),
        (.all([]), [1, 2, 3, 4, 5]), (.any([]), []), (.not(.not(adult)), [1, 2, 3]),
        (.compareValue(column: 1, .equal, .null), [4]),
        (.compareValue(column: 1, .notEqual, .null), [1, 2, 3, 5]),
        (.compareValue(column: 1, .notEqual, "Bob"), [1, 3, 4, 5]),
        (.compareColumns(0, .less, 2), [1, 2, 3, 5]),
        (.compareColumns(2, .equal, 2), [1, 2, 3, 4, 5]),
        (.oneOf(column: 2, []), []), (.not(.oneOf(column: 2, [36])), [2, 4, 5]),
      ]
      for (condition, expected) in cases {
        try expectEqual(try ids(condition, in: transaction), expected, "\(condition)")
      }
    }
  }

  private static func texts(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.read(engine) { transaction in
      let cases: [(Condition.TextOperator, StoredValue, [Int64])] = [
        (.contains, "da", [1, 3]), (.contains, "", [1, 2, 3, 5]), (.beginsWith, "A", [1]),
        (.beginsWith, "Bo", [2, 5]), (.endsWith, "b", [2, 5]), (.endsWith, "a", [1, 3]),
        (.like, "?da", [1, 3]), (.like, "B*b", [2, 5]), (.like, "Bo\\*b", [5]), (.like, "bob", []),
      ]
      for (function, value, expected) in cases {
        try expectEqual(
          try ids(.textValue(column: 1, function, value), in: transaction), expected,
          "\(function) \(value)")
      }
    }
  }

  private static func columns(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.read(engine) { transaction in
      let rows = try transaction.rows(
        BoundQuery(layout: layout, order: [BoundSortTerm(column: 0)], limit: 2, columns: [2, 0]))
      try expect(rows == [[36, 1], [20, 2]], "found \(rows)")
    }
  }

  private static func emptyAggregates(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.read(engine) { transaction in
      let query = BoundQuery(layout: layout, condition: .never)
      let found = try transaction.aggregate(
        AggregateRequest(
          query,
          [
            .count, .minimum(column: 2), .maximum(column: 1), .sum(column: 2), .sum(column: 3),
            .sum(column: 4), .average(column: 2), .average(column: 4),
          ]))
      let expected: [StoredValue] = [
        0, .null, .null, 0, .double(0), .decimal(0), .null, .null,
      ]
      try expect(found == expected, "found \(found), expected \(expected)")
    }
  }

  private static func aggregates(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.read(engine) { transaction in
      let found = try transaction.aggregate(
        AggregateRequest(
          BoundQuery(layout: layout),
          [
            .count, .minimum(column: 1), .maximum(column: 1), .minimum(column: 4),
            .maximum(column: 4), .sum(column: 2), .sum(column: 4), .average(column: 2),
            .average(column: 4), .sum(column: 3),
          ]))
      let expected: [StoredValue] = [
        5, "Ada", "ada", .decimal(-3), .decimal(10), 99, .decimal(15), .double(24.75),
        .double(3.75), .double(1.65 + 1.8 + 1.5 + 1.25),
      ]
      for (index, value) in expected.enumerated() {
        if case .double(let wanted) = value, case .double(let given) = found[index] {
          try expect(abs(wanted - given) < 1e-9, "number \(index) is \(given), expected \(wanted)")
        } else {
          try expect(found[index] == value, "number \(index) is \(found[index]), expected \(value)")
        }
      }
      let window = BoundQuery(layout: layout, order: byAge, limit: 2, offset: 1)
      try expect(
        try transaction.aggregate(AggregateRequest(window, [.sum(column: 2)])) == [27],
        "the sum over a window")
    }
  }

  private static func sumsOfAny(_ bench: ConformanceBench) throws {
    let layout = ModelLayout(ValueRules.model(.any))
    let engine = try bench.make(ValueRules.model(.any))
    let values: [StoredValue] = [
      2, .double(0.5), "10", .data([0x31]), .null, .double(.infinity), .double(-.infinity),
    ]
    try bench.write(engine) { transaction in
      for (number, value) in values.enumerated() {
        try transaction.put(layout, [.integer(Int64(number)), value])
      }
    }
    let cases: [(keys: [Int64], sum: StoredValue, average: StoredValue)] = [
      ([], 0, .null), ([2, 3, 4], 0, .null), ([0, 2, 3], 2, .double(2)),
      ([0, 1, 2, 4], .double(2.5), .double(1.25)),
      ([0, 5], .double(.infinity), .double(.infinity)), ([0, 5, 6], .null, .null),
    ]
    try bench.read(engine) { transaction in
      for (keys, sum, average) in cases {
        let query = BoundQuery(
          layout: layout, condition: .oneOf(column: 0, keys.map { .integer($0) }))
        let found = try transaction.aggregate(
          AggregateRequest(query, [.sum(column: 1), .average(column: 1)]))
        try expect(found == [sum, average], "sum and average of the records \(keys) are \(found)")
      }
    }
  }

  /// Key-value backends cut long keys, so that texts of one beginning look alike in an index.
  private static func longKeys(_ bench: ConformanceBench) throws {
    let model = ModelDescription(
      "Letter", primaryKey: ["id"],
      properties: [PropertyDescription("id", .integer), PropertyDescription("text", .text)],
      indexes: [IndexDescription(["text"])])
    let layout = ModelLayout(model)
    let beginning = String(repeating: "x", count: 470)
    // In the order of their bytes; every second one is there twice.
    let texts =
      ["w", beginning, beginning + "a"]
      + [9, 10, 40, 41, 42, 600].map { beginning + String(repeating: "b", count: $0) }
      + [beginning + "c", "y"]
    let engine = try bench.make(model)
    try bench.write(engine) { transaction in
      for (place, text) in texts.enumerated().reversed() {
        try transaction.put(layout, [.integer(Int64(place)), .text(text)])
        if place % 2 == 1 {
          try transaction.put(layout, [.integer(Int64(place) + 100), .text(text)])
        }
      }
    }
    try bench.read(engine) { transaction in
      func keys(_ query: BoundQuery) throws -> [StoredValue] {
        try transaction.rows(query).map { $0[0] }
      }
      let all = texts.indices.flatMap { place in
        place % 2 == 1 ? [place, place + 100] : [place]
      }
      let order = [BoundSortTerm(column: 1), BoundSortTerm(column: 0)]
      let found = try keys(BoundQuery(layout: layout, order: order))
      try expectEqual(found, all.map { .integer(Int64($0)) }, "keys in the order of the texts")
      for (place, text) in texts.enumerated() {
        let cases: [(Condition.ComparisonOperator, (Int) -> Bool)] = [
          (.equal, { $0 % 100 == place }), (.less, { $0 % 100 < place }),
          (.greaterOrEqual, { $0 % 100 >= place }),
        ]
        for (comparison, holds) in cases {
          let query = BoundQuery(
            layout: layout, condition: .compareValue(column: 1, comparison, .text(text)))
          let expected = all.filter(holds)
          try expectEqual(
            Set(try keys(query)), Set(expected.map { .integer(Int64($0)) }),
            "keys \(comparison.rawValue) text \(place)")
          try expectEqual(
            try transaction.count(query), Int64(expected.count),
            "the count \(comparison.rawValue) text \(place)")
        }
      }
    }
  }

  private static func overflow(_ bench: ConformanceBench) throws {
    let engine = try bench.make(people)
    try bench.write(engine) { transaction in
      try transaction.put(layout, [1, .null, .integer(.max), .null, .null])
      try transaction.put(layout, [2, .null, 1, .null, .null])
    }
    try bench.read(engine) { transaction in
      try expectError(.notStorable, of: "a sum beyond 64 bits") {
        _ = try transaction.aggregate(
          AggregateRequest(BoundQuery(layout: layout), [.sum(column: 2)]))
      }
      try expectEqual(try transaction.count(BoundQuery(layout: layout)), 2, "the count afterwards")
    }
  }

  private static func explain(_ bench: ConformanceBench) throws {
    let engine = try filled(bench)
    try bench.read(engine) { transaction in
      let query = BoundQuery(layout: layout, condition: .compareValue(column: 2, .equal, 36))
      try expect(!(try transaction.explain(query)).isEmpty, "there is no plan")
    }
  }
}
