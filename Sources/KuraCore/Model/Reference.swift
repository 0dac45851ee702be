/// A reference to a record of a model: its key.
///
/// A reference is a value. The record that it leads to is read when it is asked for, and may have
/// been deleted by then:
///
/// ```swift
/// let player = try transaction.record(result.player)
/// ```
public struct Reference<Target: Model>: Hashable, Sendable {
  /// The key of the record.
  public var key: Target.Key

  /// Makes a reference to the record of a key.
  public init(_ key: Target.Key) { self.key = key }

  /// Makes a reference to a record.
  public init(to record: Target) { key = record.modelKey }
}

extension Reference: PropertyValue where Target.Key: PropertyValue {
  /// The type of the target's key.
  public static var valueType: ValueType { Target.Key.valueType }
  /// The target's model.
  public static var referencedModel: String? { Target.modelName }

  /// Reads a key.
  @inlinable public init?(slot: ColumnSlot) {
    guard let key = Target.Key(slot: slot) else { return nil }
    self.init(key)
  }

  /// Writes the key.
  @inlinable public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    try key.write(into: row, at: column)
  }
}

extension Reference: ModelKey where Target.Key: PropertyValue {}

extension Reference: Codable where Target.Key: Codable {
  /// Decodes the key.
  public init(from decoder: any Decoder) throws {
    key = try decoder.singleValueContainer().decode(Target.Key.self)
  }

  /// Encodes the key.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(key)
  }
}
