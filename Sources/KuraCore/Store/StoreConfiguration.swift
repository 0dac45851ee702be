/// Where a store lives, what it must hold, and what to do when it holds something else.
///
/// ```swift
/// let configuration = StoreConfiguration(at: .file("library.db"), schema: schema)
/// let store = try await Store.open(configuration)
/// ```
///
/// Add `backends:` when you do not import the umbrella module `Kura`.
public struct StoreConfiguration: Sendable {
  /// What to do with a store whose schema is older than the expected one or differs from it.
  public enum MigrationPolicy: Sendable, Hashable {
    /// Migrates an older store: by the migrations, and by what can be inferred without loss. What
    /// nothing explains throws ``StoreError/Code/migrationRequired`` with the difference and leaves
    /// the file as it is, as does ``StoreError/Code/drifted`` for another schema of the same version.
    case migrate
    /// Throws ``StoreError/Code/migrationRequired`` or ``StoreError/Code/drifted`` with the
    /// difference and leaves the file as it is.
    case `throw`
    /// Opens the store for reading only, with the schema that the file records.
    case openReadOnly
    /// Deletes every record and begins anew with the expected schema, in one transaction. For
    /// development only. Files that Kura did not make are never erased.
    case eraseData
  }

  /// What to do with a store whose schema is newer than the expected one.
  public enum NewerPolicy: Sendable, Hashable {
    /// Throws ``StoreError/Code/newer`` and leaves the file as it is.
    case `throw`
    /// Opens the store for reading only, with the schema that the file records.
    case openReadOnly
  }

  /// Whether a store may be made.
  public enum Creation: Sendable, Hashable {
    /// Makes the store when there is no file, or an empty one.
    case ifMissing
    /// Throws ``StoreError/Code/missing`` or ``StoreError/Code/empty`` instead of making a store.
    case never
    /// Throws ``StoreError/Code/targetExists`` when there is something already.
    case mustBeNew
  }

  /// What may be done with the store.
  public enum Access: Sendable, Hashable {
    /// Reading and writing.
    case readWrite
    /// Reading; not a byte, name or time in the file's folder changes.
    case readOnly
  }

  /// Where the store lives.
  public var location: StoreLocation
  /// What the store must hold.
  public var schema: Schema
  /// The migrations that lead to the schema.
  public var migrations: Migrations
  /// Whether the store is copied before it is migrated.
  public var backup: BackupPolicy
  /// What to do with an older or different schema.
  public var whenMigrationIsNeeded: MigrationPolicy
  /// What to do with a newer schema.
  public var whenStoreIsNewer: NewerPolicy
  /// Whether the store may be made.
  public var creation: Creation
  /// What may be done with the store.
  public var access: Access
  /// How safely a commit reaches the disk.
  public var durability: Durability
  /// How long to wait for locks of other connections and processes.
  public var busyTimeout: Duration
  /// The most readers at once in this process.
  public var maximumReaders: Int
  /// The format of a new store; `nil` takes the first backend's.
  public var format: StoreFormat?
  /// The backends to choose from by the file's content.
  public var backends: [any StorageBackend]

  /// Makes a configuration.
  public init(
    at location: StoreLocation, schema: Schema, migrations: Migrations = .none,
    whenMigrationIsNeeded: MigrationPolicy = .migrate,
    backup: BackupPolicy = .beforeMigrating(keep: 2), whenStoreIsNewer: NewerPolicy = .throw,
    creation: Creation = .ifMissing, access: Access = .readWrite, durability: Durability = .full,
    busyTimeout: Duration = .seconds(5), maximumReaders: Int = 5, format: StoreFormat? = nil,
    backends: [any StorageBackend]
  ) {
    self.location = location
    self.schema = schema
    self.migrations = migrations
    self.backup = backup
    self.whenMigrationIsNeeded = whenMigrationIsNeeded
    self.whenStoreIsNewer = whenStoreIsNewer
    self.creation = creation
    self.access = access
    self.durability = durability
    self.busyTimeout = busyTimeout
    self.maximumReaders = maximumReaders
    self.format = format
    self.backends = backends
  }

  func options(_ access: EngineOptions.Access) -> EngineOptions {
    EngineOptions(
      access: access, durability: durability, busyTimeout: busyTimeout,
      maximumReaders: maximumReaders)
  }
}
