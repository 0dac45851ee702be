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

  fileprivate func matched(_ match: Condition.TextOperator, _ text: String)
    -> TypedCondition<Root>
  {
    TypedCondition(.text(.property(path), match, .value(.text(text))))
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

/// `String` and `String?`.
public protocol TextValue {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped: TextValue {}

extension Property where Value: TextValue {
  /// A text occurs in the property.
  public func contains(_ text: String) -> TypedCondition<Root> { matched(.contains, text) }

  /// The property begins with a text.
  public func hasPrefix(_ text: String) -> TypedCondition<Root> { matched(.beginsWith, text) }

  /// The property ends with a text.
  public func hasSuffix(_ text: String) -> TypedCondition<Root> { matched(.endsWith, text) }

  /// The property fits a pattern: `*` any run of characters, `?` one character, `\` escapes.
  public func like(_ pattern: String) -> TypedCondition<Root> { matched(.like, pattern) }
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

extension ListProperty {
  /// At least one of the records in the list fulfils a condition.
  public func any(_ make: (Target.Properties) -> TypedCondition<Target>) -> TypedCondition<Root> {
    quantified(.any, make)
  }

  /// Every record in the list fulfils a condition; of an empty list as well.
  public func all(_ make: (Target.Properties) -> TypedCondition<Target>) -> TypedCondition<Root> {
    quantified(.all, make)
  }

  /// No record in the list fulfils a condition.
  public func none(_ make: (Target.Properties) -> TypedCondition<Target>) -> TypedCondition<Root> {
    quantified(.none, make)
  }

  /// The list holds the record of a key.
  public func contains(key: Target.Key) -> TypedCondition<Root> {
    TypedCondition { () throws(StoreError) in
      let values = try key.recordKey().values
      let names = Target.modelDescription.primaryKey
      return .quantified(
        .any, list: path,
        .all(
          zip(names, values).map {
            .comparison(.property(PropertyPath([$0])), .equal, .value($1))
          }))
    }
  }

  /// The list holds a record.
  public func contains(_ record: Target) -> TypedCondition<Root> { contains(key: record.modelKey) }

  /// How many elements the list has.
  public var count: ListCount<Root> { ListCount(path, .always, nil) }

  /// How many elements of the list refer to records that fulfil a condition.
  public func count(where make: (Target.Properties) -> TypedCondition<Target>) -> ListCount<Root> {
    let inner = make(Target.modelProperties)
    return ListCount(path, inner.condition, inner.error)
  }

  private func quantified(
    _ quantifier: Condition.Quantifier, _ make: (Target.Properties) -> TypedCondition<Target>
  ) -> TypedCondition<Root> {
    let inner = make(Target.modelProperties)
    return TypedCondition { () throws(StoreError) in
      .quantified(quantifier, list: path, try inner.get())
    }
  }
}

/// The number of a list's elements in a condition.
public struct ListCount<Root: Model>: Sendable {
  private let operand: Condition.Operand
  private let error: StoreError?

  init(_ path: PropertyPath, _ condition: Condition, _ error: StoreError?) {
    operand = .count(list: path, condition)
    self.error = error
  }

  private func compared(_ comparison: Condition.ComparisonOperator, _ number: Int)
    -> TypedCondition<Root>
  {
    TypedCondition { () throws(StoreError) in
      if let error { throw error }
      return .comparison(operand, comparison, .value(.integer(Int64(number))))
    }
  }

  /// The list has so many elements.
  public static func == (count: Self, number: Int) -> TypedCondition<Root> {
    count.compared(.equal, number)
  }

  /// The list has another number of elements.
  public static func != (count: Self, number: Int) -> TypedCondition<Root> {
    count.compared(.notEqual, number)
  }

  /// The list has fewer elements.
  public static func < (count: Self, number: Int) -> TypedCondition<Root> {
    count.compared(.less, number)
  }

  /// The list has at most so many elements.
  public static func <= (count: Self, number: Int) -> TypedCondition<Root> {
    count.compared(.lessOrEqual, number)
  }

  /// The list has more elements.
  public static func > (count: Self, number: Int) -> TypedCondition<Root> {
    count.compared(.greater, number)
  }

  /// The list has at least so many elements.
  public static func >= (count: Self, number: Int) -> TypedCondition<Root> {
    count.compared(.greaterOrEqual, number)
  }
}
