extension Store {
  /// What a look at a file found besides the comparison of its schema.
  struct Found {
    /// The schema that the file records.
    let schema: Schema
    let history: MigrationHistory
    let capabilities: Capabilities
    /// The numbers of records by model, when they were counted.
    let counts: [String: Int64]

    /// The plan that leads to the configuration's schema.
    func plan(_ configuration: StoreConfiguration) throws(StoreError) -> MigrationPlan {
      do {
        return try MigrationPlanner(
          migrations: configuration.migrations, wanted: configuration.schema,
          capabilities: capabilities
        ).plan(from: schema)
      } catch {
        throw error.at(configuration.location.path)
      }
    }

    /// The state of an older store.
    func pending(_ configuration: StoreConfiguration) -> StoreState {
      do throws(StoreError) {
        try history.check(configuration.migrations)
        return .pending(try plan(configuration).counting(counts))
      } catch {
        return .unexplained(error)
      }
    }
  }

  /// Migrates a store that is not open here, as ``open(_:progress:)`` does, and leaves it closed.
  ///
  /// - Returns: What was done; `nil` when the store has the expected schema already.
  /// - Throws: As ``open(_:progress:)``.
  @discardableResult
  public static func migrate(
    _ configuration: StoreConfiguration, progress: MigrationProgress.Handler? = nil,
    limits: ExecutionLimits? = nil
  ) throws(StoreError) -> MigrationReport? {
    switch try look(configuration) {
    case .schema(.older, let found):
      try found.history.check(configuration.migrations)
      _ = try found.plan(configuration)
      return try migrate(configuration, progress, limits)
    case .schema(let comparison, let found):
      if let error = comparison.error(
        expected: configuration.schema, path: configuration.location.path)
      {
        throw error
      }
      try found.history.check(configuration.migrations)
      return nil
    case let finding: throw finding.absence(configuration.location.path)
    }
  }

  /// Migrates with an engine of its own, because limits end with the work that they limit.
  @discardableResult
  static func migrate(
    _ configuration: StoreConfiguration, _ progress: MigrationProgress.Handler?,
    _ limits: ExecutionLimits?
  ) throws(StoreError) -> MigrationReport? {
    var options = configuration.options(.readWrite(create: false))
    options.limits = limits
    let engine = try EngineOpener.open(
      configuration.location, format: configuration.format, options: options,
      backends: configuration.backends)
    return try closingOnError(engine) { () throws(StoreError) in
      let runner = MigrationRunner(engine, configuration, MigrationMonitor(progress, limits))
      var report = try runner.run()
      do throws(StoreError) {
        try engine.close()
      } catch {
        guard report != nil else { throw error }
        // The migration is committed; the next program that opens the store does what was left.
        report?.notes.append("closing the store failed: \(error.message)")
      }
      return report
    }
  }

  /// The migrations that the store went through, the oldest first.
  ///
  /// - Throws: ``StoreError/Code/closed``, ``StoreError/Code/damaged`` and what reading throws.
  public func history() throws(StoreError) -> MigrationHistory {
    try lifetime.enter()
    defer { lifetime.leave() }
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    return try MigrationHistory(try transaction.history())
  }
}
