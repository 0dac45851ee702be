import Kura

/// Rows of queries that select columns or groups.
enum GroupRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("rows of groups have their numbers, in the groups' order", byHand),
    ConformanceRule("random groups are those of a plain evaluation", random),
  ]

  private static let model = ModelDescription(
    "Egg", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("team", .text, isOptional: true),
      PropertyDescription("size", .integer, isOptional: true),
      PropertyDescription("weight", .double, isOptional: true),
    ], indexes: [IndexDescription(["size"])])

  private static let eggs: [[StoredValue]] = [
    [1, "b", 2, 1.5], [2, "a", 1, 2.5], [3, "b", 2, .null], [4, .null, 1, 4.0],
    [5, "a", .null, 0.5],
    [6, "B", 2, 1.0], [7, "b", 1, -1.0],
  ]

  /// The rows, checked by hand.
  private static func byHand(_ bench: ConformanceBench) throws {
    let layout = ModelLayout(model)
    let engine = try bench.make(model)
    try bench.write(engine) { transaction in
      for egg in eggs { try transaction.put(layout, egg) }
    }
    let cases: [(String, [[StoredValue]])] = [
      ("GROUP(team)", [[.null, 1], ["B", 1], ["a", 2], ["b", 3]]),
      ("GROUP(team) SORT(team DESC)", [["b", 3], ["a", 2], ["B", 1], [.null, 1]]),
      ("GROUP(team) LIMIT(2) OFFSET(1)", [["B", 1], ["a", 2]]),
      (
        "GROUP(size) SELECT(@count, size, @sum.weight, @avg.weight, @min.team, @max.id)",
        [
          [1, .null, 0.5, 0.5, "a", 5], [3, 1, 5.5, .double(5.5 / 3), "a", 7],
          [3, 2, 2.5, 1.25, "B", 6],
        ]
      ),
      (
        "size == 2 GROUP(team, size)", [["B", 2, 1], ["b", 2, 2]]
      ),
      ("size == 9 GROUP(team)", []),
      ("GROUP(team) LIMIT(0)", []),
      ("SELECT(@count, @sum.size, @avg.weight)", [[7, 9, .double(8.5 / 6)]]),
      ("size == 9 SELECT(@count, @sum.size, @max.team)", [[0, 0, .null]]),
      ("SELECT(@count) OFFSET(1)", []),
      ("SELECT(size, id) SORT(weight DESC) LIMIT(2)", [[1, 4], [1, 2]]),
      ("SELECT(team, team) LIMIT(1)", [["b", "b"]]),
      ("DISTINCT(size) SELECT(size)", [[2], [1], [.null]]),
    ]
    try bench.read(engine) { transaction in
      for (text, expected) in cases {
        let query = try Query(parsing: text, model: "Egg")
        let rows = try query.boundRows(to: layout)
        try expectEqual(try read(rows, transaction), expected, "the rows of \(text)")
        try expect(!(try rows.explain(transaction)).isEmpty, "there is no plan of \(text)")
      }
    }
  }

  private static func read(_ rows: BoundRows, _ transaction: any EngineReadTransaction) throws
    -> [[StoredValue]]
  {
    let cursor = try rows.cursor(transaction)
    defer { cursor.close() }
    let row = RowBuffer(columns: rows.columnNames.count)
    var found: [[StoredValue]] = []
    while try cursor.next(into: row) { found.append((0..<row.count).map { row.value(at: $0) }) }
    return found
  }

  /// Random groups over random records, against arrays.
  private static func random(_ bench: ConformanceBench) throws {
    var generator = RepeatableGenerator(seed: 9)
    for round in 0..<6 {
      var store = GeneratedStore(&generator, hasSteps: false)
      store.model.name = "Item\(round)"
      let layout = store.layout
      let engine = try bench.make(store.model)
      try bench.write(engine) { transaction in
        for row in store.rows { _ = try? transaction.put(layout, row) }
      }
      try bench.read(engine) { transaction in
        let all = try transaction.rows(
          BoundQuery(layout: layout, order: layout.keyColumns.map { BoundSortTerm(column: $0) }))
        for number in 0..<40 {
          let names = layout.columns.map(\.name).shuffled(using: &generator)
          let groups = Array(names.prefix(Int.random(in: 1...2, using: &generator)))
          let sorted = Bool.random(using: &generator)
          let measured = names.randomElement(using: &generator) ?? groups[0]
          let condition = RandomCondition.make(layout, depth: 1, &generator)
          var query = Query("Item")
          query.groups = groups.map { PropertyPath([$0]) }
          query.columns =
            query.groups.map { $0.map { .property($0) } } ?? []
          query.columns? += [
            .count, .minimum(PropertyPath([measured])), .maximum(PropertyPath([measured])),
          ]
          if sorted { query.order = [SortTerm(PropertyPath([groups[0]]), isDescending: true)] }
          var rows = try query.boundRows(to: layout)
          rows = rows.filtered(by: condition)
          let expected = plain(
            all.filter { condition.matches(row: RowBuffer($0)) },
            by: groups.compactMap { layout.index(of: $0) }, isDescending: sorted,
            measured: layout.index(of: measured) ?? 0)
          try expectEqual(
            try read(rows, transaction).map { $0.map(Canonical.init) },
            expected.map { $0.map(Canonical.init) },
            "groups \(number) by \(groups) of \(condition)")
        }
      }
    }
  }

  /// A value of which those forms are equal that may stand for each other, such as both zeros.
  private struct Canonical: Equatable {
    let value: StoredValue

    init(_ value: StoredValue) {
      self.value =
        if case .double(let double) = value, let integer = Int64(exactly: double) {
          .integer(integer)
        } else {
          value
        }
    }
  }

  private static func plain(
    _ rows: [[StoredValue]], by columns: [Int], isDescending: Bool, measured: Int
  ) -> [[StoredValue]] {
    func order(_ left: StoredValue, _ right: StoredValue) -> Int {
      let (one, other) = (Canonical(left).value, Canonical(right).value)
      return one == other ? 0 : one.precedes(other) ? -1 : 1
    }
    var groups: [[[StoredValue]]] = []
    for row in rows {
      let place = groups.firstIndex { group in
        columns.allSatisfy { order(group[0][$0], row[$0]) == 0 }
      }
      if let place { groups[place].append(row) } else { groups.append([row]) }
    }
    groups.sort { left, right in
      for (position, column) in columns.enumerated() {
        let order = order(left[0][column], right[0][column])
        if order != 0 { return (order < 0) != (isDescending && position == 0) }
      }
      return false
    }
    return groups.map { group in
      let values = group.map { $0[measured] }.filter { !$0.isNull }
      let least = values.min { order($0, $1) < 0 } ?? .null
      let greatest = values.max { order($0, $1) < 0 } ?? .null
      return columns.map { group[0][$0] } + [.integer(Int64(group.count)), least, greatest]
    }
  }
}
