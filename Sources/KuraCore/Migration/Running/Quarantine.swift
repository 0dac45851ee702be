/// Records that a migration could not bring into a new shape, with all their values.
public struct QuarantinedRecord: Sendable, Hashable {
  /// The number in the store's quarantine.
  public var number: Int64
  /// The identity of the migration.
  public var migration: String
  /// The name of the model that the record left.
  public var model: String
  /// Why.
  public var reason: String
  /// The values by property, as they were.
  public var values: [String: StoredValue]
}

/// The model in which a store keeps them; no part of any schema.
enum Quarantine {
  static let name = "kura_quarantine"

  static let model = ModelDescription(
    name, primaryKey: ["number"],
    properties: [
      PropertyDescription("number", .integer), PropertyDescription("migration", .text),
      PropertyDescription("model", .text), PropertyDescription("reason", .text),
      PropertyDescription("record", .json),
    ])

  static let layout = ModelLayout(model)
}
