/// An earlier name of a model or property of a schema, by which a migration finds its data.
public struct SchemaRename: Sendable, Hashable {
  /// The name of the model now.
  public let model: String
  /// The name of the property or list now; `nil` for the model itself.
  public let property: String?
  /// The earlier name.
  public let from: String

  /// Makes a rename of a model.
  public init(model: String, from: String) {
    self.model = model
    property = nil
    self.from = from
  }

  /// Makes a rename of a property or list.
  public init(model: String, property: String, from: String) {
    self.model = model
    self.property = property
    self.from = from
  }
}
