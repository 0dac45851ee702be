import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PlainEvaluator {
  /// The value of a side of a comparison.
  func value(
    _ operand: BoundOperand, _ row: [StoredValue], _ folding: TextComparison = [],
    isPattern: Bool = false
  ) -> StoredValue {
    switch operand {
    case .column(let column): row[column].folded(folding, isPattern: isPattern)
    case .value(let value): value.folded(folding, isPattern: isPattern)
    case .arithmetic(let left, let operation, let right):
      compute(value(left, row), operation, value(right, row))
    }
  }

  /// Whether a text fits a pattern of MATCHES, which has tests of its own.
  func fits(_ value: StoredValue, _ pattern: String, _ folding: TextComparison) -> Bool {
    guard case .text(var text) = value, let pattern = try? TextPattern(pattern, folding) else {
      return false
    }
    return text.withUTF8 { pattern.matches(UnsafeRawBufferPointer($0)) }
  }

  /// Arithmetic in wider numbers, looking at the result.
  func compute(
    _ left: StoredValue, _ operation: Condition.ArithmeticOperator, _ right: StoredValue
  ) -> StoredValue {
    switch (left, right) {
    case (.integer(let one), .integer(let two)):
      let wide = apply(operation, Int128(one), Int128(two), divide: /)
      return wide.flatMap { Int64(exactly: $0) }.map { .integer($0) } ?? .null
    case (.integer, .double), (.double, .integer), (.double, .double):
      func double(_ value: StoredValue) -> Double {
        switch value {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        default: .nan
        }
      }
      guard let value = apply(operation, double(left), double(right), divide: /) else {
        return .null
      }
      return value.isNaN ? .null : .double(value)
    case (.integer, .decimal), (.decimal, .integer), (.decimal, .decimal):
      func decimal(_ value: StoredValue) -> Decimal {
        switch value {
        case .integer(let integer): Decimal(integer)
        case .decimal(let decimal): decimal
        default: .nan
        }
      }
      guard let value = apply(operation, decimal(left), decimal(right), divide: /) else {
        return .null
      }
      return value.isNaN ? .null : .decimal(value)
    default: return .null
    }
  }

  /// The result of an operation; `nil` for a division by zero.
  private func apply<Number: Numeric>(
    _ operation: Condition.ArithmeticOperator, _ left: Number, _ right: Number,
    divide: (Number, Number) -> Number
  ) -> Number? {
    switch operation {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: right == .zero ? nil : divide(left, right)
    }
  }
}
