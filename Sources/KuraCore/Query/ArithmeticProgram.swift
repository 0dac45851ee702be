#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A number on its way through an ``ArithmeticProgram``.
package enum ArithmeticNumber {
  /// There is no value.
  case none
  case integer(Int64)
  case double(Double)
  case decimal(Decimal)
}

/// Arithmetic as steps on a stack: one form for every backend, so that all compute alike.
///
/// A step is one character: `n` takes the next operand, `d` the next one, which is a decimal, and an
/// operator takes two numbers and gives one.
package struct ArithmeticProgram: Sendable {
  /// The most operands of a program; SQLite takes no more than 127 arguments.
  package static let maximumOperandCount = 100

  /// The steps.
  package let steps: [UInt8]

  /// The steps of an operand, whose ``BoundOperand/leaves`` are the operands.
  package init(_ operand: BoundOperand, _ layout: ModelLayout) {
    var steps: [UInt8] = []
    func add(_ operand: BoundOperand) {
      switch operand {
      case .column(let column):
        let isDecimal =
          layout.columns.indices.contains(column) && layout.isKuraModel
          && layout.columns[column].type == .decimal
        steps.append(isDecimal ? UInt8(ascii: "d") : UInt8(ascii: "n"))
      case .value(.decimal): steps.append(UInt8(ascii: "d"))
      case .value: steps.append(UInt8(ascii: "n"))
      case .arithmetic(let left, let operation, let right):
        add(left)
        add(right)
        steps += Array(operation.rawValue.utf8)
      }
    }
    add(operand)
    self.steps = steps
  }
}

extension Condition.ArithmeticOperator {
  /// The operator of a program's step.
  @inlinable
  package init?(step: UInt8) {
    switch step {
    case UInt8(ascii: "+"): self = .add
    case UInt8(ascii: "-"): self = .subtract
    case UInt8(ascii: "*"): self = .multiply
    case UInt8(ascii: "/"): self = .divide
    default: return nil
    }
  }
}

extension ArithmeticNumber {
  /// Runs steps over a stack that has room for all operands.
  ///
  /// - Parameter operand: Gives the operand of a position; the flag says whether it is a decimal.
  package static func run(
    _ steps: UnsafeBufferPointer<UInt8>, on stack: UnsafeMutableBufferPointer<ArithmeticNumber>,
    operand: (Int, Bool) -> ArithmeticNumber
  ) -> ArithmeticNumber {
    var top = 0
    var position = 0
    for step in steps {
      if let operation = Condition.ArithmeticOperator(step: step) {
        guard top >= 2 else { return .none }
        top -= 1
        stack[top - 1] = stack[top - 1].combined(operation, stack[top])
      } else {
        guard top < stack.count else { return .none }
        stack[top] = operand(position, step == UInt8(ascii: "d"))
        top += 1
        position += 1
      }
    }
    return top == 1 ? stack[0] : .none
  }

  /// The result of an operation; none where there is no exact or no finite one that means something.
  package func combined(_ operation: Condition.ArithmeticOperator, _ other: ArithmeticNumber)
    -> ArithmeticNumber
  {
    switch (self, other) {
    case (.integer(let left), .integer(let right)):
      return ArithmeticNumber.integers(left, operation, right)
    case (.integer(let left), .double(let right)):
      return ArithmeticNumber.doubles(Double(left), operation, right)
    case (.double(let left), .integer(let right)):
      return ArithmeticNumber.doubles(left, operation, Double(right))
    case (.double(let left), .double(let right)):
      return ArithmeticNumber.doubles(left, operation, right)
    case (.decimal(let left), .decimal(let right)):
      return ArithmeticNumber.decimals(left, operation, right)
    case (.decimal(let left), .integer(let right)):
      return ArithmeticNumber.decimals(left, operation, Decimal(right))
    case (.integer(let left), .decimal(let right)):
      return ArithmeticNumber.decimals(Decimal(left), operation, right)
    case (.none, _), (_, .none), (.decimal, .double), (.double, .decimal): return .none
    }
  }

  private static func integers(
    _ left: Int64, _ operation: Condition.ArithmeticOperator, _ right: Int64
  ) -> ArithmeticNumber {
    let (value, overflow) =
      switch operation {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      // Reports a division by zero as well.
      case .divide: left.dividedReportingOverflow(by: right)
      }
    return overflow ? .none : .integer(value)
  }

  private static func doubles(
    _ left: Double, _ operation: Condition.ArithmeticOperator, _ right: Double
  ) -> ArithmeticNumber {
    let value: Double
    switch operation {
    case .add: value = left + right
    case .subtract: value = left - right
    case .multiply: value = left * right
    case .divide:
      guard right != 0 else { return .none }
      value = left / right
    }
    return value.isNaN ? .none : .double(value)
  }

  private static func decimals(
    _ left: Decimal, _ operation: Condition.ArithmeticOperator, _ right: Decimal
  ) -> ArithmeticNumber {
    let value: Decimal
    switch operation {
    case .add: value = left + right
    case .subtract: value = left - right
    case .multiply: value = left * right
    case .divide:
      guard right != 0 else { return .none }
      value = left / right
    }
    return value.isNaN ? .none : .decimal(value)
  }
}

extension ColumnSlot {
  /// The number of a slot; none for what is no number.
  package var arithmeticNumber: ArithmeticNumber {
    switch kind {
    case .integer: .integer(integer)
    case .double: double.isNaN ? .none : .double(double)
    case .decimal: Decimal(sortableText: bytes).map { .decimal($0) } ?? .none
    case .null, .bool, .date, .text, .malformedText, .data, .uuid, .objectID: .none
    }
  }
}
