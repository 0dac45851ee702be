extension PropertyDescription {
  /// Describes a property of a type that stores know.
  ///
  /// - Parameters:
  ///   - onDelete: For references, what deleting the record does that is referred to; `nil` is
  ///     nullify for optional references and deny for others.
  ///   - isKey: Whether the property is part of the primary key, which has no default.
  public static func of<Value: PropertyValue>(
    _ name: String, _ type: Value.Type, default value: StoredValue? = nil,
    onDelete: ReferenceDescription.DeleteRule? = nil
  ) -> PropertyDescription {
    PropertyDescription(
      name, Value.valueType, isOptional: Value.isOptionalValue, defaultValue: value,
      reference: Value.referencedModel.map { target in
        ReferenceDescription(
          to: target, onDelete: onDelete ?? (Value.isOptionalValue ? .nullify : .deny))
      })
  }

  /// Describes a property of a type that is both: as of a type that stores know.
  public static func of<Value: PropertyValue & RawRepresentable>(
    _ name: String, _ type: Value.Type, default value: StoredValue? = nil
  ) -> PropertyDescription where Value.RawValue: PropertyValue {
    PropertyDescription(
      name, Value.valueType, isOptional: Value.isOptionalValue, defaultValue: value)
  }

  /// Describes a property of an enum or another type with raw values.
  public static func of<Value: RawRepresentable>(
    _ name: String, _ type: Value.Type, default value: StoredValue? = nil
  ) -> PropertyDescription where Value.RawValue: PropertyValue {
    PropertyDescription(name, Value.RawValue.valueType, defaultValue: value)
  }

  /// Describes an optional property of an enum or another type with raw values.
  public static func of<Value: RawRepresentable>(
    _ name: String, _ type: Value?.Type, default value: StoredValue? = nil
  ) -> PropertyDescription where Value.RawValue: PropertyValue {
    PropertyDescription(name, Value.RawValue.valueType, isOptional: true, defaultValue: value)
  }

  /// Describes a property of a `Codable` type, kept as JSON.
  @_disfavoredOverload
  public static func of<Value: Codable>(
    _ name: String, _ type: Value.Type, default value: StoredValue? = nil
  ) -> PropertyDescription {
    PropertyDescription(name, .json, defaultValue: value)
  }

  /// Describes an optional property of a `Codable` type, kept as JSON.
  @_disfavoredOverload
  public static func of<Value: Codable>(
    _ name: String, _ type: Value?.Type, default value: StoredValue? = nil
  ) -> PropertyDescription {
    PropertyDescription(name, .json, isOptional: true, defaultValue: value)
  }
}
