/// What a store says of its version, for planning without the app that expects a schema.
package struct MigrationSurvey {
  /// The schema that the store records.
  package let schema: Schema
  /// The migrations that it went through.
  package let history: MigrationHistory
  /// The first difference between the file and its record of the schema; `nil` when there is none.
  package let drift: String?
  private let capabilities: Capabilities
  private let format: StoreFormat

  /// Looks at an open file.
  ///
  /// - Returns: `nil` when Kura did not make it.
  /// - Throws: ``StoreError/Code/damaged``, ``StoreError/Code/newerFormat`` and what reading throws.
  package init?(_ engine: any StorageEngine) throws(StoreError) {
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    let stored = try transaction.storedSchema()
    guard let schema = stored.kuraSchema else { return nil }
    self.schema = schema
    history = try MigrationHistory(try transaction.history())
    drift = SchemaShape.difference(stored, schema)
    capabilities = engine.capabilities
    format = engine.format
  }

  /// The plan that leads to a schema.
  ///
  /// - Throws: As ``Store/migrate(_:progress:limits:)`` does before it opens the file for writing.
  package func plan(_ migrations: Migrations, to wanted: Schema) throws(StoreError) -> MigrationPlan
  {
    try history.check(migrations)
    return try MigrationPlanner(
      migrations: migrations, wanted: wanted, capabilities: capabilities
    ).plan(from: schema)
  }

  /// The plan with the numbers of records.
  package func counting(_ plan: MigrationPlan, _ engine: any StorageEngine) throws(StoreError)
    -> MigrationPlan
  {
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    var counts: [String: Int64] = [:]
    for model in schema.models {
      counts[model.name] = try MigrationRunner.count(model, transaction)
    }
    return plan.counting(counts)
  }
}

extension Migrations {
  /// The schema that the migrations make of a stored one, up to a version.
  ///
  /// - Throws: What ``pending(from:)`` and ``Migration/applied(to:)`` throw.
  package func schema(from stored: Schema, to version: Int) throws(StoreError) -> Schema {
    var current = stored
    for migration in try pending(from: stored.version) where migration.to <= version {
      if migration.from > current.version {
        current = try Schema(version: migration.from, current.models)
      }
      current = try migration.applied(to: current)
    }
    return current
  }
}

extension Store {
  /// Migrates a store in an engine of the caller's, which stays open.
  ///
  /// - Returns: What was done; `nil` when the store has the expected schema already.
  package static func migrate(
    _ engine: any StorageEngine, _ configuration: StoreConfiguration,
    progress: MigrationProgress.Handler? = nil, limits: ExecutionLimits? = nil
  ) throws(StoreError) -> MigrationReport? {
    try MigrationRunner(engine, configuration, MigrationMonitor(progress, limits)).run()
  }
}
