/// Conditions on lists of references.
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
  public var count: TypedNumber<Root, Int> {
    FilteredList<Root, Target>(path, .always).count
  }

  /// How many elements of the list refer to records that fulfil a condition.
  public func count(where make: (Target.Properties) -> TypedCondition<Target>)
    -> TypedNumber<Root, Int>
  {
    filter(make).count
  }

  /// The elements of the list that refer to records that fulfil a condition, to take numbers of:
  /// `SUBQUERY` of the query language.
  ///
  /// ```swift
  /// Order.where { $0.items.filter { $0.price > 3 }.sum(\.weight) > 100 }
  /// ```
  public func filter(_ make: (Target.Properties) -> TypedCondition<Target>)
    -> FilteredList<Root, Target>
  {
    FilteredList(path, make(Target.modelProperties))
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

extension ListProperty {
  /// The least value of a property of the list's records; `nil` when there is none.
  public func minimum<Value>(_ property: (Target.Properties) -> Property<Target, Value>)
    -> TypedNumber<Root, Value?>
  {
    FilteredList(path, .always).minimum(property)
  }

  /// The least value of a property of the list's records that is not `nil`; `nil` when there is none.
  public func minimum<Value>(_ property: (Target.Properties) -> Property<Target, Value?>)
    -> TypedNumber<Root, Value?>
  {
    FilteredList(path, .always).minimum(property)
  }

  /// The greatest value of a property of the list's records; `nil` when there is none.
  public func maximum<Value>(_ property: (Target.Properties) -> Property<Target, Value>)
    -> TypedNumber<Root, Value?>
  {
    FilteredList(path, .always).maximum(property)
  }

  /// The greatest value of a property of the list's records that is not `nil`; `nil` when there is
  /// none.
  public func maximum<Value>(_ property: (Target.Properties) -> Property<Target, Value?>)
    -> TypedNumber<Root, Value?>
  {
    FilteredList(path, .always).maximum(property)
  }

  /// The sum of a property of the list's records, zero of an empty list.
  ///
  /// A sum that the property's type cannot have is equal to no number.
  public func sum<Value: Numeric & Sendable>(
    _ property: (Target.Properties) -> Property<Target, Value>
  )
    -> TypedNumber<Root, Value>
  {
    FilteredList(path, .always).sum(property)
  }

  /// The sum of a property of the list's records without `nil`, zero when there is none.
  public func sum<Value: Numeric & Sendable>(
    _ property: (Target.Properties) -> Property<Target, Value?>
  )
    -> TypedNumber<Root, Value>
  {
    FilteredList(path, .always).sum(property)
  }

  /// The mean of a property of the list's records that is not `nil`; `nil` when there is none.
  public func average<Value>(_ property: (Target.Properties) -> Property<Target, Value>)
    -> TypedNumber<Root, Double?>
  {
    FilteredList(path, .always).average(property)
  }
}
