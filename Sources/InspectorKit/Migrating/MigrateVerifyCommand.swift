import Kura
import KuraCore

/// `migrate verify`: whether a store is what its migrations made of it.
enum MigrateVerifyCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    try MigrateCommand.needFolder("verify", context)
    let folder = try MigrationFolder(context.arguments.value("with") ?? "")
    let survey = try MigrationSurvey(context.open())
    let foreign = survey == nil ? try foreign(context) : nil
    var report = try CheckCommand.report(
      context.arguments.has("quick") ? .quick : context.arguments.has("deep") ? .deep : .normal,
      context)
    if let survey {
      report.findings += history(survey.history, folder)
      report.findings += schema(survey, folder)
    } else if let foreign {
      report.findings += history(foreign.history, folder)
      if foreign.hasDrifted {
        report.findings.append(
          .init(.violation, "the file's tables were changed since its last migration"))
      }
    }
    return try CheckCommand.write(report, context)
  }

  private static func foreign(_ context: CommandContext) throws(StoreError) -> ForeignSurvey {
    let transaction = try context.read()
    defer { transaction.end() }
    guard let foreign = try ForeignSurvey(transaction, context.path), foreign.version != nil else {
      throw StoreError(
        .foreign, "another program made this file, and no migration was carried out here",
        path: context.path, suggestion: "see store-inspect check for its integrity")
    }
    return foreign
  }

  /// Migrations that were carried out and are not, or not as they were, in the folder.
  private static func history(_ history: MigrationHistory, _ folder: MigrationFolder)
    -> [CheckReport.Finding]
  {
    var findings: [CheckReport.Finding] = []
    var latest: [String: MigrationRecord] = [:]
    for record in history.records where record.kind == .apply { latest[record.id] = record }
    for record in history.records where latest[record.id] == record {
      guard folder.file(of: record.id) == nil else { continue }
      findings.append(
        .init(
          .violation,
          "migration \"\(record.id)\" was carried out on \(record.started.prefix(10)) "
            + "and is not in the folder"))
    }
    do throws(StoreError) {
      try history.check(folder.migrations)
    } catch {
      findings.append(.init(.violation, ErrorText.sentence(error)))
    }
    return findings
  }

  /// What differs between the file, its record of the schema, the history and the snapshots.
  private static func schema(_ survey: MigrationSurvey, _ folder: MigrationFolder)
    -> [CheckReport.Finding]
  {
    var findings: [CheckReport.Finding] = []
    let schema = survey.schema
    if let drift = survey.drift {
      findings.append(
        .init(.violation, "the file was changed without its record of the schema: \(drift)"))
    }
    if let last = survey.history.records.last, last.kind != .accept {
      if last.to != schema.version {
        findings.append(
          .init(
            .violation,
            "the history ends with version \(last.to), the store has version \(schema.version)"))
      } else if last.toFingerprint != schema.fingerprint {
        findings.append(
          .init(.violation, "the schema is not the one that \"\(last.id)\" led to"))
      }
    }
    if let snapshot = folder.snapshots[schema.version] {
      for change in SchemaDiff(from: snapshot, to: schema).changes {
        findings.append(
          .init(.violation, "differs from schemas/\(schema.version).json: \(change)"))
      }
    }
    return findings
  }
}
