import KuraCore

/// `migrate status`: where a file stands.
enum MigrateStatusCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    let outlook = try MigrationOutlook(context, counting: false)
    let report = try report(outlook, context)
    if try MigrateCommand.isJSON(context) {
      try InfoCommand.json(report, context.bytes)
    } else {
      try InfoCommand.lines(report, context)
    }
    try context.bytes.flush()
    for warning in report.warnings { context.note(warning) }
    guard context.arguments.has("check") else { return .done }
    return switch outlook.state {
    case .current: .done
    case .pending: .negative
    case .unexplained, .newer, .drifted: .schemaMismatch
    case .foreign: .cannotOpen
    }
  }

  private static func report(_ outlook: MigrationOutlook, _ context: CommandContext)
    throws(StoreError) -> FileReport
  {
    var facts: [FileReport.Fact] = [
      .init("path", "path", .text(FileName.shown(context.path))),
      .init("format", "format", .text(outlook.engine.format.rawValue)),
    ]
    if let survey = outlook.survey {
      facts.append(.init("schemaVersion", "schema version", .integer(Int64(survey.schema.version))))
      facts.append(
        .init("schemaFingerprint", "schema fingerprint", .text(survey.schema.fingerprint)))
      facts += history(survey.history)
    }
    var warnings: [String] = []
    if outlook.survey == nil {
      let report = try outlook.engine.report()
      warnings = report.warnings
      facts += report.facts.filter { ["madeBy", "otherMigrations"].contains($0.key) }
      if let foreign = outlook.foreign, let version = foreign.version {
        facts.append(.init("version", "version", .integer(Int64(version))))
        facts += history(foreign.history)
      }
    }
    if let folder = outlook.folder {
      facts.append(.init("folder", "folder", .text(FileName.shown(folder.path))))
      facts.append(.init("folderCount", "migrations", .integer(Int64(folder.files.count))))
      if let version = folder.lastVersion {
        facts.append(.init("folderVersion", "last version", .integer(Int64(version))))
      }
    }
    if outlook.folder != nil || outlook.state != .current {
      facts.append(.init("state", "state", .text(outlook.state.rawValue)))
    }
    if let plan = outlook.plan {
      facts.append(.init("targetVersion", "target version", .integer(Int64(plan.to))))
      facts.append(.init("pending", "pending", .list(plan.migrations.map(\.id))))
      if !plan.losses.isEmpty { facts.append(.init("losses", "loses", .list(plan.losses))) }
    }
    if let plan = outlook.foreignPlan, !plan.migrations.isEmpty {
      facts.append(.init("targetVersion", "target version", .integer(Int64(plan.to))))
      facts.append(.init("pending", "pending", .list(plan.migrations.map(\.id))))
    }
    if let problem = outlook.problem {
      facts.append(.init("problemCode", "code", .text(problem.code.rawValue)))
      facts.append(.init("problem", "problem", .text(ErrorText.sentence(problem))))
      if let hint = problem.suggestion { facts.append(.init("hint", "hint", .text(hint))) }
    }
    return FileReport(facts: facts, warnings: warnings)
  }

  private static func history(_ history: MigrationHistory) -> [FileReport.Fact] {
    let count = FileReport.Fact(
      "historyCount", "history", .integer(Int64(history.records.count)))
    guard let last = history.records.last else { return [count] }
    return [
      count, .init("lastMigration", "last migration", .text("\(last.id) (\(last.started))")),
    ]
  }
}
