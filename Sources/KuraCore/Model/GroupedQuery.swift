/// Groups of the records of a query that have equal values of some properties.
///
/// ```swift
/// let rows = CoopResult.where { $0.goldenEggs > 0 }
///   .grouped { $0.weapon }
///   .having { $0.count >= 3 }
///   .select { ($0.weapon, $0.count, $0.average(\.goldenEggs)) }
/// ```
public struct GroupedQuery<Root: Model>: Sendable {
  private let query: TypedQuery<Root>
  private let groups: [PropertyPath]
  private var condition: TypedCondition<Root>?

  init(_ query: TypedQuery<Root>, by groups: [PropertyPath]) {
    self.query = query
    self.groups = groups
  }

  /// The groups that fulfil a condition as well.
  public func having(_ make: (GroupProperties<Root>) -> TypedCondition<Root>) -> Self {
    var copy = self
    let more = make(GroupProperties())
    copy.condition = condition.map { $0 && more } ?? more
    return copy
  }

  /// What to read of each group: properties that it is grouped by, and numbers.
  public func select<each Value>(
    _ make: (GroupProperties<Root>) -> (repeat TypedNumber<Root, each Value>)
  ) -> TypedRows<Root, repeat each Value> {
    // Handing the pack on without taking it apart crashes the compiler (Swift 6.3.1).
    let columns = make(GroupProperties<Root>())
    return TypedRows(
      query, groups: groups, having: condition, columns: (repeat each columns))
  }
}

/// What a condition on groups and a row of a group can name.
///
/// Members are the properties that the records are grouped by; all others make the query throw.
@dynamicMemberLookup
public struct GroupProperties<Root: Model>: Sendable {
  init() {}

  /// A property that all records of a group have in common.
  public subscript<Value>(dynamicMember keyPath: KeyPath<Root.Properties, Property<Root, Value>>)
    -> TypedNumber<Root, Value>
  {
    Root.modelProperties[keyPath: keyPath].asColumn
  }

  /// A reference whose record's properties all records of a group have in common.
  public subscript<Target: Model>(
    dynamicMember keyPath: KeyPath<Root.Properties, ReferenceProperty<Root, Target>>
  ) -> GroupReference<Root, Target> {
    GroupReference(Root.modelProperties[keyPath: keyPath])
  }

  /// The number of records.
  public var count: TypedNumber<Root, Int> {
    TypedNumber(
      .groupNumber(.count), encode: { value throws(StoreError) in try value.storedValue() },
      decode: { Int(storedValue: $0) })
  }

  /// The least value of a property; `nil` when there is none.
  public func minimum<Value>(_ property: (Root.Properties) -> Property<Root, Value>)
    -> TypedNumber<Root, Value?>
  {
    optional(property(Root.modelProperties)) { .minimum($0) }
  }

  /// The least value of a property that is not `nil`; `nil` when there is none.
  public func minimum<Value>(_ property: (Root.Properties) -> Property<Root, Value?>)
    -> TypedNumber<Root, Value?>
  {
    same(property(Root.modelProperties)) { .minimum($0) }
  }

  /// The greatest value of a property; `nil` when there is none.
  public func maximum<Value>(_ property: (Root.Properties) -> Property<Root, Value>)
    -> TypedNumber<Root, Value?>
  {
    optional(property(Root.modelProperties)) { .maximum($0) }
  }

  /// The greatest value of a property that is not `nil`; `nil` when there is none.
  public func maximum<Value>(_ property: (Root.Properties) -> Property<Root, Value?>)
    -> TypedNumber<Root, Value?>
  {
    same(property(Root.modelProperties)) { .maximum($0) }
  }

  /// The sum of a property.
  public func sum<Value: Numeric & Sendable>(
    _ property: (Root.Properties) -> Property<Root, Value>
  ) -> TypedNumber<Root, Value> {
    same(property(Root.modelProperties)) { .sum($0) }
  }

  /// The sum of a property without `nil`, zero when there is no value.
  public func sum<Value: Numeric & Sendable>(
    _ property: (Root.Properties) -> Property<Root, Value?>
  ) -> TypedNumber<Root, Value> {
    let property = property(Root.modelProperties)
    return TypedNumber(
      .groupNumber(.sum(property.path)), encode: property.encode,
      decode: { property.decode($0) ?? nil })
  }

  /// The mean of a property that is not `nil`; `nil` when there is none.
  public func average<Value>(_ property: (Root.Properties) -> Property<Root, Value>)
    -> TypedNumber<Root, Double?>
  {
    TypedNumber(
      .groupNumber(.average(property(Root.modelProperties).path)),
      encode: { value throws(StoreError) in try value.storedValue() },
      decode: { Double?(storedValue: $0) })
  }

  private func same<Value>(
    _ property: Property<Root, Value>, _ column: (PropertyPath) -> QueryColumn
  ) -> TypedNumber<Root, Value> {
    TypedNumber(
      .groupNumber(column(property.path)), encode: property.encode, decode: property.decode)
  }

  private func optional<Value>(
    _ property: Property<Root, Value>, _ column: (PropertyPath) -> QueryColumn
  ) -> TypedNumber<Root, Value?> {
    TypedNumber(
      .groupNumber(column(property.path)), encode: property.encodeOptional,
      decode: { $0.isNull ? .some(nil) : property.decode($0) })
  }
}

/// A to-one reference of grouped records; its members are the target's properties.
@dynamicMemberLookup
public struct GroupReference<Root: Model, Target: Model>: Sendable {
  private let reference: ReferenceProperty<Root, Target>

  init(_ reference: ReferenceProperty<Root, Target>) { self.reference = reference }

  /// A property of the record referred to.
  public subscript<Value>(
    dynamicMember keyPath: KeyPath<Target.Properties, Property<Target, Value>>
  ) -> TypedNumber<Root, Value?> {
    let property = Target.modelProperties[keyPath: keyPath]
    return TypedNumber(
      .property(reference.modelPath + property.path), encode: property.encodeOptional,
      decode: { $0.isNull ? .some(nil) : property.decode($0) })
  }

  /// A reference of the record referred to.
  public subscript<Next: Model>(
    dynamicMember keyPath: KeyPath<Target.Properties, ReferenceProperty<Target, Next>>
  ) -> GroupReference<Root, Next> {
    GroupReference<Root, Next>(
      ReferenceProperty(
        reference.modelPath + Target.modelProperties[keyPath: keyPath].modelPath))
  }
}
