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
  /// How often a value must occur; `nil` for once or more.
  public var count: (comparison: Condition.ComparisonOperator, value: Int64)?

  /// Makes a subquery.
  public init(
    _ layout: ModelLayout, column: Int, where condition: BoundCondition,
    count: (comparison: Condition.ComparisonOperator, value: Int64)? = nil
  ) {
    self.layout = layout
    self.column = column
    self.condition = condition
    self.count = count
  }
}

extension BoundSubquery: Hashable {
  /// Whether models, columns, conditions and counts are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.layout === right.layout && left.column == right.column
      && left.condition == right.condition && left.count?.comparison == right.count?.comparison
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

extension BoundQuery {
  /// The query with the values of its subqueries in the place of these, for backends that execute
  /// one model at a time.
  ///
  /// - Parameter cursor: Begins to walk over the records of a query.
  /// - Throws: What walking throws.
  package func resolved(
    _ cursor: (BoundQuery) throws(StoreError) -> any RecordCursor
  ) throws(StoreError) -> BoundQuery {
    guard condition.hasSubquery else { return self }
    var copy = self
    copy.condition = try condition.resolved(cursor)
    return copy
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

  fileprivate func resolved(
    _ cursor: (BoundQuery) throws(StoreError) -> any RecordCursor
  ) throws(StoreError) -> BoundCondition {
    switch self {
    case .among(let column, let subquery):
      let values = try subquery.values(cursor)
      return values.isEmpty ? .never : .oneOf(column: column, values)
    case .all(let parts):
      return .conjunction(try BoundCondition.resolved(parts, cursor))
    case .any(let parts):
      return .disjunction(try BoundCondition.resolved(parts, cursor))
    case .not(let part): return .negation(try part.resolved(cursor))
    default: return self
    }
  }

  private static func resolved(
    _ parts: [BoundCondition], _ cursor: (BoundQuery) throws(StoreError) -> any RecordCursor
  ) throws(StoreError) -> [BoundCondition] {
    var resolved: [BoundCondition] = []
    for part in parts { resolved.append(try part.resolved(cursor)) }
    return resolved
  }
}

extension BoundSubquery {
  /// The values, each once.
  fileprivate func values(
    _ cursor: (BoundQuery) throws(StoreError) -> any RecordCursor
  ) throws(StoreError) -> [StoredValue] {
    var order = [BoundSortTerm(column: column)]
    for key in layout.keyColumns where key != column { order.append(BoundSortTerm(column: key)) }
    let query = try BoundQuery(
      layout: layout, condition: condition, order: order, columns: [column]
    ).resolved(cursor)
    let walk = try cursor(query)
    defer { walk.close() }
    let row = RowBuffer(columns: 1)
    var values: [StoredValue] = []
    var (last, occurrences) = (StoredValue.null, Int64(0))
    func take() {
      if !last.isNull, isEnough(occurrences) { values.append(last) }
    }
    while try walk.next(into: row) {
      let value = row.value(at: 0)
      if value == last {
        occurrences += 1
      } else {
        take()
        (last, occurrences) = (value, 1)
      }
    }
    take()
    return values
  }

  private func isEnough(_ occurrences: Int64) -> Bool {
    guard let count else { return true }
    switch count.comparison {
    case .equal: return occurrences == count.value
    case .notEqual: return occurrences != count.value
    case .less: return occurrences < count.value
    case .lessOrEqual: return occurrences <= count.value
    case .greater: return occurrences > count.value
    case .greaterOrEqual: return occurrences >= count.value
    }
  }
}
