extension Store {
  /// Puts a backup in the place of a store: content, schema and history become those of the backup, which
  /// stays where it is.
  ///
  /// The backup is checked first, and the store afterwards. What changes is done as a whole: after a
  /// crash the store is what it was or what the backup is. Nobody may have the store open, here or in
  /// another process. A store that is missing or damaged is made anew.
  ///
  /// ```swift
  /// try Store.restore(configuration, from: "library.db.backup-20261130010203123-v1")
  /// ```
  ///
  /// - Parameter configuration: Says where the store is; its schema and migrations are not looked at.
  /// - Returns: The version of the restored store's schema.
  /// - Throws: ``StoreError/Code/missing`` and ``StoreError/Code/damaged`` for the backup,
  ///   ``StoreError/Code/foreign`` when it is no store of Kura's or of another backend than the store,
  ///   ``StoreError/Code/locked`` when the store is open, ``StoreError/Code/diskFull``.
  @discardableResult
  public static func restore(_ configuration: StoreConfiguration, from backup: String)
    throws(StoreError) -> Int
  {
    guard let path = configuration.location.path else {
      throw StoreError(
        .unsupportedQuery, "a store in memory has no file to restore",
        suggestion: "open the backup instead")
    }
    let wanted = try RestoredContent(of: backup, .deep, configuration)
    let found = try FormatRecognition.look(at: path, backends: configuration.backends)
    if case .format(let format) = found, format != wanted.format {
      throw StoreError(
        .foreign, "the backup is of another backend than the store", path: path,
        found: wanted.format.rawValue, expected: format.rawValue,
        suggestion: "name another backup")
    }
    if case .format = found { try refuseForeign(path, configuration) }
    guard let backend = configuration.backends.first(where: { $0.format == wanted.format }) else {
      throw StoreError(.unsupportedFormat, "there is no backend for the backup", path: backup)
    }
    try backend.restore(path, from: backup, timeout: configuration.busyTimeout)
    let restored = try RestoredContent(of: path, .quick, configuration)
    guard restored == wanted else {
      throw StoreError(
        .damaged, "the restored store is not what the backup is", path: path,
        suggestion: "restore once more, or copy the backup by hand")
    }
    return wanted.version
  }

  /// Throws for a database of another program; what cannot be read at all may be replaced.
  private static func refuseForeign(_ path: String, _ configuration: StoreConfiguration)
    throws(StoreError)
  {
    do throws(StoreError) {
      let engine = try EngineOpener.open(
        .file(path), options: EngineOptions(access: .readOnly), backends: configuration.backends)
      defer { try? engine.close() }
      let transaction = try engine.beginRead()
      defer { transaction.end() }
      let stored = try transaction.storedSchema()
      guard stored.kuraSchema == nil, !stored.models.isEmpty else { return }
    } catch {
      guard error.code.kind == .damaged else { throw error }
      return
    }
    throw StoreError(
      .foreign, "the file to replace is no store of Kura's", path: path,
      suggestion: "name another path, or remove the file")
  }
}

/// What a backup and the store that is made of it must have in common.
private struct RestoredContent: Equatable {
  let format: StoreFormat
  let version: Int
  let fingerprint: String
  let history: [String]
  let counts: [String: Int64]

  init(of path: String, _ depth: CheckDepth, _ configuration: StoreConfiguration)
    throws(StoreError)
  {
    let engine = try EngineOpener.open(
      .file(path), options: EngineOptions(access: .readOnly), backends: configuration.backends)
    defer { try? engine.close() }
    if let finding = try engine.check(depth, progress: nil).findings.first {
      throw StoreError(
        .damaged, "the file is damaged: \(finding.message)", path: path,
        suggestion: "take another backup")
    }
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    guard let schema = try transaction.storedSchema().kuraSchema else {
      throw StoreError(
        .foreign, "the file is no store of Kura's", path: path, suggestion: "name a backup")
    }
    format = engine.format
    version = schema.version
    fingerprint = schema.fingerprint
    history = try transaction.history().map(\.json)
    var counts: [String: Int64] = [:]
    for model in schema.models {
      counts[model.name] = try MigrationRunner.count(model, transaction)
    }
    self.counts = counts
  }
}
