extension Store {
  /// Opens a store, or makes it, on a thread of its own.
  ///
  /// - Throws: As the synchronous form, and ``StoreError/Code/cancelled``.
  public static func open(
    _ configuration: StoreConfiguration, isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) -> Store {
    try await detached { () throws(StoreError) in try open(configuration) }
  }

  /// Opens a store, or makes it, on the calling thread.
  ///
  /// A file is looked at without being changed before it is opened for writing: whoever gets an
  /// error finds every byte as it was.
  ///
  /// - Throws: ``StoreError/Code/migrationRequired`` and ``StoreError/Code/drifted`` with
  ///   ``StoreError/schemaDifference``, ``StoreError/Code/newer``, ``StoreError/Code/foreign``,
  ///   ``StoreError/Code/missing``, ``StoreError/Code/empty``, ``StoreError/Code/targetExists`` and
  ///   all that a backend throws when it opens a file.
  public static func open(_ configuration: StoreConfiguration) throws(StoreError) -> Store {
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
    switch comparison {
    case .current where configuration.access == .readWrite:
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
    return try openForReading(configuration, schema: found)
  }

  /// Says what a store is, without changing anything.
  ///
  /// - Throws: What prevents to look: ``StoreError/Code/noPermission``,
  ///   ``StoreError/Code/locked``, ``StoreError/Code/encrypted``, ``StoreError/Code/newerFormat``.
  public static func inspect(_ configuration: StoreConfiguration) throws(StoreError) -> StoreState {
    guard configuration.location.path != nil else { return .missing }
    do {
      switch try look(configuration) {
      case .missing: return .missing
      case .empty: return .empty
      case .schema(let comparison, _): return comparison.state
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
