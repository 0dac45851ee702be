extension QueryBinder {
  func bindComparison(
    _ left: Condition.Operand, _ comparison: Condition.ComparisonOperator,
    _ right: Condition.Operand, _ folding: TextComparison = []
  ) throws(StoreError) -> BoundCondition {
    let (left, right) = (try reduced(left), try reduced(right))
    guard folding.isEmpty, !left.isComputed, !right.isComputed else {
      return try bindGeneral(left, comparison, right, folding)
    }
    switch (left, right) {
    case (.property(let path), .value(let value)):
      return try bindValue(path, comparison, value)
    case (.value(let value), .property(let path)):
      return try bindValue(path, comparison.flipped, value)
    case (.property(let first), .property(let second)):
      let (one, other) = (try column(first), try column(second))
      let types = (described(one).type, described(other).type)
      guard !layout.isKuraModel || types.0.isComparable(with: types.1) else {
        throw error(
          "\"\(described(one).name)\" (\(types.0.rawValue)) cannot be compared with "
            + "\"\(described(other).name)\" (\(types.1.rawValue))", first)
      }
      return .compareColumns(one, comparison, other)
    case (.value(let first), .value(let second)):
      let isComparable =
        first.isNull || second.isNull || first.typeName == second.typeName
        || (first.isNumber && second.isNumber)
      guard isComparable else {
        throw StoreError(
          .invalidQuery,
          "a value of type \(first.typeName) cannot be compared with one of type \(second.typeName)"
        )
      }
      return QueryBinder.holds(first, comparison, second) ? .always : .never
    default: return try bindGeneral(left, comparison, right, folding)
    }
  }

  private func bindValue(
    _ path: PropertyPath, _ comparison: Condition.ComparisonOperator, _ value: StoredValue
  ) throws(StoreError) -> BoundCondition {
    let index = try column(path)
    if value.isNull {
      switch comparison {
      case .equal: return isNeverNull(index) ? .never : .compareValue(column: index, .equal, .null)
      case .notEqual:
        return isNeverNull(index) ? .always : .compareValue(column: index, .notEqual, .null)
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return .never
      }
    }
    switch try literal(value, for: index, path) {
    case .exact(let fitting): return .compareValue(column: index, comparison, fitting)
    case .between(let below, let above):
      // No value of the column's type equals the literal: compare with its neighbours.
      switch comparison {
      case .equal: return .never
      case .notEqual: return .always
      case .less, .lessOrEqual:
        return below.map { .compareValue(column: index, .lessOrEqual, $0) } ?? .never
      case .greater, .greaterOrEqual:
        return above.map { .compareValue(column: index, .greaterOrEqual, $0) } ?? .never
      }
    }
  }

  func bindList(
    _ operand: Condition.Operand, _ values: [StoredValue], _ folding: TextComparison
  ) throws(StoreError) -> BoundCondition {
    let operand = try reduced(operand)
    if !folding.isEmpty || operand.isComputed {
      return try bindGeneralList(operand, values, folding)
    }
    guard case .property(let path) = operand else {
      var parts: [BoundCondition] = []
      for value in values { parts.append(try bindComparison(operand, .equal, .value(value))) }
      return .disjunction(parts)
    }
    let index = try column(path)
    var fitting: [StoredValue] = []
    var seen: Set<StoredValue> = []
    for value in values {
      if value.isNull {
        if !isNeverNull(index), seen.insert(.null).inserted { fitting.append(.null) }
      } else if case .exact(let exact) = try literal(value, for: index, path),
        seen.insert(exact).inserted
      {
        fitting.append(exact)
      }
    }
    switch fitting.count {
    case 0: return .never
    case 1: return .compareValue(column: index, .equal, fitting[0])
    default: return .oneOf(column: index, fitting)
    }
  }

  func bindText(
    _ left: Condition.Operand, _ match: Condition.TextOperator, _ right: Condition.Operand,
    _ folding: TextComparison
  ) throws(StoreError) -> BoundCondition {
    guard case .property(let path) = left else {
      throw error(
        "the left side of \(match.rawValue) must be a property", left.firstPath ?? right.firstPath,
        suggestion: "write property \(match.rawValue) 'text'")
    }
    let index = try column(path)
    try checkTextColumn(index, match, path)
    if !folding.isEmpty { try checkFolding(index, folding, path) }
    switch right {
    case .arithmetic, .count, .listNumber, .groupNumber:
      throw error("the right side of \(match.rawValue) must be a text", path)
    case .property(let second):
      let other = try column(second)
      try checkTextColumn(other, match, second)
      guard folding.isEmpty else {
        try checkFolding(other, folding, second)
        return .match(.column(index), match, .column(other), folding)
      }
      return .textColumns(index, match, other)
    case .value(let value):
      let isData = layout.isKuraModel && described(index).type == .data
      switch value {
      case .null: return .never
      case .data where match != .like && folding.isEmpty && (isData || accepts(.data, index)): break
      case .text(let text) where !isData:
        if match == .like, TextMatching.endsInsideEscape(text) {
          throw error(
            "the pattern of LIKE ends with a backslash that escapes nothing", path,
            suggestion: "write \\\\ in the pattern for a backslash")
        }
      default:
        throw error(
          "\(match.rawValue) on \"\(described(index).name)\" needs "
            + "\(isData ? "data" : "text") on its right side and got \(value.typeName)", path)
      }
      guard folding.isEmpty else {
        let folded = value.folded(folding, isPattern: match == .like)
        return .match(.column(index), match, .value(folded), folding)
      }
      return .textValue(column: index, match, value)
    }
  }

  func bindPattern(
    _ operand: Condition.Operand, _ pattern: String, _ folding: TextComparison
  ) throws(StoreError) -> BoundCondition {
    guard case .property(let path) = operand else {
      throw error("the left side of MATCHES must be a property", operand.firstPath)
    }
    let index = try column(path)
    if layout.isKuraModel {
      let column = described(index)
      switch column.type {
      case .text, .json, .any: break
      default:
        throw error(
          "MATCHES works on text, and \"\(column.name)\" is \(column.type.rawValue)", path)
      }
    }
    do throws(StoreError) {
      _ = try TextPattern(pattern, folding)
    } catch let failure {
      throw error(failure.message, path, suggestion: failure.suggestion)
    }
    return .matches(.column(index), pattern, folding)
  }

  private func checkTextColumn(
    _ index: Int, _ match: Condition.TextOperator, _ path: PropertyPath
  ) throws(StoreError) {
    guard layout.isKuraModel else { return }
    let column = described(index)
    switch column.type {
    case .text, .json, .any: return
    case .data where match != .like: return
    default:
      throw error(
        "\(match.rawValue) works on text, and \"\(column.name)\" is \(column.type.rawValue)", path)
    }
  }

  /// Whether values of a type are taken as they are by a column that promises nothing.
  private func accepts(_ type: ValueType, _ index: Int) -> Bool {
    !layout.isKuraModel || described(index).type == .any
  }

  /// Whether a column certainly holds no null; foreign files promise nothing.
  private func isNeverNull(_ index: Int) -> Bool {
    layout.isKuraModel && !described(index).isOptional
  }

  /// Whether a comparison of two values holds.
  static func holds(
    _ left: StoredValue, _ comparison: Condition.ComparisonOperator, _ right: StoredValue
  ) -> Bool {
    let row = RowBuffer(columns: 2)
    row.setValue(left, at: 0)
    row.setValue(right, at: 1)
    return row[0].compares(comparison, to: row[1])
  }
}

extension Condition.ComparisonOperator {
  /// The operator that means the same with the sides exchanged.
  var flipped: Self {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

extension StoredValue {
  var isNumber: Bool {
    switch self {
    case .integer, .double: true
    default: false
    }
  }
}

extension ValueType {
  /// Whether values of the two types have an order that means something.
  func isComparable(with other: ValueType) -> Bool {
    if self == other || self == .any || other == .any { return true }
    switch (self, other) {
    case (.integer, .double), (.double, .integer), (.text, .json), (.json, .text): return true
    default: return false
    }
  }
}
