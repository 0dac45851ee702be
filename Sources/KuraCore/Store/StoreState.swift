/// What a store is compared with a configuration, as ``Store/inspect(_:)`` finds it.
public enum StoreState: Sendable, Hashable {
  /// The store has the expected schema.
  case current
  /// The store has an older schema; opening it with
  /// ``StoreConfiguration/MigrationPolicy/migrate`` carries out the plan.
  case pending(MigrationPlan)
  /// The store has an older schema and cannot be migrated: the error says what no migration explains,
  /// or which migration is not the one that the store went through.
  case unexplained(StoreError)
  /// The store has a newer schema, of this version.
  case newer(version: Int)
  /// The store has the expected version, but another schema; the difference leads to the expected
  /// one.
  case drifted(SchemaDiff)
  /// The file is something that Kura did not make; the text says what.
  case foreign(String)
  /// The file is damaged; the error says how.
  case damaged(StoreError)
  /// The file has no bytes, or a database without tables: a store can be made in it.
  case empty
  /// There is no file.
  case missing
}
