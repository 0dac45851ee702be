/// A record type: its name, properties, primary key and indexes.
public struct ModelDescription: Sendable, Hashable {
  /// The name, unique in its schema.
  public var name: String
  /// The properties in the order of declaration.
  public var properties: [PropertyDescription]
  /// The names of the properties that make the primary key, most significant first; at least one.
  public var primaryKey: [String]
  /// The indexes besides the primary key.
  public var indexes: [IndexDescription]
  /// What list the model keeps, when its records are the elements of lists.
  public var list: ListDescription?

  /// Makes a description; a schema checks it when the schema is made.
  public init(
    _ name: String, primaryKey: [String], properties: [PropertyDescription],
    indexes: [IndexDescription] = [], list: ListDescription? = nil
  ) {
    self.name = name
    self.properties = properties
    self.primaryKey = primaryKey
    self.indexes = indexes
    self.list = list
  }
}
