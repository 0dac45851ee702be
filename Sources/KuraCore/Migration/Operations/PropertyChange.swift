/// What ``MigrationOperation/changeProperty(model:_:_:)`` changes of a property; `nil` leaves it.
public struct PropertyChange: Sendable, Hashable {
  /// The new type.
  public var type: ValueType?
  /// Whether null is allowed from now on.
  public var isOptional: Bool?
  /// The new default; null removes it.
  public var defaultValue: StoredValue?
  /// Whether the property's values are unique from now on.
  public var isUnique: Bool?
  /// How values of the old type become values of the new one.
  public var conversion: ValueConversion
  /// The value in the place of nulls.
  public var replacingNulls: StoredValue?
  /// What becomes of values that cannot be converted.
  public var onFailure: MigrationFailurePolicy

  /// Makes a change.
  public init(
    type: ValueType? = nil, isOptional: Bool? = nil, defaultValue: StoredValue? = nil,
    isUnique: Bool? = nil, conversion: ValueConversion = .exact,
    replacingNulls: StoredValue? = nil, onFailure: MigrationFailurePolicy = .fail
  ) {
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.isUnique = isUnique
    self.conversion = conversion
    self.replacingNulls = replacingNulls
    self.onFailure = onFailure
  }

  /// Another type, converting the values.
  public static func type(
    _ type: ValueType, _ conversion: ValueConversion = .exact,
    onFailure: MigrationFailurePolicy = .fail
  ) -> PropertyChange {
    PropertyChange(type: type, conversion: conversion, onFailure: onFailure)
  }

  /// A value is required from now on; nulls become a value.
  public static func required(replacingNulls value: StoredValue? = nil) -> PropertyChange {
    PropertyChange(isOptional: false, replacingNulls: value)
  }

  /// Null is allowed from now on.
  public static let optional = PropertyChange(isOptional: true)

  /// Another default for new records; null removes it.
  public static func defaultValue(_ value: StoredValue) -> PropertyChange {
    PropertyChange(defaultValue: value)
  }

  /// Whether values are unique from now on.
  public static func unique(_ isUnique: Bool = true) -> PropertyChange {
    PropertyChange(isUnique: isUnique)
  }
}

extension PropertyChange {
  /// The changed property.
  func applied(to property: PropertyDescription) -> PropertyDescription {
    var changed = property
    changed.type = type ?? property.type
    changed.isOptional = isOptional ?? property.isOptional
    // A literal `nil` beside a value would be the value null.
    if let defaultValue { changed.defaultValue = defaultValue.isNull ? .none : .some(defaultValue) }
    return changed
  }

  /// Whether values have to be written again, and not only the description.
  func changesValues(of property: PropertyDescription) -> Bool {
    (type ?? property.type) != property.type || replacingNulls != nil
  }
}

extension PropertyChange: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case type, optional, unique, conversion, replacingNulls, onFailure
    case defaultValue = "default"
  }

  /// Encodes what changes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(type, forKey: .type)
    try container.encodeIfPresent(isOptional, forKey: .optional)
    try container.encodeIfPresent(defaultValue, forKey: .defaultValue)
    try container.encodeIfPresent(isUnique, forKey: .unique)
    if conversion != .exact { try container.encode(conversion, forKey: .conversion) }
    try container.encodeIfPresent(replacingNulls, forKey: .replacingNulls)
    if onFailure != .fail { try container.encode(onFailure, forKey: .onFailure) }
  }

  /// Decodes a change; unknown members are refused.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      type: try container.decodeIfPresent(ValueType.self, forKey: .type),
      isOptional: try container.decodeIfPresent(Bool.self, forKey: .optional),
      // A null is a change of its own: it removes the default.
      defaultValue: container.contains(.defaultValue)
        ? .some(try container.decode(StoredValue.self, forKey: .defaultValue)) : .none,
      isUnique: try container.decodeIfPresent(Bool.self, forKey: .unique),
      conversion: try container.decodeIfPresent(ValueConversion.self, forKey: .conversion)
        ?? .exact,
      replacingNulls: try container.decodeIfPresent(StoredValue.self, forKey: .replacingNulls),
      onFailure: try container.decodeIfPresent(MigrationFailurePolicy.self, forKey: .onFailure)
        ?? .fail)
  }
}
