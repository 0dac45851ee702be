/// A number over a list or a group: to be compared in a condition, or to be a column of rows.
public struct TypedNumber<Root: Model, Value>: Sendable {
  let operand: Condition.Operand
  /// Why the number cannot be had.
  let error: StoreError?
  let encode: @Sendable (Value) throws(StoreError) -> StoredValue
  let decode: @Sendable (StoredValue) -> Value?

  init(
    _ operand: Condition.Operand, _ error: StoreError? = nil,
    encode: @escaping @Sendable (Value) throws(StoreError) -> StoredValue,
    decode: @escaping @Sendable (StoredValue) -> Value?
  ) {
    self.operand = operand
    self.error = error
    self.encode = encode
    self.decode = decode
  }

  private func compared(_ comparison: Condition.ComparisonOperator, _ value: Value)
    -> TypedCondition<Root>
  {
    TypedCondition { () throws(StoreError) in
      if let error { throw error }
      return .comparison(operand, comparison, .value(try encode(value)))
    }
  }

  /// The number equals another; `nil` equals `nil`.
  public static func == (number: Self, value: Value) -> TypedCondition<Root> {
    number.compared(.equal, value)
  }

  /// The number differs from another; `nil` differs from every number.
  public static func != (number: Self, value: Value) -> TypedCondition<Root> {
    number.compared(.notEqual, value)
  }

  /// The number is less than another; `nil` is not.
  public static func < (number: Self, value: Value) -> TypedCondition<Root> {
    number.compared(.less, value)
  }

  /// The number is at most another; `nil` is not.
  public static func <= (number: Self, value: Value) -> TypedCondition<Root> {
    number.compared(.lessOrEqual, value)
  }

  /// The number is greater than another; `nil` is not.
  public static func > (number: Self, value: Value) -> TypedCondition<Root> {
    number.compared(.greater, value)
  }

  /// The number is at least another; `nil` is not.
  public static func >= (number: Self, value: Value) -> TypedCondition<Root> {
    number.compared(.greaterOrEqual, value)
  }

  /// The number lies between two others, both included.
  public func isBetween(_ lower: Value, and upper: Value) -> TypedCondition<Root> {
    TypedCondition { () throws(StoreError) in
      if let error { throw error }
      return .between(operand, try encode(lower), try encode(upper))
    }
  }
}
