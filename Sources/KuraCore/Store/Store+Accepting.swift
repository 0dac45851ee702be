#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Store {
  /// Notes in a store's history that migrations which were edited after it went through them count as the
  /// same, so that it opens again.
  ///
  /// For the case that somebody knows that the edit makes no difference to this store: nothing but the
  /// history changes. Each note has the time, the process, and the operations as they are now; the entry of
  /// what was carried out stays as it is.
  ///
  /// - Returns: The notes; empty when nothing had to be accepted.
  /// - Throws: What opening and writing the file throws.
  @discardableResult
  public static func acceptHistory(_ configuration: StoreConfiguration) throws(StoreError)
    -> [MigrationRecord]
  {
    let engine = try EngineOpener.open(
      configuration.location, format: configuration.format,
      options: configuration.options(.readWrite(create: false)),
      backends: configuration.backends)
    return try closingOnError(engine) { () throws(StoreError) in
      let transaction = try engine.beginWrite(timeout: nil)
      defer { transaction.end() }
      var notes: [MigrationRecord] = []
      let history = try MigrationHistory(try transaction.history())
      for (record, migration) in history.mismatches(with: configuration.migrations) {
        var note = record
        note.kind = .accept
        note.checksum = migration.checksum
        note.operations = migration.operations
        note.started = MigrationRunner.now()
        note.milliseconds = 0
        note.work = MigrationWork()
        note.backup = nil
        note.tool = MigrationRunner.tool
        note.process = getpid()
        try transaction.appendHistory(note.entry)
        notes.append(note)
      }
      if !notes.isEmpty { try transaction.commit() }
      transaction.end()
      try engine.close()
      return notes
    }
  }
}
