/// The elements of a list whose records fulfil a condition, in a condition on the list's owner.
public struct FilteredList<Root: Model, Target: Model>: Sendable {
  private let path: PropertyPath
  private let condition: TypedCondition<Target>

  init(_ path: PropertyPath, _ condition: TypedCondition<Target>) {
    self.path = path
    self.condition = condition
  }

  /// How many elements there are.
  public var count: TypedNumber<Root, Int> {
    TypedNumber(
      .count(list: path, condition.condition), condition.error,
      encode: { value throws(StoreError) in try value.storedValue() },
      decode: { Int(storedValue: $0) })
  }

  /// The least value of a property; `nil` when there is none.
  public func minimum<Value>(_ property: (Target.Properties) -> Property<Target, Value>)
    -> TypedNumber<Root, Value?>
  {
    optional(.minimum, property(Target.modelProperties))
  }

  /// The least value of a property that is not `nil`; `nil` when there is none.
  public func minimum<Value>(_ property: (Target.Properties) -> Property<Target, Value?>)
    -> TypedNumber<Root, Value?>
  {
    same(.minimum, property(Target.modelProperties))
  }

  /// The greatest value of a property; `nil` when there is none.
  public func maximum<Value>(_ property: (Target.Properties) -> Property<Target, Value>)
    -> TypedNumber<Root, Value?>
  {
    optional(.maximum, property(Target.modelProperties))
  }

  /// The greatest value of a property that is not `nil`; `nil` when there is none.
  public func maximum<Value>(_ property: (Target.Properties) -> Property<Target, Value?>)
    -> TypedNumber<Root, Value?>
  {
    same(.maximum, property(Target.modelProperties))
  }

  /// The sum of a property, zero when there is no element.
  ///
  /// A sum that the property's type cannot have is equal to no number.
  public func sum<Value: Numeric & Sendable>(
    _ property: (Target.Properties) -> Property<Target, Value>
  )
    -> TypedNumber<Root, Value>
  {
    same(.sum, property(Target.modelProperties))
  }

  /// The sum of a property without `nil`, zero when there is no value.
  public func sum<Value: Numeric & Sendable>(
    _ property: (Target.Properties) -> Property<Target, Value?>
  )
    -> TypedNumber<Root, Value>
  {
    let property = property(Target.modelProperties)
    return TypedNumber(
      operand(.sum, property.path), condition.error, encode: property.encode,
      decode: { property.decode($0) ?? nil })
  }

  /// The mean of a property that is not `nil`; `nil` when there is none.
  public func average<Value>(_ property: (Target.Properties) -> Property<Target, Value>)
    -> TypedNumber<Root, Double?>
  {
    TypedNumber(
      operand(.average, property(Target.modelProperties).path), condition.error,
      encode: { value throws(StoreError) in try value.storedValue() },
      decode: { Double?(storedValue: $0) })
  }

  private func operand(_ function: Condition.ListFunction, _ property: PropertyPath)
    -> Condition.Operand
  {
    .listNumber(function, list: path, of: property, condition.condition)
  }

  private func same<Value>(_ function: Condition.ListFunction, _ property: Property<Target, Value>)
    -> TypedNumber<Root, Value>
  {
    TypedNumber(
      operand(function, property.path), condition.error, encode: property.encode,
      decode: property.decode)
  }

  private func optional<Value>(
    _ function: Condition.ListFunction, _ property: Property<Target, Value>
  ) -> TypedNumber<Root, Value?> {
    TypedNumber(
      operand(function, property.path), condition.error, encode: property.encodeOptional,
      decode: { $0.isNull ? .some(nil) : property.decode($0) })
  }
}

extension Property {
  /// As ``encode``, with null for `nil`.
  var encodeOptional: @Sendable (Value?) throws(StoreError) -> StoredValue {
    { value throws(StoreError) in
      guard let value else { return .null }
      return try self.encode(value)
    }
  }
}
