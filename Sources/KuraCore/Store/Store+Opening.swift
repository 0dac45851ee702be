extension Store {
  /// Opens a store, or makes it, on a thread of its own; a cancelled task leaves the store as it was.
  ///
  /// - Throws: As the synchronous form, and ``StoreError/Code/cancelled``.
  /// - Parameter progress: Called now and then while the store is migrated.
  public static func open(
    _ configuration: StoreConfiguration, progress: MigrationProgress.Handler? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) -> Store {
    let limits = ExecutionLimits()
    do {
      return try await withTaskCancellationHandler {
        try await detached { () throws(StoreError) in
          try open(configuration, progress, limits)
        }
      } onCancel: {
        limits.cancel()
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.internalError, "opening ended in an unexpected way: \(type(of: error))")
    }
  }

  /// Opens a store, or makes it, on the calling thread.
  ///
  /// A file is looked at without being changed before it is opened for writing: whoever gets an
  /// error finds every byte as it was.
  ///
  /// An older store is migrated when the configuration says so; ``inspect(_:)-(StoreConfiguration)``
  /// tells before what would be done.
  ///
  /// - Parameter progress: Called now and then while the store is migrated; what it throws ends the
  ///   migration without effect.
  /// - Throws: ``StoreError/Code/migrationRequired`` and ``StoreError/Code/drifted`` with
  ///   ``StoreError/schemaDifference``, ``StoreError/Code/historyMismatch``,
  ///   ``StoreError/Code/conversionFailed``, ``StoreError/Code/assertionFailed``,
  ///   ``StoreError/Code/backupFailed``, ``StoreError/Code/newer``, ``StoreError/Code/foreign``,
  ///   ``StoreError/Code/missing``, ``StoreError/Code/empty``, ``StoreError/Code/targetExists`` and
  ///   all that a backend throws when it opens a file.
  public static func open(
    _ configuration: StoreConfiguration, progress: MigrationProgress.Handler? = nil
  ) throws(StoreError) -> Store {
    try open(configuration, progress, nil)
  }

  private static func open(
    _ configuration: StoreConfiguration, _ progress: MigrationProgress.Handler?,
    _ limits: ExecutionLimits?
  ) throws(StoreError) -> Store {
    guard configuration.location.path != nil else {
      return try openForWriting(configuration)
    }
    let path = configuration.location.path
    let finding = try look(configuration)
    guard case .schema(let comparison, let found) = finding else {
      if configuration.creation == .never || configuration.access == .readOnly {
        throw finding.absence(path)
      }
      return try openForWriting(configuration)
    }
    if configuration.creation == .mustBeNew { throw targetExists(path) }
    let mayWrite = configuration.access == .readWrite
    switch comparison {
    case .current where mayWrite:
      try found.history.check(configuration.migrations)
      return try openForWriting(configuration)
    case .older where configuration.whenMigrationIsNeeded == .migrate && mayWrite:
      // What cannot be planned throws before the file is opened for writing.
      try found.history.check(configuration.migrations)
      _ = try found.plan(configuration)
      try migrate(configuration, progress, limits)
      return try openForWriting(configuration)
    case .older where configuration.mayErase, .drifted where configuration.mayErase:
      return try openForWriting(configuration)
    case .current: break
    case .older where configuration.whenMigrationIsNeeded == .openReadOnly,
      .drifted where configuration.whenMigrationIsNeeded == .openReadOnly,
      .newer where configuration.whenStoreIsNewer == .openReadOnly:
      break
    case .older, .drifted, .newer, .foreign, .empty:
      throw comparison.error(expected: configuration.schema, path: path)
        ?? StoreError(.internalError, "a store cannot be opened for no reason", path: path)
    }
    return try openForReading(configuration, schema: found.schema)
  }

  /// Says what a store is, without changing anything.
  ///
  /// - Throws: What prevents to look: ``StoreError/Code/noPermission``,
  ///   ``StoreError/Code/locked``, ``StoreError/Code/encrypted``, ``StoreError/Code/newerFormat``.
  public static func inspect(_ configuration: StoreConfiguration) throws(StoreError) -> StoreState {
    guard configuration.location.path != nil else { return .missing }
    do {
      switch try look(configuration, counting: true) {
      case .missing: return .missing
      case .empty: return .empty
      case .schema(.older, let found): return found.pending(configuration)
      case .schema(let comparison, _):
        return comparison.state(expected: configuration.schema)
      }
    } catch {
      switch error.code {
      case .unknownFormat, .unsupportedFormat: return .foreign(error.message)
      default:
        guard error.code.kind == .damaged else { throw error }
        return .damaged(error)
      }
    }
  }

  /// Says what a store is, on a thread of its own.
  ///
  /// - Throws: As the synchronous form, and ``StoreError/Code/cancelled``.
  public static func inspect(
    _ configuration: StoreConfiguration, isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) -> StoreState {
    try await detached { () throws(StoreError) in try inspect(configuration) }
  }
}
