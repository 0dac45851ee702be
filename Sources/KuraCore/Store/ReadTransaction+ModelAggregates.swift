extension ReadTransaction {
  /// A property of a typed query, as a closure names it.
  public typealias Selection<Root: Model, Value> = (Root.Properties) -> Property<Root, Value>

  /// The least value of a property; `nil` when there is no record.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func minimum<Root: Model, Value>(
    _ query: TypedQuery<Root>, of property: Selection<Root, Value>
  ) throws(StoreError) -> Value? {
    try number(query, property(Root.modelProperties)) { .minimum($0) }
  }

  /// The least value of a property that is not `nil`; `nil` when there is none.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func minimum<Root: Model, Value>(
    _ query: TypedQuery<Root>, of property: Selection<Root, Value?>
  ) throws(StoreError) -> Value? {
    try number(query, property(Root.modelProperties)) { .minimum($0) } ?? nil
  }

  /// The greatest value of a property; `nil` when there is no record.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func maximum<Root: Model, Value>(
    _ query: TypedQuery<Root>, of property: Selection<Root, Value>
  ) throws(StoreError) -> Value? {
    try number(query, property(Root.modelProperties)) { .maximum($0) }
  }

  /// The greatest value of a property that is not `nil`; `nil` when there is none.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func maximum<Root: Model, Value>(
    _ query: TypedQuery<Root>, of property: Selection<Root, Value?>
  ) throws(StoreError) -> Value? {
    try number(query, property(Root.modelProperties)) { .maximum($0) } ?? nil
  }

  /// The sum of a property's values, zero when there is none.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``; ``StoreError/Code/notStorable`` when integers
  ///   overflow, ``StoreError/Code/wrongType`` when the sum is beyond the property's type or is no
  ///   number, ``StoreError/Code/invalidQuery`` for a property that is no number.
  public func sum<Root: Model, Value: Numeric>(
    _ query: TypedQuery<Root>, of property: Selection<Root, Value>
  ) throws(StoreError) -> Value {
    try number(query, property(Root.modelProperties)) { .sum($0) } ?? .zero
  }

  /// The sum of a property's values that are not `nil`, zero when there is none.
  ///
  /// - Throws: As the form for required properties.
  public func sum<Root: Model, Value: Numeric>(
    _ query: TypedQuery<Root>, of property: Selection<Root, Value?>
  ) throws(StoreError) -> Value {
    (try number(query, property(Root.modelProperties)) { .sum($0) } ?? nil) ?? .zero
  }

  /// The mean of a property's values; `nil` when there is none.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``; ``StoreError/Code/invalidQuery`` for a
  ///   property that is no number.
  public func average<Root: Model, Value>(
    _ query: TypedQuery<Root>, of property: Selection<Root, Value>
  ) throws(StoreError) -> Double? {
    try average(try located(query), of: property(Root.modelProperties).path.description)
  }

  private func number<Root: Model, Value>(
    _ query: TypedQuery<Root>, _ property: Property<Root, Value>,
    _ aggregate: (String) -> Aggregate
  ) throws(StoreError) -> Value? {
    let found = try self.aggregate(try located(query), [aggregate(property.path.description)])
    guard let value = found.first, !value.isNull else { return nil }
    guard let decoded = property.decode(value) else {
      throw located(
        StoreError(
          .wrongType, "a value of \"\(property.path)\" cannot be read as the property's type",
          found: value.typeName, expected: "\(Value.self)"))
    }
    return decoded
  }
}
