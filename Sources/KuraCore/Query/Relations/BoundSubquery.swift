/// The values that a column has in the records of a model that fulfil a condition.
///
/// The column never holds null: it is a key, or a side of a list.
public struct BoundSubquery: Sendable {
  /// The model.
  public var layout: ModelLayout
  /// The column.
  public var column: Int
  /// What a record must fulfil.
  public var condition: BoundCondition
  /// The derived columns that the condition looks at.
  public var derived: [DerivedColumn]
  /// How often a value must occur; `nil` for once or more.
  public var count: (comparison: Condition.ComparisonOperator, value: Int64)?

  /// Makes a subquery.
  public init(
    _ layout: ModelLayout, column: Int, where condition: BoundCondition,
    derived: [DerivedColumn] = [],
    count: (comparison: Condition.ComparisonOperator, value: Int64)? = nil
  ) {
    self.layout = layout
    self.column = column
    self.condition = condition
    self.derived = derived
    self.count = count
  }
}

extension BoundSubquery: Hashable {
  /// Whether models, columns, conditions and counts are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.layout === right.layout && left.column == right.column
      && left.condition == right.condition && left.derived == right.derived
      && left.count?.comparison == right.count?.comparison
      && left.count?.value == right.count?.value
  }

  /// Hashes the parts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(layout))
    hasher.combine(column)
    hasher.combine(condition)
    hasher.combine(count?.value)
  }
}

extension BoundSubquery {
  /// The layout's columns with the derived ones.
  package var rowLayout: ModelLayout { layout.extended(by: derived) }

  /// Whether a value that occurs so often is among the subquery's.
  func isEnough(_ occurrences: Int64) -> Bool {
    guard let count else { return occurrences > 0 }
    guard occurrences > 0 else { return false }
    switch count.comparison {
    case .equal: return occurrences == count.value
    case .notEqual: return occurrences != count.value
    case .less: return occurrences < count.value
    case .lessOrEqual: return occurrences <= count.value
    case .greater: return occurrences > count.value
    case .greaterOrEqual: return occurrences >= count.value
    }
  }

  /// The subquery in the query language.
  func text(of column: String) -> String {
    let found = condition.text(rowLayout)
    guard let count else { return "\(column) IN (\(layout.name) WHERE \(found))" }
    let number = "\(count.comparison.rawValue) \(count.value) times"
    return "\(column) \(number) IN (\(layout.name) WHERE \(found))"
  }
}

extension BoundCondition {
  /// Whether a part of the condition looks at other models.
  var hasSubquery: Bool {
    switch self {
    case .among: true
    case .all(let parts), .any(let parts): parts.contains(where: \.hasSubquery)
    case .not(let part): part.hasSubquery
    default: false
    }
  }
}
