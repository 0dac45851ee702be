package import Kura

extension GeneratedStore {
  /// A random query with all that a query can have.
  package func query(_ random: inout RepeatableGenerator) -> BoundQuery {
    let layout = layout
    var query = BoundQuery(layout: layout, condition: condition(layout, &random))
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let term = BoundSortTerm(
        column: Int.random(in: layout.columns.indices, using: &random),
        isDescending: Bool.random(using: &random))
      if !query.order.contains(where: { $0.column == term.column }) { query.order.append(term) }
    }
    for column in layout.keyColumns where !query.order.contains(where: { $0.column == column }) {
      query.order.append(BoundSortTerm(column: column))
    }
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
      query.columns = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        Int.random(in: layout.columns.indices, using: &random)
      }
    }
    return query
  }

  /// Functions over random columns, of which sums and averages are only asked of numbers.
  package func functions(_ random: inout RepeatableGenerator) -> [AggregateRequest.Function] {
    let properties = finalModel.properties
    let column = Int.random(in: properties.indices, using: &random)
    let functions: [AggregateRequest.Function] = [
      .count, .minimum(column: column), .maximum(column: column),
    ]
    let numbers: [ValueType] = [.integer, .double, .decimal, .any]
    guard numbers.contains(properties[column].type) else { return functions }
    return functions + [.sum(column: column), .average(column: column)]
  }

  private func condition(_ layout: ModelLayout, _ random: inout RepeatableGenerator)
    -> BoundCondition
  {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .always
    case 1, 2: return RandomCondition.make(layout, depth: 3, &random)
    default:
      // What indexes are made for.
      let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in leaf(layout, &random) }
      let joined = Int.random(in: 0..<3, using: &random) == 0
      let condition = joined ? BoundCondition.any(parts) : .all(parts)
      guard Int.random(in: 0..<5, using: &random) == 0 else { return condition }
      return .all([condition, RandomCondition.make(layout, depth: 1, &random)])
    }
  }

  /// A comparison of an indexed column, mostly with a value that a record has.
  private func leaf(_ layout: ModelLayout, _ random: inout RepeatableGenerator) -> BoundCondition {
    let model = finalModel
    let indexed =
      layout.keyColumns
      + model.indexes.flatMap(\.properties).compactMap { layout.index(of: $0) }
    let column = indexed.randomElement(using: &random) ?? 0
    func value() -> StoredValue {
      if let row = samples.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0
      {
        return row[column]
      }
      return GeneratedStore.value(of: model.properties[column], isLong: hasLongValues, &random)
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2: return .compareValue(column: column, .equal, value())
    case 3:
      let comparison = Condition.ComparisonOperator.allCases.randomElement(using: &random) ?? .less
      return .compareValue(column: column, comparison, value())
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
