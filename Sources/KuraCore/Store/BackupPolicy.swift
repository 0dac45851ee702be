/// Whether a store is copied before it is migrated.
public enum BackupPolicy: Sendable, Hashable {
  /// No copy.
  case none
  /// A checked copy beside the store before a migration that writes records again or loses something;
  /// so many of the newest ones are kept.
  ///
  /// What only adds to descriptions is one small transaction and makes no copy.
  case beforeMigrating(keep: Int = 2)

  /// A checked copy at a path, which must not exist, before whatever migration.
  case at(String)
}
