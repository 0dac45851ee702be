import Kura
import KuraCore

/// `migrate baseline`: says which version a file of another program has, or that an edited migration
/// counts as the one that a store went through.
enum MigrateBaselineCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    try MigrateCommand.needFolder("baseline", context)
    guard context.path != "-" else {
      throw UsageError.make(
        "migrate baseline writes into a file, and - is none", hint: "name the file")
    }
    let folder = try MigrationFolder(context.arguments.value("with") ?? "")
    let survey = try survey(context)
    let record: MigrationRecord
    if let survey {
      record = try acceptance(survey, folder, context)
    } else {
      record = try baseline(folder, context)
    }
    guard context.arguments.has("write") else {
      throw StoreError(
        .readOnly, "baseline writes an entry into the file's history", path: context.path,
        found: "\(record.kind.rawValue) \"\(record.id)\", version \(record.to)",
        suggestion: "allow it with --write")
    }
    let to = try append(record, context)
    let isJSON = try MigrateCommand.isJSON(context)
    if isJSON {
      try context.bytes.append(to.json + "\n")
    } else if to.kind == .accept {
      try MigrateCommand.line(
        "accepted: \"\(to.id)\" as it is now in \(FileName.shown(folder.path))", context)
    } else {
      try MigrateCommand.line("baseline: version \(to.to)", context)
    }
    try context.bytes.flush()
    return .done
  }

  /// Looks at the file, which is not opened for writing before it is known what would be written.
  private static func survey(_ context: CommandContext) throws(StoreError) -> MigrationSurvey? {
    let engine = try EngineOpener.open(
      .file(DataFile.path(of: context.path)),
      options: EngineOptions(access: .readOnly, isUntrusted: true, limits: context.limits),
      backends: Backends.all)
    defer { try? engine.close() }
    let survey = try MigrationSurvey(engine)
    guard survey != nil || engine.format == .sqlite else {
      throw MigrationOutlook.refusal(engine, context.path)
    }
    return survey
  }

  // MARK: Kura's stores

  private static func acceptance(
    _ survey: MigrationSurvey, _ folder: MigrationFolder, _ context: CommandContext
  ) throws(StoreError) -> MigrationRecord {
    guard let id = context.arguments.value("accept") else {
      throw UsageError.make(
        "a store of Kura's has its version already: \(survey.schema.version)",
        hint: "--accept NAME lets an edited migration count as the one that was carried out")
    }
    guard let file = folder.file(of: id) else {
      let hint = closestMatch(id, in: folder.files.map(\.migration.id))
      throw UsageError.make(
        "no migration in \(folder.path) has the identity \"\(id)\"",
        hint: hint.map { "did you mean \"\($0)\"?" })
    }
    guard let old = survey.history.records.last(where: { $0.kind == .apply && $0.id == id }) else {
      throw UsageError.make("the store did not go through the migration \"\(id)\"")
    }
    return MigrationRecord.now(
      .accept, id: id, checksum: file.migration.checksum, from: old.from, to: old.to,
      fromFingerprint: old.fromFingerprint, toFingerprint: old.toFingerprint,
      operations: file.migration.operations)
  }

  // MARK: Files of other programs

  private static func baseline(_ folder: MigrationFolder, _ context: CommandContext)
    throws(StoreError) -> MigrationRecord
  {
    let known = Set(folder.migrations.all.flatMap { [$0.from, $0.to] }).sorted()
    let versions = known.map(String.init).joined(separator: ", ")
    guard let text = context.arguments.value("to") else {
      throw UsageError.make(
        "baseline needs --to N, the version that the file has now", hint: "one of \(versions)")
    }
    let version = try OptionValues.count(text, "--to")
    guard known.contains(version) else {
      throw UsageError.make(
        "no migration in \(folder.path) begins or ends with version \(version)",
        hint: "one of \(versions)")
    }
    return MigrationRecord.now(
      .baseline, id: "baseline", checksum: "", from: 0, to: version, fromFingerprint: "",
      toFingerprint: "")
  }

  /// Writes an entry in a transaction of its own.
  private static func append(_ record: MigrationRecord, _ context: CommandContext)
    throws(StoreError) -> MigrationRecord
  {
    let path = DataFile.path(of: context.path)
    let engine = try EngineOpener.open(
      .file(path),
      options: EngineOptions(
        access: .readWrite(create: false), busyTimeout: try context.waitingTime(),
        maximumReaders: 2, limits: context.limits), backends: [SQLiteBackend(), LMDBBackend()])
    defer { try? engine.close() }
    let transaction = try engine.beginWrite(timeout: nil)
    defer { transaction.end() }
    var record = record
    if record.kind == .baseline, let survey = try ForeignSurvey(transaction, path) {
      record.from = survey.version ?? 0
      record.fromFingerprint = survey.history.records.last?.toFingerprint ?? ""
      record.toFingerprint = survey.fingerprint
    }
    try transaction.appendHistory(record.entry)
    try transaction.commit()
    return record
  }
}
