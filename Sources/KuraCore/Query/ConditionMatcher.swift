/// A condition made ready for many rows of one model: no allocation and no look-up per row.
///
/// A matcher belongs to one thread at a time.
package final class ConditionMatcher {
  private enum Step {
    case constant(Bool)
    case compareValue(column: Int, Condition.ComparisonOperator, constant: Int)
    case compareColumns(Int, Condition.ComparisonOperator, Int)
    case oneOf(column: Int, constants: Range<Int>, orNull: Bool)
    case between(column: Int, lower: Int, upper: Int)
    case textValue(column: Int, Condition.TextOperator, constant: Int)
    case textColumns(Int, Condition.TextOperator, Int)
    case all(Range<Int>)
    case any(Range<Int>)
    case not(Int)
  }

  private var steps: [Step] = []
  private var children: [Int] = []
  private let constants: RowBuffer
  private let root: Int

  /// Prepares a condition.
  package init(_ condition: BoundCondition) {
    var compiler = Compiler()
    root = compiler.add(condition)
    steps = compiler.steps
    children = compiler.children
    constants = RowBuffer(columns: compiler.constants.count)
    for (index, value) in compiler.constants.enumerated() { constants.setValue(value, at: index) }
  }

  /// Whether a row fulfils the condition.
  package func matches(_ row: RowBuffer) -> Bool { matches(root, row) }

  private func matches(_ index: Int, _ row: RowBuffer) -> Bool {
    switch steps[index] {
    case .constant(let value): return value
    case .compareValue(let column, let comparison, let constant):
      return row[column].compares(comparison, to: constants[constant])
    case .compareColumns(let left, let comparison, let right):
      return row[left].compares(comparison, to: row[right])
    case .oneOf(let column, let range, let orNull):
      let slot = row[column]
      return slot.kind == .null ? orNull : isConstant(slot, in: range)
    case .between(let column, let lower, let upper):
      let slot = row[column]
      return slot.compares(.greaterOrEqual, to: constants[lower])
        && slot.compares(.lessOrEqual, to: constants[upper])
    case .textValue(let column, let match, let constant):
      return ConditionMatcher.matches(row[column], match, constants[constant])
    case .textColumns(let left, let match, let right):
      return ConditionMatcher.matches(row[left], match, row[right])
    case .all(let range):
      for child in range where !matches(children[child], row) { return false }
      return true
    case .any(let range):
      for child in range where matches(children[child], row) { return true }
      return false
    case .not(let child): return !matches(child, row)
    }
  }

  /// Looks for a value among sorted constants.
  private func isConstant(_ slot: ColumnSlot, in range: Range<Int>) -> Bool {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      let order = constants[middle].order(to: slot)
      if order == 0 { return true }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return false
  }

  /// Texts match texts and data matches data.
  private static func matches(
    _ slot: ColumnSlot, _ match: Condition.TextOperator, _ other: ColumnSlot
  ) -> Bool {
    let isText = slot.kind == .text || slot.kind == .malformedText
    let isOtherText = other.kind == .text || other.kind == .malformedText
    let isData = slot.kind == .data && other.kind == .data
    guard (isText && isOtherText) || isData else { return false }
    return TextMatching.matches(slot.bytes, match, other.bytes)
  }

  private struct Compiler {
    var steps: [Step] = []
    var children: [Int] = []
    var constants: [StoredValue] = []

    mutating func constant(_ value: StoredValue) -> Int {
      constants.append(value)
      return constants.count - 1
    }

    mutating func add(_ condition: BoundCondition) -> Int {
      let step: Step
      switch condition {
      case .always: step = .constant(true)
      case .never: step = .constant(false)
      case .compareValue(let column, let comparison, let value):
        step = .compareValue(column: column, comparison, constant: constant(value))
      case .compareColumns(let left, let comparison, let right):
        step = .compareColumns(left, comparison, right)
      case .oneOf(let column, let values):
        let start = constants.count
        constants += values.filter { !$0.isNull }.sorted { $0.precedes($1) }
        step = .oneOf(
          column: column, constants: start..<constants.count,
          orNull: values.contains { $0.isNull })
      case .between(let column, let lower, let upper):
        step = .between(column: column, lower: constant(lower), upper: constant(upper))
      case .textValue(let column, let match, let value):
        step = .textValue(column: column, match, constant: constant(value))
      case .textColumns(let left, let match, let right): step = .textColumns(left, match, right)
      case .all(let parts): step = .all(list(parts))
      case .any(let parts): step = .any(list(parts))
      case .not(let part): step = .not(add(part))
      }
      steps.append(step)
      return steps.count - 1
    }

    private mutating func list(_ parts: [BoundCondition]) -> Range<Int> {
      let added = parts.map { add($0) }
      children += added
      return (children.count - added.count)..<children.count
    }
  }
}

extension BoundCondition {
  /// Whether a row fulfils the condition; for many rows make a ``ConditionMatcher`` once.
  package func matches(row: RowBuffer) -> Bool { ConditionMatcher(self).matches(row) }
}
