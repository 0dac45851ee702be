import KuraCore
import KuraSQLite
import KuraTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Conditions as SQL against the evaluator that works on rows: two implementations, one meaning.
@Suite struct QueryDifferentialTests {
  private static let types: [ValueType] = [
    .integer, .double, .text, .date, .decimal, .bool, .any, .data, .uuid, .objectID, .json,
  ]

  private static let model = ModelDescription(
    "Item \"x\"", primaryKey: ["id"],
    properties: [PropertyDescription("id", .integer)]
      + types.map { PropertyDescription("a \($0.rawValue)", $0, isOptional: true) }
      + types.map { PropertyDescription("b \($0.rawValue)", $0, isOptional: true) })

  private static let layout = ModelLayout(model)

  /// Few values for each type, so that records meet conditions; every edge among them.
  private static func pool(_ type: ValueType) -> [StoredValue] {
    let texts: [StoredValue] = [
      "", "a", "A", "ab", "a*b", "a?b", "é", "日本", "\u{0}", "a\u{0}b", "🥚", "\u{FFFF}", "%", "_",
      "\\",
    ]
    switch type {
    case .integer:
      return [0, 1, 2, -1, .integer(.min), .integer(.max), 9_007_199_254_740_993]
    case .double:
      return [
        0.0, -0.0, 1.0, 1.5, 2.5, -1.5, .double(.infinity), .double(-.infinity),
        9_007_199_254_740_992.0, 9_007_199_254_740_994.0, .double(0x1p63),
        .double(.leastNonzeroMagnitude),
      ]
    case .text, .json: return texts
    case .date:
      return [
        (-1, 0), (0, 0), (0, 1), (Timestamp.lastSecond, 999_999_999), (Timestamp.firstSecond, 0),
      ]
      .compactMap { Timestamp(seconds: $0.0, nanoseconds: $0.1).map { .date($0) } }
    case .decimal:
      return ["0", "1", "1.5", "-1.5", "-10", "100", "0.001", "1e30", "-1e-30", "2"]
        .compactMap { Decimal(string: $0).map { .decimal($0) } }
    case .bool: return [true, false]
    case .data:
      return [.data([]), .data([0]), .data([0, 0]), .data([97]), .data([97, 98]), .data([255])]
    case .uuid:
      return ["00000000-0000-0000-0000-000000000000", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"]
        .compactMap { UUID(uuidString: $0).map { .uuid($0) } }
    case .objectID:
      return ["000000000000000000000000", "507f1f77bcf86cd799439011"]
        .compactMap { ObjectID($0).map { .objectID($0) } }
    case .any:
      return pool(.integer) + pool(.double).filter { $0 != 0.0 } + texts + pool(.data)
    }
  }

  private struct Bench {
    let engine: any StorageEngine
    let read: any EngineReadTransaction
    /// The rows in key order.
    let rows: [[StoredValue]]

    init(rows count: Int, _ random: inout RepeatableGenerator) throws {
      engine = try SQLiteBackend().open(.memory, EngineOptions())
      let write = try engine.beginWrite(timeout: nil)
      try write.apply(.createModel(model))
      let row = RowBuffer(columns: layout.columns.count)
      var rows: [[StoredValue]] = []
      for id in 0..<count {
        row.reset()
        var values: [StoredValue] = [.integer(Int64(id))]
        for column in layout.columns.dropFirst() {
          let pool = QueryDifferentialTests.pool(column.type)
          let index = Int.random(in: 0...pool.count, using: &random)
          values.append(index == pool.count ? .null : pool[index])
        }
        for (column, value) in values.enumerated() { row.setValue(value, at: column) }
        try write.write(row, into: layout, mode: .insert)
        rows.append(values)
      }
      try write.commit()
      self.rows = rows
      read = try engine.beginRead()
    }

    /// The ids that the engine gives.
    func ids(_ query: BoundQuery) throws -> [Int64] {
      var query = query
      query.columns = [0]
      let cursor = try read.cursor(for: query)
      let row = RowBuffer(columns: 1)
      var ids: [Int64] = []
      while try cursor.next(into: row) { ids.append(row[0].integer) }
      cursor.close()
      return ids
    }

    func end() throws {
      read.end()
      try engine.close()
    }
  }

  @Test("what was written comes back, value for value")
  func roundTrip() throws {
    var random = RepeatableGenerator(seed: 3)
    let bench = try Bench(rows: 200, &random)
    let row = RowBuffer(columns: Self.layout.columns.count)
    let cursor = try bench.read.cursor(for: Query("").bound(to: Self.layout))
    for expected in bench.rows {
      #expect(try cursor.next(into: row))
      for (column, value) in expected.enumerated() {
        #expect(row.value(at: column) == value)
        if case .double(let written) = value, case .double(let read) = row.value(at: column) {
          #expect(written.bitPattern == read.bitPattern)
        }
      }
    }
    cursor.close()
    try bench.end()
  }

  @Test("random conditions select the same records in SQL and by evaluation")
  func conditions() throws {
    var random = RepeatableGenerator(seed: 20_261_130)
    let bench = try Bench(rows: 150, &random)
    let buffers = bench.rows.map { values in
      let row = RowBuffer(columns: values.count)
      for (column, value) in values.enumerated() { row.setValue(value, at: column) }
      return row
    }
    var selected = 0
    for _ in 0..<2000 {
      let condition = condition(3, &random)
      let bound: BoundCondition
      do {
        bound = try condition.bound(to: Self.layout)
      } catch {
        Issue.record("\(condition): \(error)")
        continue
      }
      let matcher = ConditionMatcher(bound)
      let expected = buffers.indices.filter { matcher.matches(buffers[$0]) }.map { Int64($0) }
      let query = BoundQuery(
        layout: Self.layout, condition: bound, order: [BoundSortTerm(column: 0)])
      #expect(try bench.ids(query) == expected, "\(bound)")
      let count = try bench.read.aggregate(AggregateRequest(query, [.count]))
      #expect(count == [.integer(Int64(expected.count))], "\(bound)")
      if !expected.isEmpty, expected.count < 150 { selected += 1 }
    }
    // Most conditions must tell records apart, or nothing was tested.
    #expect(selected > 1000)
    try bench.end()
  }

  @Test("random orders, windows and distinct give the same records in SQL and over arrays")
  func orders() throws {
    var random = RepeatableGenerator(seed: 5)
    let bench = try Bench(rows: 150, &random)
    for _ in 0..<300 {
      let columns = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        Int.random(in: 1..<Self.layout.columns.count, using: &random)
      }
      let isDescending = Bool.random(using: &random)
      var query = Query("Item")
      query.order = columns.map {
        SortTerm(PropertyPath([Self.layout.columns[$0].name]), isDescending: isDescending)
      }
      if Bool.random(using: &random) { query.limit = Int.random(in: 0...20, using: &random) }
      if Bool.random(using: &random) { query.offset = Int.random(in: 0...20, using: &random) }
      let distinct = Int.random(in: 1..<Self.layout.columns.count, using: &random)
      let isDistinct = Int.random(in: 0..<3, using: &random) == 0
      if isDistinct { query.distinct = [PropertyPath([Self.layout.columns[distinct].name])] }

      var rows = bench.rows
      if isDistinct {
        var seen: [StoredValue] = []
        rows = rows.filter { row in
          guard !seen.contains(where: { isSame($0, row[distinct]) }) else { return false }
          seen.append(row[distinct])
          return true
        }
      }
      rows.sort { left, right in
        for column in columns where !isSame(left[column], right[column]) {
          return left[column].precedes(right[column]) != isDescending
        }
        return left[0].precedes(right[0])
      }
      let expected = rows.dropFirst(query.offset).prefix(query.limit ?? .max)
        .map { row in if case .integer(let id) = row[0] { id } else { Int64(-1) } }
      #expect(try bench.ids(query.bound(to: Self.layout)) == expected, "\(query)")
    }
    try bench.end()
  }

  @Test("a list of alternatives may be as long as a text allows")
  func wideConditions() throws {
    var random = RepeatableGenerator(seed: 6)
    let bench = try Bench(rows: 100, &random)
    let name = PropertyPath(["id"])
    let parts = (0..<5_000).map { number in
      Condition.comparison(.property(name), .equal, .value(.integer(Int64(number) * 2)))
    }
    let any = try Query("Item", where: .any(parts)).bound(to: Self.layout)
    #expect(try bench.ids(any) == (0..<50).map { Int64($0) * 2 })
    let none = try Query("Item", where: .all(parts.map { .not($0) })).bound(to: Self.layout)
    #expect(try bench.ids(none) == (0..<50).map { Int64($0) * 2 + 1 })
    let values = (0..<5_000).map { StoredValue.integer(Int64($0) * 3) }
    let list = try Query("Item", where: .oneOf(.property(name), values)).bound(to: Self.layout)
    #expect(try bench.ids(list) == (0..<34).map { Int64($0) * 3 })
    try bench.end()
  }

  @Test("deep conditions work, or are refused as too deep for SQLite")
  func deepConditions() throws {
    var random = RepeatableGenerator(seed: 8)
    let bench = try Bench(rows: 60, &random)
    for depth in [10, 40, 57] {
      // NOT (id = 0 OR NOT (id = 1 OR NOT …)): an even id stays out, an odd one comes in.
      let id = Condition.Operand.property(PropertyPath(["id"]))
      let condition = (0..<depth).reversed().reduce(Condition.never) { inner, number in
        .not(.any([.comparison(id, .equal, .value(.integer(Int64(number)))), inner]))
      }
      let bound = try condition.bound(to: Self.layout)
      let buffer = RowBuffer(columns: Self.layout.columns.count)
      let expected = bench.rows.indices.filter { index in
        buffer.setValue(.integer(Int64(index)), at: 0)
        return ConditionMatcher(bound).matches(buffer)
      }
      let query = BoundQuery(
        layout: Self.layout, condition: bound, order: [BoundSortTerm(column: 0)])
      #expect(try bench.ids(query) == expected.map { Int64($0) })
    }
    let deep = (0..<150).reduce(Condition.comparison(.property("id"), .equal, .value(1))) {
      inner, level in
      let other = Condition.comparison(.property("id"), .greater, .value(.integer(Int64(level))))
      return level % 2 == 0 ? .any([other, inner]) : .all([other, inner])
    }
    let error = #expect(throws: StoreError.self) {
      try bench.ids(Query("Item", where: deep).bound(to: Self.layout))
    }
    #expect(error?.code == .limitReached)
    try bench.end()
  }

  /// Equal in the sense of an order: an integer and the double of its number are.
  private func isSame(_ left: StoredValue, _ right: StoredValue) -> Bool {
    switch (left, right) {
    case (.integer(let integer), .double(let double)), (.double(let double), .integer(let integer)):
      Int64(exactly: double) == integer
    default: left == right
    }
  }

  // MARK: Random conditions

  private func condition(_ depth: Int, _ random: inout RepeatableGenerator) -> Condition {
    let choice = Int.random(in: 0..<(depth == 0 ? 6 : 9), using: &random)
    let type = Self.types[Int.random(in: 0..<Self.types.count, using: &random)]
    let column = Condition.Operand.property(PropertyPath(["a \(type.rawValue)"]))
    let operators = Condition.ComparisonOperator.allCases
    let comparison = operators[Int.random(in: 0..<operators.count, using: &random)]
    switch choice {
    case 0: return .comparison(column, comparison, .value(value(type, &random)))
    case 1:
      return .comparison(
        column, comparison, .property(PropertyPath(["b \(other(type, &random).rawValue)"])))
    case 2: return .oneOf(column, (0..<4).map { _ in value(type, &random) })
    case 3: return .between(column, value(type, &random), value(type, &random))
    case 4, 5:
      let textType: ValueType = [.text, .json, .any, .data][Int.random(in: 0..<4, using: &random)]
      let operand = Condition.Operand.property(PropertyPath(["a \(textType.rawValue)"]))
      let matches: [Condition.TextOperator] =
        textType == .data ? [.contains, .beginsWith, .endsWith] : Condition.TextOperator.allCases
      let match = matches[Int.random(in: 0..<matches.count, using: &random)]
      if choice == 5, match != .like {
        let other: ValueType = textType == .data ? .data : .text
        return .text(operand, match, .property(PropertyPath(["b \(other.rawValue)"])))
      }
      if textType == .data { return .text(operand, match, .value(data(&random))) }
      let patterns = [
        "", "*", "?", "a*", "*b", "a\\*b", "*é*", "日?", "??", "a?b", "\\\\", "%", "_", "\u{0}",
      ]
      return .text(
        operand, match, .value(.text(patterns[Int.random(in: 0..<patterns.count, using: &random)])))
    case 6: return .not(condition(depth - 1, &random))
    case 7: return .all((0..<2).map { _ in condition(depth - 1, &random) })
    default: return .any((0..<2).map { _ in condition(depth - 1, &random) })
    }
  }

  private func data(_ random: inout RepeatableGenerator) -> StoredValue {
    let pool = Self.pool(.data)
    return pool[Int.random(in: 0..<pool.count, using: &random)]
  }

  private func value(_ type: ValueType, _ random: inout RepeatableGenerator) -> StoredValue {
    var pool = Self.pool(type) + [.null]
    switch type {
    case .integer: pool += Self.pool(.double)
    case .double: pool += Self.pool(.integer)
    case .decimal: pool += [1, 1.5]
    default: break
    }
    return pool[Int.random(in: 0..<pool.count, using: &random)]
  }

  private func other(_ type: ValueType, _ random: inout RepeatableGenerator) -> ValueType {
    switch type {
    case .integer, .double: Bool.random(using: &random) ? .integer : .double
    case .text, .json: Bool.random(using: &random) ? .text : .json
    case .any: [.any, .integer, .text, .data][Int.random(in: 0..<4, using: &random)]
    default: type
    }
  }
}
