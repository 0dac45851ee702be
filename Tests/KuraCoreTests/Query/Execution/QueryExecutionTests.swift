import KuraTesting
import Testing

@testable import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Plans executed over arrays give what the definitions say, whatever the plan.
@Suite struct QueryExecutionTests {
  /// A generated store.
  private struct Bench {
    let source: ArraySource
    let plain: PlainEvaluator

    init(_ random: inout RepeatableGenerator) {
      let keyTypes: [ValueType] = [.integer, .text, .double, .date, .bool, .data, .uuid, .decimal]
      let keyCount = [1, 1, 1, 2, 2, 3].randomElement(using: &random) ?? 1
      var columns: [ModelLayout.Column] = (0..<keyCount).map { number in
        ModelLayout.Column(
          name: "k\(number)", type: keyTypes.randomElement(using: &random) ?? .integer,
          isOptional: false)
      }
      let types: [ValueType] = [
        .integer, .integer, .text, .text, .double, .bool, .date, .decimal, .data, .any, .json,
        .objectID,
      ]
      for number in 0..<Int.random(in: 2...5, using: &random) {
        columns.append(
          ModelLayout.Column(
            name: "c\(number)", type: types.randomElement(using: &random) ?? .integer,
            isOptional: Int.random(in: 0..<4, using: &random) > 0))
      }
      let layout = ModelLayout(
        name: "Item", columns: columns,
        keyColumns: Array(0..<keyCount).shuffled(using: &random), rowIDName: nil,
        isKuraModel: true)
      let indexable = columns.indices.filter {
        columns[$0].type != .any && columns[$0].type != .json
      }
      let indexes = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        let count = Int.random(in: 1...min(3, indexable.count), using: &random)
        return (
          columns: Array(indexable.shuffled(using: &random).prefix(count)),
          isUnique: Int.random(in: 0..<4, using: &random) == 0
        )
      }
      let hasLongTexts = Int.random(in: 0..<5, using: &random) == 0
      let rows = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        columns.map { Bench.value($0, hasLongTexts, &random) }
      }
      source = ArraySource(layout, indexes: indexes, rows: rows)
      plain = PlainEvaluator(layout: layout, rows: source.records.map(\.values))
      if Bool.random(using: &random) { source.estimatedCount = 100_000 }
      source.isCountExact = source.estimatedCount == Int64(source.records.count)
    }

    /// Few values, so that records meet each other and the conditions.
    static func value(
      _ column: ModelLayout.Column, _ isLong: Bool, _ random: inout RepeatableGenerator
    ) -> StoredValue {
      if column.isOptional, Int.random(in: 0..<4, using: &random) == 0 { return .null }
      if isLong, Bool.random(using: &random) {
        let start = String(
          repeating: "x", count: [470, 478, 479, 520].randomElement(using: &random) ?? 479)
        let text = start + (["a", "b", "ba", ""].randomElement(using: &random) ?? "")
        if column.type == .text { return .text(text) }
        if column.type == .data { return .data(Array(text.utf8)) }
      }
      if column.type == .integer, Bool.random(using: &random) {
        return .integer(Int64.random(in: -3...3, using: &random))
      }
      return SampleValues.edges(column.type).randomElement(using: &random) ?? .null
    }

    func query(_ random: inout RepeatableGenerator) -> BoundQuery {
      let layout = source.layout
      var condition = BoundCondition.always
      switch Int.random(in: 0..<6, using: &random) {
      case 0: break
      case 1, 2: condition = RandomCondition.make(layout, depth: 3, &random)
      default:
        // What indexes are made for.
        let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in leaf(&random) }
        condition = Int.random(in: 0..<3, using: &random) == 0 ? .any(parts) : .all(parts)
        if Int.random(in: 0..<5, using: &random) == 0 {
          condition = .all([condition, RandomCondition.make(layout, depth: 1, &random)])
        }
      }
      var order: [BoundSortTerm] = []
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let term = BoundSortTerm(
          column: Int.random(in: layout.columns.indices, using: &random),
          isDescending: Bool.random(using: &random))
        if !order.contains(where: { $0.column == term.column }) { order.append(term) }
      }
      for column in layout.keyColumns where !order.contains(where: { $0.column == column }) {
        order.append(BoundSortTerm(column: column))
      }
      var query = BoundQuery(layout: layout, condition: condition, order: order)
      if Int.random(in: 0..<3, using: &random) == 0 {
        query.limit = Int.random(in: 0...8, using: &random)
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        query.offset = Int.random(in: 0...5, using: &random)
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        let count = Int.random(in: 1...2, using: &random)
        query.distinct = Array(layout.columns.indices.shuffled(using: &random).prefix(count))
      }
      if Bool.random(using: &random) {
        let count = Int.random(in: 0...2, using: &random)
        query.columns = (0..<count).map { _ in
          Int.random(in: layout.columns.indices, using: &random)
        }
      }
      return query
    }

    private func leaf(_ random: inout RepeatableGenerator) -> BoundCondition {
      let layout = source.layout
      let indexed = layout.keyColumns + source.indexes.flatMap(\.components)
      let column = indexed.randomElement(using: &random) ?? 0
      func value() -> StoredValue {
        if let record = source.records.randomElement(using: &random),
          Int.random(in: 0..<4, using: &random) > 0
        {
          return record.values[column]
        }
        return Bench.value(layout.columns[column], false, &random)
      }
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1, 2: return .compareValue(column: column, .equal, value())
      case 3:
        return .compareValue(
          column: column,
          Condition.ComparisonOperator.allCases.randomElement(using: &random) ?? .less,
          value())
      case 4:
        return .oneOf(
          column: column, (0..<Int.random(in: 1...4, using: &random)).map { _ in value() })
      case 5: return .between(column: column, value(), value())
      case 6:
        switch value() {
        case .text(let text):
          return .textValue(column: column, .beginsWith, .text(String(text.prefix(1))))
        case .data(let bytes):
          return .textValue(column: column, .beginsWith, .data(Array(bytes.prefix(1))))
        default: return .compareValue(column: column, .greaterOrEqual, value())
        }
      default: return .not(.compareValue(column: column, .less, value()))
      }
    }
  }

  private static func rows(_ cursor: QueryCursor) throws -> [[StoredValue]] {
    let row = RowBuffer(columns: cursor.columnNames.count)
    var rows: [[StoredValue]] = []
    while try cursor.next(into: row) { rows.append((0..<row.count).map { row.value(at: $0) }) }
    return rows
  }

  @Test("thousands of generated stores and queries give what a plain evaluation gives")
  func differential() throws {
    var kinds: [String: Int] = [:]
    for seed in 0..<1000 as Range<UInt64> {
      var random = RepeatableGenerator(seed: seed)
      let bench = Bench(&random)
      for number in 0..<4 {
        let query = bench.query(&random)
        let plan = QueryPlanner.plan(query, over: SourceOffer(bench.source))
        let expected = bench.plain.rows(query)
        var failures: [String] = []
        let columns = query.columns ?? Array(query.layout.columns.indices)
        let memory = Bool.random(using: &random) ? 4096 : ExternalSorter.usualMemoryLimit
        let found = try Self.rows(QueryCursor(plan, bench.source, memoryLimit: memory))
        let isSame = found.elementsEqual(expected.map { row in columns.map { row[$0] } }) {
          zip($0, $1).allSatisfy(SampleValues.isIdentical)
        }
        if !isSame { failures.append("rows \(found) instead of \(expected)") }

        let keys = try bench.source.keys(matching: query)
        var foundKeys: [Int] = []
        while try keys.next() {
          let key = Array(keys.recordKey)
          foundKeys.append(bench.source.records.firstIndex { $0.key == key } ?? -1)
        }
        let expectedKeys = expected.map { row in
          bench.source.records.firstIndex { $0.values == row } ?? -2
        }
        if foundKeys != expectedKeys.sorted() {
          failures.append("keys \(foundKeys) instead of \(expectedKeys.sorted())")
        }
        try aggregates(bench, query, expected, &failures, &random)
        if bench.source.openScans != 0 || bench.source.openFetches != 0 {
          failures.append("something stays open")
        }
        for failure in failures {
          Issue.record(
            """
            seed \(seed), query \(number): \(query.condition.text(query.layout))
            \(plan.explanation.joined(separator: "\n"))
            \(failure.prefix(1000))
            """)
        }
        note(plan, &kinds)
      }
    }
    // Every kind of plan must have been among them, or it was not tested.
    for kind in [
      "primary scan", "primary search", "index scan", "index search", "union", "entry only",
      "later from record", "served", "grouped", "sorted", "adjacent", "distinct sorted",
      "backward", "empty", "many ranges",
    ] { #expect(kinds[kind, default: 0] >= 10, "\(kind): \(kinds)") }
  }

  private func note(_ plan: QueryPlan, _ kinds: inout [String: Int]) {
    if plan.steps.isEmpty { kinds["empty", default: 0] += 1 }
    if plan.steps.count > 1 { kinds["union", default: 0] += 1 }
    for step in plan.steps {
      let what = step.path.database == .primary ? "primary" : "index"
      kinds["\(what) \(step.served.isEmpty ? "scan" : "search")", default: 0] += 1
      if step.path.isDescending { kinds["backward", default: 0] += 1 }
      if step.path.readsEntryOnly {
        kinds[step.path.laterColumns.isEmpty ? "entry only" : "later from record", default: 0] += 1
      }
      if step.ranges.count > 1 { kinds["many ranges", default: 0] += 1 }
    }
    switch plan.order {
    case .served: kinds["served", default: 0] += 1
    case .grouped: kinds["grouped", default: 0] += 1
    case .sorted: kinds["sorted", default: 0] += 1
    }
    switch plan.distinct {
    case .none: break
    case .adjacent: kinds["adjacent", default: 0] += 1
    case .sorted: kinds["distinct sorted", default: 0] += 1
    }
  }

  private func aggregates(
    _ bench: Bench, _ query: BoundQuery, _ rows: [[StoredValue]], _ failures: inout [String],
    _ random: inout RepeatableGenerator
  ) throws {
    let column = Int.random(in: query.layout.columns.indices, using: &random)
    var functions: [AggregateRequest.Function] = [
      .count, .minimum(column: column), .maximum(column: column),
    ]
    let numbers: [ValueType] = [.integer, .double, .decimal, .any]
    if numbers.contains(query.layout.columns[column].type) {
      functions.append(.average(column: column))
      let sum = AggregateRequest.Function.sum(column: column)
      if bench.plain.aggregate(sum, over: rows) == nil {
        let error = #expect(throws: StoreError.self) {
          try bench.source.aggregate(AggregateRequest(query, [sum]))
        }
        #expect(error?.code == .notStorable)
      } else {
        functions.append(sum)
      }
    }
    let found = try bench.source.aggregate(AggregateRequest(query, functions))
    for (function, value) in zip(functions, found) {
      guard let expected = bench.plain.aggregate(function, over: rows),
        !isClose(value, expected, bench)
      else { continue }
      failures.append("\(function) is \(value) instead of \(expected)")
    }
  }

  /// Equal, or doubles that differ by rounding; sums of huge doubles may lose everything.
  private func isClose(_ left: StoredValue, _ right: StoredValue, _ bench: Bench) -> Bool {
    switch (left, right) {
    case (.double(let one), .double(let two)):
      one == two || abs(one - two) <= 1e-9 * max(abs(one), abs(two)) || abs(one) > 1e200
        || abs(two) > 1e200 || (abs(one) < 1e19 && abs(two) < 1e19 && abs(one - two) < 1e5)
    case (.null, .double(let value)), (.double(let value), .null): !value.isFinite
    case (.decimal(let one), .decimal(let two)):
      one == two || abs((Double(one.description) ?? 0) - (Double(two.description) ?? 0)) <= 1e30
    default: bench.plain.compare(left, right) == 0
    }
  }
}
