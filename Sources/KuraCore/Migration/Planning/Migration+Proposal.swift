extension Migration {
  /// The migration that leads from one schema to a later one, for people to read and correct: what can
  /// be inferred, and operations for the rest.
  ///
  /// - Parameter new: The later schema, with the renames that are known.
  /// - Throws: ``StoreError/Code/migrationRequired`` with the difference that no operations explain.
  package static func proposal(_ id: String, from old: Schema, to new: Schema) throws(StoreError)
    -> Migration
  {
    guard new.version > old.version else {
      throw StoreError(
        .invalidSchema, "the new schema has no later version than the old one",
        found: "version \(new.version)", expected: "more than \(old.version)",
        suggestion: "give the changed schema a new version")
    }
    let inference = try SchemaInference(from: old, to: new)
    let migration = Migration(
      id, from: old.version, to: new.version,
      operations: inference.operations + inference.rest.operations)
    let reached = try migration.applied(to: old)
    let rest = SchemaDiff(from: reached, to: new)
    guard rest.isEmpty else {
      var error = StoreError(
        .migrationRequired, "no operations are known for a part of the difference",
        found: rest.changes.map(\.description).joined(separator: "; "),
        suggestion: "write this migration by hand, or change the schema in several steps")
      error.schemaDifference = rest
      throw error
    }
    return migration
  }
}
