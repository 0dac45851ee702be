extension QueryParser {
  /// The most operators of arithmetic in one operand.
  static let maximumOperationCount = ArithmeticProgram.maximumOperandCount - 1

  /// A property, a value, or arithmetic of them.
  mutating func parseOperand() throws(StoreError) -> Condition.Operand {
    try parseArithmetic(after: try parseFactor())
  }

  /// The rest of arithmetic that begins with a factor.
  mutating func parseArithmetic(after first: Condition.Operand) throws(StoreError)
    -> Condition.Operand
  {
    var sum = try parseProduct(after: first)
    while true {
      let start = current.range.lowerBound
      if isNegativeNumber {
        // `a -1` is a difference, whatever the lexer takes the sign for.
        sum = try combined(sum, .add, try parseProduct(after: try parseFactor()), start)
        continue
      }
      let operation: Condition.ArithmeticOperator
      if try take(.plus) {
        operation = .add
      } else if try take(.minus) {
        operation = .subtract
      } else {
        return sum
      }
      sum = try combined(sum, operation, try parseProduct(after: try parseFactor()), start)
    }
  }

  private mutating func parseProduct(after first: Condition.Operand) throws(StoreError)
    -> Condition.Operand
  {
    var product = first
    while true {
      let start = current.range.lowerBound
      let operation: Condition.ArithmeticOperator
      if try take(.times) {
        operation = .multiply
      } else if try take(.dividedBy) {
        operation = .divide
      } else {
        return product
      }
      product = try combined(product, operation, try parseFactor(), start)
    }
  }

  private mutating func combined(
    _ left: Condition.Operand, _ operation: Condition.ArithmeticOperator,
    _ right: Condition.Operand, _ start: Int
  ) throws(StoreError) -> Condition.Operand {
    // A chain is as deep as it is long.
    guard left.operationCount + right.operationCount < QueryParser.maximumOperationCount else {
      throw source.error(
        "one side of a comparison has more than \(QueryParser.maximumOperationCount) operators",
        at: start)
    }
    return .arithmetic(left, operation, right)
  }

  /// A value, a property or what is in parentheses, with signs before it.
  private mutating func parseFactor() throws(StoreError) -> Condition.Operand {
    let start = current.range.lowerBound
    var isNegative = false
    var signs = 0
    while current.isSign(.minus) || current.isSign(.plus) {
      if current.isSign(.minus) { isNegative.toggle() }
      signs += 1
      guard signs < QueryParser.maximumOperationCount else {
        throw source.error("there are too many signs before a number", at: start)
      }
      try advance()
    }
    let operand: Condition.Operand
    if current.isSign(.open) {
      operand = try nested { parser throws(StoreError) in try parser.parseOperand() }
    } else if let value = try takeLiteral() {
      operand = .value(value)
    } else {
      operand = try parseNamedOperand()
    }
    return isNegative ? try combined(.value(.integer(0)), .subtract, operand, start) : operand
  }

  /// Whether the current token is a number that begins with a minus sign.
  private var isNegativeNumber: Bool {
    guard case .value(let value) = current.kind, value.isNumber else { return false }
    return source.bytes[current.range].first == UInt8(ascii: "-")
  }

  mutating func takeLiteral() throws(StoreError) -> StoredValue? {
    if let value = try takeArgument() { return value }
    let value: StoredValue
    switch current.kind {
    case .value(let literal): value = literal
    case .word(let word):
      switch word.uppercased() {
      case "NULL", "NIL": value = .null
      case "TRUE": value = .bool(true)
      case "FALSE": value = .bool(false)
      default: return nil
      }
    default: return nil
    }
    try advance()
    return value
  }
}

extension Condition.Operand {
  /// The number of operators in the operand.
  fileprivate var operationCount: Int {
    switch self {
    case .property, .value, .count, .listNumber, .groupNumber: 0
    case .arithmetic(let left, _, let right): 1 + left.operationCount + right.operationCount
    }
  }
}
