extension StoreConfiguration {
  /// Makes a configuration with all backends of this build.
  public init(
    at location: StoreLocation, schema: Schema, migrations: Migrations = .none,
    whenMigrationIsNeeded: MigrationPolicy = .migrate,
    backup: BackupPolicy = .beforeMigrating(keep: 2), whenStoreIsNewer: NewerPolicy = .throw,
    creation: Creation = .ifMissing, access: Access = .readWrite, durability: Durability = .full,
    busyTimeout: Duration = .seconds(5), maximumReaders: Int = 5, format: StoreFormat? = nil
  ) {
    self.init(
      at: location, schema: schema, migrations: migrations,
      whenMigrationIsNeeded: whenMigrationIsNeeded, backup: backup,
      whenStoreIsNewer: whenStoreIsNewer, creation: creation, access: access,
      durability: durability, busyTimeout: busyTimeout, maximumReaders: maximumReaders,
      format: format, backends: Backends.default)
  }
}
