import KuraCore

extension BoundCondition {
  /// Whether the condition has parts.
  var isNested: Bool {
    switch self {
    case .all, .any: true
    case .not(let part): part.isNested
    case .among: true
    default: false
    }
  }

  /// The places of SQLite's parser stack that the SQL of the condition takes, without comparisons.
  ///
  /// A parenthesis at the beginning of another takes one place, one after an operator three.
  var parserCost: Int {
    switch self {
    case .all(let parts), .any(let parts):
      let nested = parts.filter(\.isNested)
      let halvings = max(0, Int.bitWidth - (parts.count / 50).leadingZeroBitCount)
      var cost = 1
      for (position, part) in nested.enumerated() {
        cost = max(cost, (position == 0 ? 1 : 3) + part.parserCost)
      }
      return cost + 3 * halvings
    case .not(let part): return part.parserCost
    // IN, the parenthesis, and the clauses of a SELECT up to its condition.
    case .among(_, let subquery):
      return 12 + max(subquery.condition.parserCost, subquery.derived.parserCost)
    default: return 0
    }
  }
}

extension [DerivedColumn] {
  /// The places that the columns take where a table is named.
  var parserCost: Int { reduce(0) { Swift.max($0, $1.parserCost) } }
}

extension DerivedColumn {
  /// The places of the parentheses around the table and the column, and of what is inside.
  fileprivate var parserCost: Int {
    switch content {
    case .column, .membership: 16
    case .list(let number): 28 + max(number.condition.parserCost, number.derived.parserCost)
    }
  }
}
