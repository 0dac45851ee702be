/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
  /// What is being done.
  public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
    /// The copy before the migration is made.
    case backup
    /// Operations change the store.
    case running
    /// What must not have changed is compared.
    case verifying
  }

  /// What is being done.
  public var phase: Phase
  /// The migration's identity, while one runs.
  public var migration: String?
  /// The operation in a few words, while one runs.
  public var operation: String?
  /// The records, or pages of a copy, that are done of the phase.
  public var done: Int64
  /// How many there are, when that is known.
  public var total: Int64?
  /// How many are done in a second, once that can be said.
  public var rate: Double?
  /// How long the rest of the phase will take at this rate.
  public var remaining: Duration?

  /// Called now and then; throwing, by convention ``StoreError/Code/cancelled``, ends the migration
  /// without effect.
  public typealias Handler = @Sendable (MigrationProgress) throws(StoreError) -> Void
}
