package import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Queries over arrays of values, written down from the definitions without any cleverness.
package struct PlainEvaluator: Sendable {
  package let layout: ModelLayout
  package let rows: [[StoredValue]]

  /// Makes an evaluator over the rows of a model, all columns.
  package init(layout: ModelLayout, rows: [[StoredValue]]) {
    self.layout = layout
    self.rows = rows
  }

  /// The rows of a query in its order, all columns.
  package func rows(_ query: BoundQuery) -> [[StoredValue]] {
    let keyOrder = layout.keyColumns.map { BoundSortTerm(column: $0) }
    var found = rows.filter { holds(query.condition, $0) }
      .sorted { isBefore($0, $1, keyOrder) }
    if let distinct = query.distinct {
      var kept: [[StoredValue]] = []
      for row in found
      where !kept.contains(where: { other in
        distinct.allSatisfy { compare(row[$0], other[$0]) == 0 }
      }) {
        kept.append(row)
      }
      found = kept
    }
    found.sort { isBefore($0, $1, query.order + keyOrder) }
    return Array(found.dropFirst(query.offset).prefix(query.limit ?? .max))
  }

  package func isBefore(_ left: [StoredValue], _ right: [StoredValue], _ terms: [BoundSortTerm])
    -> Bool
  {
    for term in terms {
      let order = compare(left[term.column], right[term.column])
      if order != 0 { return (order < 0) != term.isDescending }
    }
    return false
  }

  /// The order of values, in which an integer and a double of the same number are equal.
  package func compare(_ left: StoredValue, _ right: StoredValue) -> Int {
    switch (left, right) {
    case (.integer(let integer), .double(let double)), (.double(let double), .integer(let integer)):
      if Int64(exactly: double) == integer { return 0 }
    default: break
    }
    return left.precedes(right) ? -1 : right.precedes(left) ? 1 : 0
  }

  package func holds(_ condition: BoundCondition, _ row: [StoredValue]) -> Bool {
    switch condition {
    case .always: true
    case .never: false
    case .compareValue(let column, let comparison, let value):
      holds(row[column], comparison, value)
    case .compareColumns(let left, let comparison, let right):
      holds(row[left], comparison, row[right])
    case .oneOf(let column, let values): values.contains { holds(row[column], .equal, $0) }
    case .between(let column, let lower, let upper):
      holds(row[column], .greaterOrEqual, lower) && holds(row[column], .lessOrEqual, upper)
    case .textValue(let column, let match, let value): holds(row[column], match, value)
    case .textColumns(let left, let match, let right): holds(row[left], match, row[right])
    case .compare(let left, let comparison, let right, let folding):
      holds(value(left, row, folding), comparison, value(right, row, folding))
    case .contained(let operand, let values, let folding):
      values.contains { holds(value(operand, row, folding), .equal, $0.folded(folding)) }
    case .match(let left, let match, let right, let folding):
      holds(
        value(left, row, folding), match, value(right, row, folding, isPattern: match == .like))
    case .among: false  // of one model alone; PlainStore follows references
    case .matches(let operand, let pattern, let folding):
      fits(value(operand, row), pattern, folding)
    case .all(let parts): parts.allSatisfy { holds($0, row) }
    case .any(let parts): parts.contains { holds($0, row) }
    case .not(let part): !holds(part, row)
    }
  }

  func holds(
    _ left: StoredValue, _ comparison: Condition.ComparisonOperator, _ right: StoredValue
  ) -> Bool {
    if left.isNull || right.isNull {
      switch comparison {
      case .equal: return left.isNull && right.isNull
      case .notEqual: return left.isNull != right.isNull
      default: return false
      }
    }
    let order = compare(left, right)
    switch comparison {
    case .equal: return order == 0
    case .notEqual: return order != 0
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    case .greaterOrEqual: return order >= 0
    }
  }

  func holds(
    _ left: StoredValue, _ match: Condition.TextOperator, _ right: StoredValue
  ) -> Bool {
    let (text, other): ([UInt8], [UInt8])
    switch (left, right) {
    case (.text(let one), .text(let two)): (text, other) = (Array(one.utf8), Array(two.utf8))
    case (.data(let one), .data(let two)): (text, other) = (one, two)
    default: return false
    }
    switch match {
    case .beginsWith: return text.starts(with: other)
    case .endsWith: return text.reversed().starts(with: other.reversed())
    case .contains:
      return (0...text.count).contains { text[$0...].starts(with: other) }
    case .like:
      guard case .text(let one) = left, case .text(let two) = right else {
        // The binder refuses patterns for data; what they would mean is not defined elsewhere.
        return text.withUnsafeBytes { text in
          other.withUnsafeBytes { TextMatching.like(text, pattern: $0) }
        }
      }
      return fits(Array(one.unicodeScalars)[...], Array(two.unicodeScalars)[...])
    }
  }

  private func fits(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>)
    -> Bool
  {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*":
      return fits(text, rest) || (!text.isEmpty && fits(text.dropFirst(), pattern))
    case "?": return !text.isEmpty && fits(text.dropFirst(), rest)
    case "\\" where !rest.isEmpty:
      return text.first == rest.first && fits(text.dropFirst(), rest.dropFirst())
    default: return text.first == first && fits(text.dropFirst(), rest)
    }
  }

  // MARK: Aggregates

  /// The result of a function; `nil` when it is an error.
  package func aggregate(_ function: AggregateRequest.Function, over rows: [[StoredValue]])
    -> StoredValue?
  {
    func values(_ column: Int) -> [StoredValue] { rows.map { $0[column] }.filter { !$0.isNull } }
    switch function {
    case .count: return .integer(Int64(rows.count))
    case .minimum(let column):
      return values(column).min { compare($0, $1) < 0 } ?? .null
    case .maximum(let column):
      return values(column).max { compare($0, $1) < 0 } ?? .null
    case .sum(let column): return sum(values(column), layout.columns[column].type)
    case .average(let column):
      let numbers = values(column).filter { value in
        switch value {
        case .integer, .double, .decimal: true
        default: false
        }
      }
      guard !numbers.isEmpty else { return .null }
      let total = numbers.reduce(0.0) { sum, value in
        switch value {
        case .integer(let integer): sum + Double(integer)
        case .double(let double): sum + double
        case .decimal(let decimal): sum + (Double(decimal.description) ?? .nan)
        default: sum
        }
      }
      return total.isNaN ? .null : .double(total / Double(numbers.count))
    }
  }

  private func sum(_ values: [StoredValue], _ type: ValueType) -> StoredValue? {
    var integers: Int128 = 0
    var doubles = 0.0
    var decimals = Decimal(0)
    var hasDoubles = type == .double
    for value in values {
      switch value {
      case .integer(let integer): integers += Int128(integer)
      case .double(let double):
        hasDoubles = true
        doubles += double
      case .decimal(let decimal): decimals += decimal
      default: break
      }
    }
    if type == .decimal { return .decimal(decimals) }
    if hasDoubles {
      let total = doubles + Double(integers)
      return total.isNaN ? .null : .double(total)
    }
    return Int64(exactly: integers).map { .integer($0) }
  }
}
