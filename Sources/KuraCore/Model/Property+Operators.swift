extension Property {
  private func compared(_ comparison: Condition.ComparisonOperator, _ value: Value)
    -> TypedCondition<Root>
  {
    TypedCondition { () throws(StoreError) in
      .comparison(.property(path), comparison, .value(try encode(value)))
    }
  }

  private func compared(_ comparison: Condition.ComparisonOperator, _ other: Self)
    -> TypedCondition<Root>
  {
    TypedCondition(.comparison(.property(path), comparison, .property(other.path)))
  }

  /// The property equals a value; `nil` equals `nil`.
  public static func == (property: Self, value: Value) -> TypedCondition<Root> {
    property.compared(.equal, value)
  }

  /// The property differs from a value; records without a value differ from every value.
  public static func != (property: Self, value: Value) -> TypedCondition<Root> {
    property.compared(.notEqual, value)
  }

  /// The property is less than a value; a record without one is not.
  public static func < (property: Self, value: Value) -> TypedCondition<Root> {
    property.compared(.less, value)
  }

  /// The property is at most a value; a record without one is not.
  public static func <= (property: Self, value: Value) -> TypedCondition<Root> {
    property.compared(.lessOrEqual, value)
  }

  /// The property is greater than a value; a record without one is not.
  public static func > (property: Self, value: Value) -> TypedCondition<Root> {
    property.compared(.greater, value)
  }

  /// The property is at least a value; a record without one is not.
  public static func >= (property: Self, value: Value) -> TypedCondition<Root> {
    property.compared(.greaterOrEqual, value)
  }

  /// Two properties of a record are equal.
  public static func == (left: Self, right: Self) -> TypedCondition<Root> {
    left.compared(.equal, right)
  }

  /// Two properties of a record differ.
  public static func != (left: Self, right: Self) -> TypedCondition<Root> {
    left.compared(.notEqual, right)
  }

  /// One property of a record is less than another.
  public static func < (left: Self, right: Self) -> TypedCondition<Root> {
    left.compared(.less, right)
  }

  /// One property of a record is at most another.
  public static func <= (left: Self, right: Self) -> TypedCondition<Root> {
    left.compared(.lessOrEqual, right)
  }

  /// One property of a record is greater than another.
  public static func > (left: Self, right: Self) -> TypedCondition<Root> {
    left.compared(.greater, right)
  }

  /// One property of a record is at least another.
  public static func >= (left: Self, right: Self) -> TypedCondition<Root> {
    left.compared(.greaterOrEqual, right)
  }

  /// The property equals one of several values.
  public func isIn(_ values: some Sequence<Value>) -> TypedCondition<Root> {
    TypedCondition { () throws(StoreError) in
      var stored: [StoredValue] = []
      for value in values { stored.append(try encode(value)) }
      return .oneOf(.property(path), stored)
    }
  }

  /// The property lies between two values, both included.
  public func isBetween(_ lower: Value, and upper: Value) -> TypedCondition<Root> {
    TypedCondition { () throws(StoreError) in
      .between(.property(path), try encode(lower), try encode(upper))
    }
  }
}

extension Property where Value: Comparable {
  /// The property lies in a range.
  public func isIn(_ range: ClosedRange<Value>) -> TypedCondition<Root> {
    isBetween(range.lowerBound, and: range.upperBound)
  }

  /// The property lies in a range without its end.
  public func isIn(_ range: Range<Value>) -> TypedCondition<Root> {
    self >= range.lowerBound && self < range.upperBound
  }
}

extension ReferenceProperty where Target.Key: PropertyValue {
  /// The reference leads to the record of a key.
  public static func == (property: Self, key: Target.Key) -> TypedCondition<Root> {
    TypedCondition { () throws(StoreError) in
      .comparison(.property(property.modelPath), .equal, .value(try key.storedValue()))
    }
  }

  /// The reference does not lead to the record of a key.
  public static func != (property: Self, key: Target.Key) -> TypedCondition<Root> {
    !(property == key)
  }

  /// The reference equals another, or is missing.
  public static func == (property: Self, reference: Reference<Target>?) -> TypedCondition<Root> {
    TypedCondition { () throws(StoreError) in
      .comparison(.property(property.modelPath), .equal, .value(try reference.storedValue()))
    }
  }

  /// The reference differs from another, or is there.
  public static func != (property: Self, reference: Reference<Target>?) -> TypedCondition<Root> {
    !(property == reference)
  }
}
