import Kura

/// The order of every type is that of `StoredValue.precedes`, in both directions, on every backend.
enum OrderRules {
  static let all: [ConformanceRule] =
    ValueType.allCases.map { type in
      ConformanceRule("\(type) values are ordered as the contract says") { try sorted(type, $0) }
    }
    + SampleValues.keyTypes.map { type in
      ConformanceRule("\(type) keys are ordered as the contract says") { try keys(type, $0) }
    }
    + ValueType.allCases.map { type in
      ConformanceRule("comparisons of \(type) values follow their order") {
        try comparisons(type, $0)
      }
    } + [ConformanceRule("a composite key orders by its parts in turn", composite)]

  private static func filled(_ type: ValueType, _ bench: ConformanceBench) throws -> (
    any StorageEngine, ModelLayout, [(id: Int64, value: StoredValue)]
  ) {
    let model = ValueRules.model(type)
    let layout = ModelLayout(model)
    var rows: [(id: Int64, value: StoredValue)] = []
    let values = SampleValues.many(type, seed: 11) + [.null] + SampleValues.edges(type) + [.null]
    for (index, value) in values.enumerated() { rows.append((Int64(index * 7919 % 1009), value)) }
    let engine = try bench.make(model)
    try bench.write(engine) { transaction in
      for row in rows { try transaction.put(layout, [.integer(row.id), row.value]) }
    }
    return (engine, layout, rows)
  }

  private static func sorted(_ type: ValueType, _ bench: ConformanceBench) throws {
    let (engine, layout, rows) = try filled(type, bench)
    for isDescending in [false, true] {
      let expected = rows.sorted { left, right in
        if left.value.precedes(right.value) { return !isDescending }
        if right.value.precedes(left.value) { return isDescending }
        return left.id < right.id
      }
      let query = BoundQuery(
        layout: layout,
        order: [BoundSortTerm(column: 1, isDescending: isDescending), BoundSortTerm(column: 0)])
      let found = try bench.read(engine) { try $0.rows(query) }
      try expectEqual(found.count, expected.count, "the number of records")
      for (index, row) in found.enumerated() {
        try expect(
          row[0] == .integer(expected[index].id),
          "at place \(index) of the \(isDescending ? "falling" : "rising") order is \(row[1]), "
            + "expected \(expected[index].value)")
      }
    }
  }

  private static func keys(_ type: ValueType, _ bench: ConformanceBench) throws {
    let model = ModelDescription(
      "Keyed", primaryKey: ["key"],
      properties: [PropertyDescription("key", type), PropertyDescription("place", .integer)])
    let layout = ModelLayout(model)
    let values = SampleValues.many(type, seed: 13)
    let engine = try bench.make(model)
    try bench.write(engine) { transaction in
      for (index, value) in values.enumerated() {
        try transaction.put(layout, [value, .integer(Int64(index))])
      }
    }
    let expected = values.sorted { $0.precedes($1) }
    try bench.read(engine) { transaction in
      for isDescending in [false, true] {
        let rows = try transaction.rows(
          BoundQuery(
            layout: layout, order: [BoundSortTerm(column: 0, isDescending: isDescending)]))
        let found = isDescending ? rows.reversed() : rows
        try expect(found.map { $0[0] } == expected, "the keys are in another order")
      }
      for (index, value) in values.enumerated() {
        try expect(
          try transaction.row(RecordKey(value), layout)?[1] == .integer(Int64(index)),
          "the key \(value) finds another record or none")
      }
    }
    try bench.write(engine) { transaction in
      try expectError(.duplicateKey, of: "inserting a key twice") {
        try transaction.put(layout, [values[0], 0])
      }
    }
  }

  private static func comparisons(_ type: ValueType, _ bench: ConformanceBench) throws {
    let (engine, layout, rows) = try filled(type, bench)
    let edges = SampleValues.edges(type)
    try bench.read(engine) { transaction in
      for (index, pivot) in edges.enumerated() {
        // Equality of doubles counts both zeros as one, as order does.
        func before(_ value: StoredValue) -> Bool { !value.isNull && value.precedes(pivot) }
        func after(_ value: StoredValue) -> Bool { !value.isNull && pivot.precedes(value) }
        func same(_ value: StoredValue) -> Bool {
          !value.isNull && !value.precedes(pivot) && !pivot.precedes(value)
        }
        let upper = edges[(index + 1) % edges.count]
        let cases: [(BoundCondition, (StoredValue) -> Bool)] = [
          (.compareValue(column: 1, .less, pivot), before),
          (.compareValue(column: 1, .lessOrEqual, pivot), { before($0) || same($0) }),
          (.compareValue(column: 1, .greater, pivot), after),
          (.compareValue(column: 1, .greaterOrEqual, pivot), { after($0) || same($0) }),
          (.compareValue(column: 1, .equal, pivot), same),
          (.compareValue(column: 1, .notEqual, pivot), { !same($0) }),
          (.not(.compareValue(column: 1, .less, pivot)), { !before($0) }),
          (.oneOf(column: 1, [pivot]), same),
          (.oneOf(column: 1, [pivot, .null]), { same($0) || $0.isNull }),
          (
            .between(column: 1, pivot, upper),
            { !$0.isNull && !before($0) && !upper.precedes($0) }
          ),
        ]
        for (condition, isMatch) in cases {
          let found = try transaction.rows(BoundQuery(layout: layout, condition: condition))
          let expected = Set(rows.filter { isMatch($0.value) }.map(\.id))
          let ids = Set(
            found.compactMap { if case .integer(let id) = $0[0] { id } else { nil } })
          try expect(
            ids == expected && found.count == expected.count,
            "\(condition) gives \(ids.count) records, expected \(expected.count)")
        }
      }
    }
  }

  private static func composite(_ bench: ConformanceBench) throws {
    let model = ModelDescription(
      "Pair", primaryKey: ["team", "number"],
      properties: [
        PropertyDescription("number", .integer), PropertyDescription("note", .text),
        PropertyDescription("team", .text),
      ])
    let layout = ModelLayout(model)
    let engine = try bench.make(model)
    let teams = ["b", "a\0", "", "a"]
    try bench.write(engine) { transaction in
      for team in teams {
        for number in [3, -1, 256] {
          try transaction.put(layout, [.integer(Int64(number)), "x", .text(team)])
        }
      }
      try expectError(.duplicateKey, of: "inserting a composite key twice") {
        try transaction.put(layout, [3, "y", "a"])
      }
    }
    try bench.read(engine) { transaction in
      let rows = try transaction.rows(
        BoundQuery(layout: layout, order: [BoundSortTerm(column: 2), BoundSortTerm(column: 0)]))
      let expected: [[StoredValue]] = ["", "a", "a\0", "b"].flatMap { team in
        [-1, 3, 256].map { [.integer($0), "x", .text(team)] }
      }
      try expect(rows == expected, "composite keys are in another order: \(rows)")
      let key = try RecordKey(["a", 3]).orFail("a key of two values")
      try expect(
        try transaction.row(key, layout) == [3, "x", "a"], "a composite key finds nothing")
      try expectError(.wrongKey, of: "a key with one value too few") {
        _ = try transaction.row("a", layout)
      }
      let swapped = try RecordKey([3, "a"]).orFail("a key of two values")
      try expectError(.wrongKey, of: "a key with values of other types") {
        _ = try transaction.row(swapped, layout)
      }
    }
  }
}

extension Optional {
  /// The value, or a failure that says what is missing.
  func orFail(_ what: String) throws -> Wrapped {
    guard let self else { throw ConformanceFailure("\(what) is missing") }
    return self
  }
}
