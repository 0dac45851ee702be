import KuraTesting
import Testing

@testable import KuraCore

/// Plans executed over arrays give what the definitions say, whatever the plan.
@Suite struct QueryExecutionTests {
  /// A generated store.
  private struct Bench {
    let source: ArraySource
    let plain: PlainEvaluator
    let store: GeneratedStore

    init(_ random: inout RepeatableGenerator) {
      store = GeneratedStore(&random, hasSteps: false)
      let layout = store.layout
      source = ArraySource(
        layout,
        indexes: store.model.indexes.map { index in
          (index.properties.compactMap { layout.index(of: $0) }, index.isUnique)
        }, rows: store.rows)
      plain = PlainEvaluator(layout: layout, rows: source.records.map(\.values))
      if Bool.random(using: &random) { source.estimatedCount = 100_000 }
      source.isCountExact = source.estimatedCount == Int64(source.records.count)
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
        let query = bench.store.query(&random)
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
    var functions = bench.store.functions(&random)
    if case .sum = functions.dropFirst(3).first,
      bench.plain.aggregate(functions[3], over: rows) == nil
    {
      let sum = functions.remove(at: 3)
      let error = #expect(throws: StoreError.self) {
        try bench.source.aggregate(AggregateRequest(query, [sum]))
      }
      #expect(error?.code == .notStorable)
    }
    let found = try bench.source.aggregate(AggregateRequest(query, functions))
    for (function, value) in zip(functions, found) {
      guard let expected = bench.plain.aggregate(function, over: rows),
        !BackendDifferential.isClose(
          value, expected, magnitude: magnitude(function, rows))
      else { continue }
      failures.append("\(function) is \(value) instead of \(expected)")
    }
  }

  private func magnitude(_ function: AggregateRequest.Function, _ rows: [[StoredValue]]) -> Double {
    switch function {
    case .count, .minimum, .maximum: 0
    case .sum(let column), .average(let column):
      BackendDifferential.magnitude(rows.map { $0[column] })
    }
  }
}
