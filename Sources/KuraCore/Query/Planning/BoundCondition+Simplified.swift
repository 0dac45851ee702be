extension BoundCondition {
  /// The same condition with NOT pushed down to the comparisons, lists flattened, and what is always
  /// or never fulfilled taken out.
  var simplified: BoundCondition { simplified(isNegated: false) }

  /// The parts that must all be fulfilled.
  var conjuncts: [BoundCondition] {
    switch self {
    case .always: []
    case .all(let parts): parts
    default: [self]
    }
  }

  private func simplified(isNegated: Bool) -> BoundCondition {
    switch self {
    case .always: return isNegated ? .never : .always
    case .never: return isNegated ? .always : .never
    case .not(let part): return part.simplified(isNegated: !isNegated)
    case .all(let parts):
      let inner = parts.map { $0.simplified(isNegated: isNegated) }
      return isNegated ? .disjunction(inner) : .conjunction(inner)
    case .any(let parts):
      let inner = parts.map { $0.simplified(isNegated: isNegated) }
      return isNegated ? .conjunction(inner) : .disjunction(inner)
    case .compareValue(let column, let comparison, let value):
      if value.isNull, !comparison.allowsNull { return isNegated ? .always : .never }
      if isNegated, let opposite = comparison.opposite {
        return .compareValue(column: column, opposite, value)
      }
    case .compareColumns(let left, let comparison, let right):
      if isNegated, let opposite = comparison.opposite {
        return .compareColumns(left, opposite, right)
      }
    case .oneOf(_, let values):
      if values.isEmpty { return isNegated ? .always : .never }
    case .between(_, let lower, let upper):
      if lower.isNull || upper.isNull { return isNegated ? .always : .never }
    case .compare(let left, let comparison, let right, let folding):
      if isNegated, let opposite = comparison.opposite {
        return .compare(left, opposite, right, folding)
      }
    case .textValue, .textColumns, .contained, .match, .matches, .among: break
    }
    return isNegated ? .not(self) : self
  }
}

extension Condition.ComparisonOperator {
  /// Whether a comparison with null can be true.
  fileprivate var allowsNull: Bool { self == .equal || self == .notEqual }

  /// The operator that is true exactly when this one is not, also for null.
  fileprivate var opposite: Self? {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less, .lessOrEqual, .greater, .greaterOrEqual: nil
    }
  }
}
