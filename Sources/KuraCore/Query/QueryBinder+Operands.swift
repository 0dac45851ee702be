#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Comparisons of which a side is computed, or whose texts are folded.
extension QueryBinder {
  /// An operand with arithmetic of values done.
  func reduced(_ operand: Condition.Operand) throws(StoreError) -> Condition.Operand {
    guard case .arithmetic = operand else { return operand }
    return try reduced(operand, depth: 0)
  }

  private func reduced(_ operand: Condition.Operand, depth: Int) throws(StoreError)
    -> Condition.Operand
  {
    guard case .arithmetic(let left, let operation, let right) = operand else { return operand }
    guard depth < ArithmeticProgram.maximumOperandCount else { throw tooLong(nil) }
    let one = try reduced(left, depth: depth + 1)
    let other = try reduced(right, depth: depth + 1)
    guard case .value(let first) = one, case .value(let second) = other else {
      return .arithmetic(one, operation, other)
    }
    let numbers = (try number(first), try number(second))
    if case .none = numbers.0 { return .value(.null) }
    if case .none = numbers.1 { return .value(.null) }
    switch numbers.0.combined(operation, numbers.1) {
    case .integer(let value): return .value(.integer(value))
    case .double(let value): return .value(.double(value))
    case .decimal(let value): return .value(.decimal(value))
    case .none:
      throw StoreError(
        .invalidQuery,
        "\(first.arithmeticText) \(operation.rawValue) \(second.arithmeticText) has no value",
        suggestion: "integers have 64 bits, and nothing is divided by zero")
    }
  }

  private func number(_ value: StoredValue) throws(StoreError) -> ArithmeticNumber {
    switch value {
    case .null: return .none
    case .integer(let value): return .integer(value)
    case .double(let value): return .double(value)
    case .decimal(let value): return .decimal(value)
    default: throw notANumber("a value of type \(value.typeName)", nil)
    }
  }

  private func notANumber(_ what: String, _ path: PropertyPath?) -> StoreError {
    error("arithmetic needs numbers and got \(what)", path)
  }

  private func tooLong(_ path: PropertyPath?) -> StoreError {
    error(
      "one side of a comparison has more than \(ArithmeticProgram.maximumOperandCount) operands",
      path)
  }

  // MARK: General comparisons

  func bindGeneral(
    _ left: Condition.Operand, _ comparison: Condition.ComparisonOperator,
    _ right: Condition.Operand, _ folding: TextComparison
  ) throws(StoreError) -> BoundCondition {
    if !folding.isEmpty { return try bindFolded(left, comparison, right, folding) }
    switch (left, right) {
    case (.value(let value), _):
      return try bindComputed(right, comparison.flipped, value)
    case (_, .value(let value)):
      return try bindComputed(left, comparison, value)
    default: break
    }
    let (one, other) = (try bindSide(left), try bindSide(right))
    guard one.type.isComparable(with: other.type) || !layout.isKuraModel else {
      // A whole number is a decimal; the other way there is no exact one.
      switch (one.type, other.type) {
      case (.decimal, .integer):
        return .compare(one.operand, comparison, other.operand.asDecimal, [])
      case (.integer, .decimal):
        return .compare(one.operand.asDecimal, comparison, other.operand, [])
      default:
        throw error(
          "numbers of type \(one.type.rawValue) and \(other.type.rawValue) cannot be compared",
          left.firstPath ?? right.firstPath)
      }
    }
    return .compare(one.operand, comparison, other.operand, [])
  }

  private func bindComputed(
    _ operand: Condition.Operand, _ comparison: Condition.ComparisonOperator, _ value: StoredValue
  ) throws(StoreError) -> BoundCondition {
    let side = try bindSide(operand)
    return .compare(side.operand, comparison, .value(try fitting(value, side, operand)), [])
  }

  /// A value to compare with a computed number.
  private func fitting(
    _ value: StoredValue, _ side: (operand: BoundOperand, type: ValueType),
    _ operand: Condition.Operand
  ) throws(StoreError) -> StoredValue {
    switch (value, side.type) {
    case (.null, _), (.integer, .integer), (.integer, .double), (.integer, .any): return value
    case (.double(let double), .integer), (.double(let double), .double),
      (.double(let double), .any):
      guard !double.isNaN else { throw error("not-a-number cannot be compared", operand.firstPath) }
      return value
    case (.decimal, .decimal), (.integer, .decimal), (.double, .decimal):
      if case .exact(let fitting)? = ValueType.decimal.literal(value) { return fitting }
    case (.decimal(let decimal), .integer), (.decimal(let decimal), .double):
      // Exact where it can be; a double is what the property's values are anyway.
      if let exact = Int64(decimal.description) { return .integer(exact) }
      if let double = Double(decimal.description) { return .double(double) }
    default: break
    }
    throw error(
      "a number cannot be compared with a value of type \(value.typeName)", operand.firstPath)
  }

  func bindGeneralList(
    _ operand: Condition.Operand, _ values: [StoredValue], _ folding: TextComparison
  ) throws(StoreError) -> BoundCondition {
    guard !folding.isEmpty else {
      if case .value = operand { return .never }
      let side = try bindSide(operand)
      var list: [StoredValue] = []
      for value in values { list.append(try fitting(value, side, operand)) }
      return list.isEmpty ? .never : .contained(side.operand, list, [])
    }
    let side = try foldable(operand, folding)
    var list: [StoredValue] = []
    var seen: Set<StoredValue> = []
    for value in values {
      let folded = try foldable(value, operand.firstPath, folding)
      if seen.insert(folded).inserted { list.append(folded) }
    }
    if case .value(let value) = side { return list.contains(value) ? .always : .never }
    return list.isEmpty ? .never : .contained(side, list, folding)
  }

  /// A side with the type of its values.
  func bindSide(_ operand: Condition.Operand) throws(StoreError)
    -> (operand: BoundOperand, type: ValueType)
  {
    switch operand {
    case .property(let path):
      let index = try column(path)
      let type = described(index).type
      switch type {
      case _ where !layout.isKuraModel: return (.column(index), .any)
      case .integer, .double, .decimal, .any: return (.column(index), type)
      default: throw notANumber("\"\(described(index).name)\" (\(type.rawValue))", path)
      }
    case .value(let value):
      switch value {
      case .integer: return (.value(value), .integer)
      case .double: return (.value(value), .double)
      case .decimal: return (.value(value), .decimal)
      case .null: return (.value(.null), .any)
      default: throw notANumber("a value of type \(value.typeName)", nil)
      }
    case .count(let list, _), .listNumber(_, let list, _, _):
      throw error("a number over a list cannot stand here", list, code: .unsupportedQuery)
    case .groupNumber(let column): throw groupNumberOutside(column)
    case .arithmetic(let left, let operation, let right):
      guard operand.operandCount <= ArithmeticProgram.maximumOperandCount else {
        throw tooLong(operand.firstPath)
      }
      var (one, other) = (try bindSide(left), try bindSide(right))
      // 1.2 beside a decimal means the decimal 1.2.
      one.operand = one.operand.beside(other.type)
      other.operand = other.operand.beside(one.type)
      if case .value(.decimal) = one.operand { one.type = .decimal }
      if case .value(.decimal) = other.operand { other.type = .decimal }
      guard let type = one.type.computed(with: other.type) else {
        throw error(
          "numbers of type \(one.type.rawValue) and \(other.type.rawValue) cannot be computed "
            + "together", operand.firstPath)
      }
      return (.arithmetic(one.operand, operation, other.operand), type)
    }
  }

  // MARK: Folded texts

  private func bindFolded(
    _ left: Condition.Operand, _ comparison: Condition.ComparisonOperator,
    _ right: Condition.Operand, _ folding: TextComparison
  ) throws(StoreError) -> BoundCondition {
    let (one, other) = (try foldable(left, folding), try foldable(right, folding))
    switch (one, other) {
    case (.value(let first), .value(let second)):
      return QueryBinder.holds(first, comparison, second) ? .always : .never
    case (.column, .value(.null)): return try bindComparison(left, comparison, .value(.null))
    case (.value(.null), .column): return try bindComparison(.value(.null), comparison, right)
    default: return .compare(one, comparison, other, folding)
    }
  }

  private func foldable(_ operand: Condition.Operand, _ folding: TextComparison)
    throws(StoreError) -> BoundOperand
  {
    switch operand {
    case .property(let path):
      let index = try column(path)
      try checkFolding(index, folding, path)
      return .column(index)
    case .value(let value): return .value(try foldable(value, nil, folding))
    case .arithmetic, .count, .listNumber, .groupNumber:
      throw error("\(folding.suffix) works on text, and this is a number", operand.firstPath)
    }
  }

  private func foldable(_ value: StoredValue, _ path: PropertyPath?, _ folding: TextComparison)
    throws(StoreError) -> StoredValue
  {
    switch value {
    case .null, .text: return value.folded(folding)
    default:
      throw error("\(folding.suffix) works on text and got \(value.typeName)", path)
    }
  }

  func checkFolding(_ index: Int, _ folding: TextComparison, _ path: PropertyPath)
    throws(StoreError)
  {
    guard layout.isKuraModel else { return }
    let column = described(index)
    switch column.type {
    case .text, .json, .any: return
    default:
      throw error(
        "\(folding.suffix) works on text, and \"\(column.name)\" is \(column.type.rawValue)", path)
    }
  }
}

extension Condition.Operand {
  var isComputed: Bool {
    switch self {
    case .arithmetic, .count, .listNumber, .groupNumber: true
    case .property, .value: false
    }
  }

  /// The first property, for errors.
  var firstPath: PropertyPath? {
    switch self {
    case .property(let path), .count(let path, _), .listNumber(_, let path, _, _): path
    case .groupNumber(let column): column.path
    case .value: nil
    case .arithmetic(let left, _, let right): left.firstPath ?? right.firstPath
    }
  }

  fileprivate var operandCount: Int {
    switch self {
    case .property, .value, .count, .listNumber, .groupNumber: 1
    case .arithmetic(let left, _, let right): left.operandCount + right.operandCount
    }
  }
}

extension BoundOperand {
  /// The operand as a decimal: a whole number plus the decimal zero.
  fileprivate var asDecimal: BoundOperand {
    .arithmetic(self, .add, .value(.decimal(Decimal(0))))
  }

  /// A double of a query's text as a decimal where the other side is one.
  fileprivate func beside(_ type: ValueType) -> BoundOperand {
    guard type == .decimal, case .value(let value) = self,
      case .exact(let fitting)? = ValueType.decimal.literal(value)
    else { return self }
    return .value(fitting)
  }
}

extension ValueType {
  /// The type of a number computed of two others; `nil` when there is none.
  fileprivate func computed(with other: ValueType) -> ValueType? {
    switch (self, other) {
    case (.any, .decimal), (.decimal, .any): .decimal
    case (.any, _), (_, .any): .any
    case (.decimal, .double), (.double, .decimal): nil
    case (.decimal, _), (_, .decimal): .decimal
    case (.double, _), (_, .double): .double
    default: .integer
    }
  }
}

extension StoredValue {
  fileprivate var arithmeticText: String {
    switch self {
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    default: typeName
    }
  }
}
