/// A version number and a set of models: what an application expects a store to hold.
///
/// A schema that exists is consistent: making one checks names, keys, indexes, references and
/// defaults, and throws instead of trapping.
public struct Schema: Sendable, Hashable {
  /// The version, 1 to 2,147,483,647; 0 is a store without a schema.
  public let version: Int
  /// The models, ordered by name.
  public let models: [ModelDescription]

  /// Makes a schema.
  ///
  /// - Throws: ``StoreError/Code/invalidSchema``, ``StoreError/Code/invalidName``.
  public init(version: Int, _ models: [ModelDescription]) throws(StoreError) {
    self.version = version
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
