import Kura

/// Queries against the definition: a backend selects what `BoundCondition` says, whatever it is.
enum ConditionRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("random conditions select what their definition selects", random),
    ConformanceRule("changes by random conditions concern what their definition selects", changes),
  ]

  /// One optional property of every type, named after the type.
  private static let everyType = ModelDescription(
    "Everything", primaryKey: ["id"],
    properties: [PropertyDescription("id", .integer)]
      + ValueType.allCases.map { PropertyDescription($0.rawValue, $0, isOptional: true) },
    indexes: [IndexDescription(["text"]), IndexDescription(["double", "integer"])])

  private static func filled(
    _ bench: ConformanceBench, _ generator: inout RepeatableGenerator
  ) throws -> (any StorageEngine, ModelLayout, [[StoredValue]]) {
    let layout = ModelLayout(everyType)
    var rows: [[StoredValue]] = []
    for number in 0..<60 {
      rows.append(
        [.integer(Int64(number))]
          + ValueType.allCases.map { type in
            Int.random(in: 0..<4, using: &generator) == 0
              ? .null : SampleValues.edges(type).randomElement(using: &generator) ?? .null
          })
    }
    let engine = try bench.make(everyType)
    try bench.write(engine) { transaction in
      for row in rows { try transaction.put(layout, row) }
    }
    return (engine, layout, rows)
  }

  private static func random(_ bench: ConformanceBench) throws {
    var generator = RepeatableGenerator(seed: 2)
    let (engine, layout, rows) = try filled(bench, &generator)
    try bench.read(engine) { transaction in
      for number in 0..<600 {
        let condition = RandomCondition.make(layout, depth: 3, &generator)
        let expected = rows.filter { condition.matches(row: RowBuffer($0)) }.map { $0[0] }
        let query = BoundQuery(
          layout: layout, condition: condition, order: [BoundSortTerm(column: 0)], columns: [0])
        let found = try transaction.rows(query).map { $0[0] }
        try expectEqual(found, expected, "keys of condition \(number), \(condition)")
        try expectEqual(
          try transaction.count(query), Int64(expected.count),
          "the count of condition \(number), \(condition)")
      }
    }
  }

  private static func changes(_ bench: ConformanceBench) throws {
    var generator = RepeatableGenerator(seed: 3)
    let (engine, layout, rows) = try filled(bench, &generator)
    try bench.write(engine) { transaction in
      for number in 0..<60 {
        let condition = RandomCondition.make(layout, depth: 2, &generator)
        let query = BoundQuery(layout: layout, condition: condition)
        let left = rows.filter { !condition.matches(row: RowBuffer($0)) }.map { $0[0] }
        try transaction.beginSavepoint()
        try expectEqual(
          try transaction.delete(matching: query), rows.count - left.count,
          "deleted records of condition \(number), \(condition)")
        let keys = BoundQuery(layout: layout, order: [BoundSortTerm(column: 0)], columns: [0])
        try expectEqual(
          try transaction.rows(keys).map { $0[0] }, left, "keys left by condition \(number)")
        try transaction.rollBackToSavepoint()
      }
    }
  }
}
