extension BoundCondition {
  /// Adds the columns that the condition looks at.
  func addColumns(to columns: inout Set<Int>) {
    switch self {
    case .always, .never: break
    case .compareValue(let column, _, _), .oneOf(let column, _), .between(let column, _, _),
      .textValue(let column, _, _):
      columns.insert(column)
    case .compareColumns(let left, _, let right), .textColumns(let left, _, let right):
      columns.insert(left)
      columns.insert(right)
    case .compare(let left, _, let right, _), .match(let left, _, let right, _):
      left.addColumns(to: &columns)
      right.addColumns(to: &columns)
    case .contained(let operand, _, _), .matches(let operand, _, _):
      operand.addColumns(to: &columns)
    case .among(let column, _): columns.insert(column)
    case .all(let parts), .any(let parts):
      for part in parts { part.addColumns(to: &columns) }
    case .not(let part): part.addColumns(to: &columns)
    }
  }

  /// The columns that the condition looks at.
  var columns: Set<Int> {
    var columns: Set<Int> = []
    addColumns(to: &columns)
    return columns
  }

  /// The parts that look at columns before a place only, and the others.
  func split(at place: Int) -> (before: BoundCondition, from: BoundCondition) {
    let parts = conjuncts.map { (part: $0, isBefore: $0.columns.allSatisfy { $0 < place }) }
    return (
      .conjunction(parts.filter(\.isBefore).map(\.part)),
      .conjunction(parts.filter { !$0.isBefore }.map(\.part))
    )
  }

  /// About how long it takes to look at one record, so that cheap parts come first.
  func effort(_ layout: ModelLayout) -> Int {
    switch self {
    case .always, .never: 0
    case .compareValue(let column, _, _), .between(let column, _, _):
      layout.columns.indices.contains(column) && layout.columns[column].type.hasFixedSize ? 1 : 2
    case .compareColumns: 2
    case .oneOf: 4
    case .textValue(_, .beginsWith, _), .textValue(_, .endsWith, _): 3
    case .textValue, .textColumns: 12
    case .compare, .contained: 14
    case .match, .among: 20
    case .matches: 60
    case .all(let parts), .any(let parts): parts.reduce(1) { $0 + $1.effort(layout) }
    case .not(let part): part.effort(layout)
    }
  }
}

extension ValueType {
  fileprivate var hasFixedSize: Bool {
    switch self {
    case .bool, .integer, .double, .date, .uuid, .objectID: true
    case .decimal, .text, .data, .any, .json: false
    }
  }
}
