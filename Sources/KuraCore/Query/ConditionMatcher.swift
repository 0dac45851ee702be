/// A condition made ready for many rows of one model: no allocation and no look-up per row.
///
/// A matcher belongs to one thread at a time.
package final class ConditionMatcher {
  enum Step {
    case constant(Bool)
    case compareValue(column: Int, Condition.ComparisonOperator, constant: Int)
    case compareColumns(Int, Condition.ComparisonOperator, Int)
    /// The count of sorted constants from one on.
    case oneOf(column: Int, constant: Int, count: Int, orNull: Bool)
    case between(column: Int, lower: Int, upper: Int)
    case textValue(column: Int, Condition.TextOperator, constant: Int)
    case textColumns(Int, Condition.TextOperator, Int)
    /// Operands and folders by position; a negative folder folds nothing.
    case compare(left: Int, Condition.ComparisonOperator, right: Int, folder: Int)
    case contained(operand: Int, constant: Int, count: Int, orNull: Bool, folder: Int)
    case match(left: Int, Condition.TextOperator, right: Int, folder: Int)
    case matches(operand: Int, pattern: Int)
    /// The count of children from one on.
    case all(child: Int, count: Int)
    case any(child: Int, count: Int)
    case not(Int)
  }

  // Pointers, because arrays would be retained and released for each row.
  private let steps: UnsafeMutablePointer<Step>
  private let children: UnsafeMutablePointer<Int>
  private let slots: UnsafeMutablePointer<ColumnSlot>
  private let operands: OperandReader
  /// Owns what ``slots`` borrow.
  private let constants: RowBuffer
  private let root: Int

  /// Prepares a condition.
  package init(_ condition: BoundCondition) {
    var compiler = ConditionCompiler()
    root = compiler.add(condition)
    steps = .allocate(capacity: max(1, compiler.steps.count))
    for (index, step) in compiler.steps.enumerated() { (steps + index).initialize(to: step) }
    children = .allocate(capacity: max(1, compiler.children.count))
    for (index, child) in compiler.children.enumerated() {
      (children + index).initialize(to: child)
    }
    constants = RowBuffer(columns: compiler.constants.count)
    for (index, value) in compiler.constants.enumerated() { constants.setValue(value, at: index) }
    slots = .allocate(capacity: max(1, constants.count))
    for index in 0..<constants.count { (slots + index).initialize(to: constants[index]) }
    operands = OperandReader(compiler.operands, compiler.foldings, compiler.patterns)
  }

  deinit {
    steps.deallocate()
    children.deallocate()
    slots.deallocate()
  }

  /// Whether a row fulfils the condition.
  package func matches(_ row: RowBuffer) -> Bool { matches(root, row) }

  private func matches(_ index: Int, _ row: RowBuffer) -> Bool {
    switch steps[index] {
    case .constant(let value): return value
    case .compareValue(let column, let comparison, let constant):
      let (slot, value) = (row[column], slots[constant])
      guard slot.kind == .integer, value.kind == .integer else {
        return slot.compares(comparison, to: value)
      }
      switch comparison {
      case .equal: return slot.integer == value.integer
      case .notEqual: return slot.integer != value.integer
      case .less: return slot.integer < value.integer
      case .lessOrEqual: return slot.integer <= value.integer
      case .greater: return slot.integer > value.integer
      case .greaterOrEqual: return slot.integer >= value.integer
      }
    case .compareColumns(let left, let comparison, let right):
      return row[left].compares(comparison, to: row[right])
    case .oneOf(let column, let constant, let count, let orNull):
      let slot = row[column]
      return slot.kind == .null ? orNull : isConstant(slot, from: constant, count)
    case .between(let column, let lower, let upper):
      let slot = row[column]
      return slot.compares(.greaterOrEqual, to: slots[lower])
        && slot.compares(.lessOrEqual, to: slots[upper])
    case .textValue(let column, let match, let constant):
      return ConditionMatcher.matches(row[column], match, slots[constant])
    case .textColumns(let left, let match, let right):
      return ConditionMatcher.matches(row[left], match, row[right])
    case .compare(let left, let comparison, let right, let folder):
      let slot = operands.slot(left, row, slots, folder: folder)
      return slot.compares(
        comparison, to: operands.slot(right, row, slots, folder: folder, isSecond: true))
    case .contained(let operand, let constant, let count, let orNull, let folder):
      let slot = operands.slot(operand, row, slots, folder: folder)
      return slot.kind == .null ? orNull : isConstant(slot, from: constant, count)
    case .match(let left, let match, let right, let folder):
      let slot = operands.slot(left, row, slots, folder: folder)
      let other = operands.slot(
        right, row, slots, folder: folder, isSecond: true, isPattern: match == .like)
      return ConditionMatcher.matches(slot, match, other)
    case .matches(let operand, let pattern): return operands.matches(operand, row, slots, pattern)
    case .all(let child, let count):
      for place in child..<child + count where !matches(children[place], row) { return false }
      return true
    case .any(let child, let count):
      for place in child..<child + count where matches(children[place], row) { return true }
      return false
    case .not(let child): return !matches(child, row)
    }
  }

  /// Looks for a value among sorted constants.
  private func isConstant(_ slot: ColumnSlot, from first: Int, _ count: Int) -> Bool {
    var (low, high) = (first, first + count)
    while low < high {
      let middle = low + (high - low) / 2
      let order = slots[middle].order(to: slot)
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
}

extension BoundCondition {
  /// Whether a row fulfils the condition; for many rows make a ``ConditionMatcher`` once.
  package func matches(row: RowBuffer) -> Bool { ConditionMatcher(self).matches(row) }
}
