/// A property in a condition or an order: its name, and how its values are stored.
///
/// `Root` is the model of the query, `Value` the property's type. Properties reached through
/// references have the path from the root.
public struct Property<Root: Model, Value>: Sendable {
  /// The names from the root on.
  public let path: PropertyPath
  /// The value as the store keeps it.
  let encode: @Sendable (Value) throws(StoreError) -> StoredValue
  /// A stored value as the property's type.
  let decode: @Sendable (StoredValue) -> Value?

  /// Makes a property by hand.
  public init(
    _ path: PropertyPath, encode: @escaping @Sendable (Value) throws(StoreError) -> StoredValue,
    decode: @escaping @Sendable (StoredValue) -> Value?
  ) {
    self.path = path
    self.encode = encode
    self.decode = decode
  }

  /// Greatest values first.
  public var descending: PropertyOrder<Root> {
    PropertyOrder(SortTerm(path, isDescending: true))
  }

  /// The property with `nil` for records at whose path there is none: a column of rows whose path
  /// goes through a reference that may be missing.
  public var optional: Property<Root, Value?> {
    Property<Root, Value?>(
      path, encode: encodeOptional, decode: { $0.isNull ? .some(nil) : decode($0) })
  }

  /// Least values first.
  public var ascending: PropertyOrder<Root> { PropertyOrder(SortTerm(path)) }
}

/// One part of the order of a typed query.
public struct PropertyOrder<Root: Model>: Sendable, Hashable {
  /// The term.
  public let term: SortTerm

  init(_ term: SortTerm) { self.term = term }
}

/// A to-one reference in a condition or an order; its members are the target's properties.
@dynamicMemberLookup
public struct ReferenceProperty<Root: Model, Target: Model>: Sendable {
  /// The names from the root on; a name that no property of a target is likely to have.
  public let modelPath: PropertyPath

  init(_ path: PropertyPath) { modelPath = path }

  /// A property of the record referred to.
  public subscript<Value>(
    dynamicMember keyPath: KeyPath<Target.Properties, Property<Target, Value>>
  ) -> Property<Root, Value> {
    let property = Target.modelProperties[keyPath: keyPath]
    return Property(
      modelPath + property.path, encode: property.encode, decode: property.decode)
  }

  /// A reference of the record referred to.
  public subscript<Next: Model>(
    dynamicMember keyPath: KeyPath<Target.Properties, ReferenceProperty<Target, Next>>
  ) -> ReferenceProperty<Root, Next> {
    ReferenceProperty<Root, Next>(
      modelPath + Target.modelProperties[keyPath: keyPath].modelPath)
  }

  /// A list of the record referred to.
  public subscript<Next: Model>(
    dynamicMember keyPath: KeyPath<Target.Properties, ListProperty<Target, Next>>
  ) -> ListProperty<Root, Next> {
    ListProperty<Root, Next>(modelPath + Target.modelProperties[keyPath: keyPath].path)
  }
}

/// A list of references in a condition.
public struct ListProperty<Root: Model, Target: Model>: Sendable {
  /// The names from the root on.
  public let path: PropertyPath

  init(_ path: PropertyPath) { self.path = path }
}

extension PropertyPath {
  /// The path that goes on with another one.
  static func + (left: PropertyPath, right: PropertyPath) -> PropertyPath {
    PropertyPath(left.names + right.names)
  }
}

extension Model {
  /// A property of a type that stores know.
  public static func modelProperty<Value: PropertyValue>(_ name: String, _ type: Value.Type)
    -> Property<Self, Value>
  {
    Property(
      PropertyPath([name]), encode: { value throws(StoreError) in try value.storedValue() },
      decode: { Value(storedValue: $0) })
  }

  /// A property of a type that is both: as of a type that stores know.
  public static func modelProperty<Value: PropertyValue & RawRepresentable>(
    _ name: String, _ type: Value.Type
  ) -> Property<Self, Value> where Value.RawValue: PropertyValue {
    Property(
      PropertyPath([name]), encode: { value throws(StoreError) in try value.storedValue() },
      decode: { Value(storedValue: $0) })
  }

  /// A property of an enum or another type with raw values.
  public static func modelProperty<Value: RawRepresentable & Sendable>(
    _ name: String, _ type: Value.Type
  ) -> Property<Self, Value> where Value.RawValue: PropertyValue {
    Property(
      PropertyPath([name]),
      encode: { value throws(StoreError) in try value.rawValue.storedValue() },
      decode: { Value.RawValue(storedValue: $0).flatMap(Value.init(rawValue:)) })
  }

  /// An optional property of an enum or another type with raw values.
  public static func modelProperty<Value: RawRepresentable & Sendable>(
    _ name: String, _ type: Value?.Type
  ) -> Property<Self, Value?> where Value.RawValue: PropertyValue {
    Property(
      PropertyPath([name]),
      encode: { value throws(StoreError) in try (value?.rawValue).storedValue() },
      decode: { stored in
        if stored.isNull { return .some(nil) }
        return Value.RawValue(storedValue: stored).flatMap(Value.init(rawValue:))
      })
  }

  /// A property of a `Codable` type, kept as JSON.
  @_disfavoredOverload
  public static func modelProperty<Value: Codable & Sendable>(_ name: String, _ type: Value.Type)
    -> Property<Self, Value>
  {
    Property(
      PropertyPath([name]),
      encode: { value throws(StoreError) in .text(try JSONValue.encode(value)) },
      decode: { JSONValue.decode(type, $0) })
  }

  /// An optional property of a `Codable` type, kept as JSON.
  @_disfavoredOverload
  public static func modelProperty<Value: Codable & Sendable>(_ name: String, _ type: Value?.Type)
    -> Property<Self, Value?>
  {
    Property(
      PropertyPath([name]),
      encode: { value throws(StoreError) in
        guard let value else { return .null }
        return .text(try JSONValue.encode(value))
      },
      decode: { stored in stored.isNull ? .some(nil) : JSONValue.decode(Value.self, stored) })
  }

  /// A to-one reference.
  public static func modelProperty<Target: Model>(
    _ name: String, _ type: Reference<Target>.Type
  ) -> ReferenceProperty<Self, Target> where Target.Key: PropertyValue {
    ReferenceProperty(PropertyPath([name]))
  }

  /// A to-one reference that may be missing.
  public static func modelProperty<Target: Model>(
    _ name: String, _ type: Reference<Target>?.Type
  ) -> ReferenceProperty<Self, Target> where Target.Key: PropertyValue {
    ReferenceProperty(PropertyPath([name]))
  }

  /// A list of references.
  public static func modelProperty<Target: Model>(
    _ name: String, _ type: ReferenceList<Target>.Type
  ) -> ListProperty<Self, Target> {
    ListProperty(PropertyPath([name]))
  }
}

extension JSONValue {
  /// Reads a value of stored JSON.
  static func decode<Value: Decodable>(_ type: Value.Type, _ stored: StoredValue) -> Value? {
    guard case .text(var text) = stored else { return nil }
    return text.withUTF8 { decode(type, UnsafeRawBufferPointer($0)) }
  }
}
