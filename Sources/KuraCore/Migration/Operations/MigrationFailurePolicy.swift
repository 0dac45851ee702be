/// What becomes of a record that an operation cannot bring into the new shape.
public enum MigrationFailurePolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// The migration throws and nothing changes.
  case fail
  /// The value becomes null, where the property is optional.
  case null
  /// The value becomes the property's default.
  case `default`
  /// The record leaves the model and stays, with its values and the reason, in the store's
  /// quarantine.
  case quarantine
}
