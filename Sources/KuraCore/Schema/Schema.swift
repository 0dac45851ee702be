/// A version number and a set of models: what an application expects a store to hold.
///
/// A schema that exists is consistent: making one checks names, keys, indexes, references and
/// defaults, and throws instead of trapping.
public struct Schema: Sendable {
  /// The version, 1 to 2,147,483,647; 0 is a store without a schema.
  public let version: Int
  /// The models, ordered by name.
  public let models: [ModelDescription]
  /// Earlier names of models and properties, by which a migration finds their data; no part of the
  /// schema's identity and JSON.
  public let renames: [SchemaRename]

  /// Makes a schema.
  ///
  /// - Throws: ``StoreError/Code/invalidSchema``, ``StoreError/Code/invalidName``.
  public init(version: Int, _ models: [ModelDescription]) throws(StoreError) {
    try self.init(version: version, models, renames: [])
  }

  /// Makes a schema of models with earlier names.
  ///
  /// - Throws: ``StoreError/Code/invalidSchema``, ``StoreError/Code/invalidName``.
  public init(version: Int, _ models: [ModelDescription], renames: [SchemaRename])
    throws(StoreError)
  {
    self.version = version
    self.renames = renames
    self.models =
      models
      .map(\.normalised)
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    try validate()
  }

  /// The model of a name.
  public func model(named name: String) -> ModelDescription? {
    models.first { $0.name == name }
  }
}

extension Schema: Hashable {
  /// Whether version and models are equal.
  public static func == (left: Schema, right: Schema) -> Bool {
    left.version == right.version && left.models == right.models
  }

  /// Hashes version and models.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(models)
  }
}
