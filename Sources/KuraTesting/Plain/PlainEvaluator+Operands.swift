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
      let (a, b) = (Int128(one), Int128(two))
      let wide: Int128
      switch operation {
      case .add: wide = a + b
      case .subtract: wide = a - b
      case .multiply: wide = a * b
      case .divide:
        guard b != 0 else { return .null }
        wide = a / b
      }
      return Int64(exactly: wide).map { .integer($0) } ?? .null
    case (.integer, .double), (.double, .integer), (.double, .double):
      func double(_ value: StoredValue) -> Double {
        switch value {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        default: .nan
        }
      }
      let (a, b) = (double(left), double(right))
      if operation == .divide, b == 0 { return .null }
      let value =
        switch operation {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
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
      let (a, b) = (decimal(left), decimal(right))
      if operation == .divide, b == 0 { return .null }
      let value =
        switch operation {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
      return value.isNaN ? .null : .decimal(value)
    default: return .null
    }
  }
}
