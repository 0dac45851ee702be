/// A checked side of a comparison that is more than one column.
public indirect enum BoundOperand: Sendable, Hashable {
  /// A column of the record.
  case column(Int)
  /// A value, already of the type that the other side has.
  case value(StoredValue)
  /// A number computed of two others.
  case arithmetic(BoundOperand, Condition.ArithmeticOperator, BoundOperand)
}

extension BoundOperand {
  /// Adds the columns that the operand reads.
  func addColumns(to columns: inout Set<Int>) {
    switch self {
    case .column(let column): columns.insert(column)
    case .value: break
    case .arithmetic(let left, _, let right):
      left.addColumns(to: &columns)
      right.addColumns(to: &columns)
    }
  }

  /// The columns and values that the operand is computed of, from left to right.
  package var leaves: [BoundOperand] {
    switch self {
    case .column, .value: [self]
    case .arithmetic(let left, _, let right): left.leaves + right.leaves
    }
  }
}
