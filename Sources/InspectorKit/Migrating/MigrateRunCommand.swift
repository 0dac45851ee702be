import Kura
import KuraCore

/// `migrate run`: migrates a store.
enum MigrateRunCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    try MigrateCommand.needFolder("run", context)
    guard context.path != "-" else {
      throw UsageError.make(
        "migrate run changes a file, and - is none", hint: "name the file to migrate")
    }
    let backup = try backupPolicy(context)
    let isDry = context.arguments.has("dry-run")
    let outlook = try MigrationOutlook(context, counting: isDry)
    if let problem = outlook.problem { throw problem }
    if let plan = outlook.foreignPlan, let folder = outlook.folder, !plan.migrations.isEmpty {
      return try run(plan, folder, outlook, backup, context)
    }
    guard let plan = outlook.plan, let target = outlook.target, let folder = outlook.folder else {
      return try MigratePlanCommand.write(outlook, context)
    }
    try checkLosses(outlook, context)
    let path = DataFile.path(of: context.path)
    if isDry {
      try checkSpace(plan, outlook, path, backup)
      let code = try MigratePlanCommand.write(outlook, context)
      context.note("nothing was changed")
      return code
    }
    // The file is not open twice while it is migrated.
    context.closeFile()
    return try migrate(path, target, folder.migrations, backup, context)
  }

  /// Migrates an SQLite file of another program.
  private static func run(
    _ plan: ForeignPlan, _ folder: MigrationFolder, _ outlook: MigrationOutlook,
    _ backup: BackupPolicy, _ context: CommandContext
  ) throws(StoreError) -> ExitCode {
    try checkLosses(outlook, context)
    if context.arguments.has("dry-run") {
      let code = try MigratePlanCommand.write(outlook, context)
      context.note("nothing was changed")
      return code
    }
    context.closeFile()
    let runner = ForeignRunner(
      path: context.path, folder: folder, target: plan.to, backup: backup, context: context)
    return try carryOut(context) { display throws(StoreError) in try runner.run(display) }
  }

  /// Runs the migrations and writes the report.
  static func migrate(
    _ path: String, _ target: Schema, _ migrations: Migrations, _ backup: BackupPolicy,
    _ context: CommandContext
  ) throws(StoreError) -> ExitCode {
    var configuration = StoreConfiguration(
      at: .file(path), schema: target, migrations: migrations, backup: backup, creation: .never,
      backends: [SQLiteBackend(), LMDBBackend()])
    configuration.busyTimeout = try context.waitingTime()
    return try carryOut(context) { display throws(StoreError) in
      try Store.migrate(
        configuration,
        progress: { progress throws(StoreError) in try display.show(progress) },
        limits: context.limits)
    }
  }

  /// Carries out a migration and shows it; a failure has an exit code of its own.
  static func carryOut(
    _ context: CommandContext,
    _ body: (MigrationDisplay) throws(StoreError) -> MigrationReport?
  ) throws(StoreError) -> ExitCode {
    let display = MigrationDisplay(context, try form(context))
    defer { display.finish() }
    let report: MigrationReport?
    do throws(StoreError) {
      report = try body(display)
    } catch {
      display.finish()
      return try failed(error.at(context.path), context)
    }
    display.finish()
    try display.write(report)
    return .done
  }

  /// A failure in the course of a migration has an exit code of its own, unless the file could not
  /// be opened or the caller ended it.
  private static func failed(_ error: StoreError, _ context: CommandContext) throws(StoreError)
    -> ExitCode
  {
    if error.outcome == .unchanged {
      context.note("the store is as it was")
    }
    guard error.code.kind == .callerMistake || error.code == .notConserved else { throw error }
    return context.fail(error, .schemaMismatch)
  }

  /// How progress is shown.
  static func form(_ context: CommandContext) throws(StoreError) -> MigrationDisplay.Form {
    switch try context.format(default: .line) {
    case .ndjson: .events
    case .json: .result
    case .table, .list, .line, .csv, .tsv, .markdown, .html, .sql, .count, .none: .lines
    }
  }

  // MARK: Before

  private static func backupPolicy(_ context: CommandContext) throws(StoreError) -> BackupPolicy {
    let arguments = context.arguments
    guard let file = arguments.value("backup") else {
      return arguments.has("no-backup") ? .none : .beforeMigrating(keep: 2)
    }
    guard !arguments.has("no-backup") else {
      throw UsageError.make("--backup and --no-backup exclude each other")
    }
    guard !FileNaming.exists(file), !Output.isPart(file, of: context.path) else {
      throw StoreError(
        .targetExists, "the file for the backup exists already", path: file,
        suggestion: "name another file")
    }
    return .at(file)
  }

  private static func checkLosses(_ outlook: MigrationOutlook, _ context: CommandContext)
    throws(StoreError)
  {
    guard let (migration, losses) = outlook.refusedLosses.first,
      !context.arguments.has("allow-loss")
    else { return }
    throw StoreError(
      .lossNotAllowed, "migration \"\(migration.id)\" loses " + losses.joined(separator: ", and "),
      path: outlook.fileName(of: migration) ?? context.path,
      suggestion: "write \"allowsLoss\": true, in the file, or use --allow-loss")
  }

  private static func checkSpace(
    _ plan: MigrationPlan, _ outlook: MigrationOutlook, _ path: String, _ backup: BackupPolicy
  ) throws(StoreError) {
    guard let available = FileSystemSpace.available(beside: path),
      let needed = plan.spaceNeeded(
        at: path, outlook.engine.format, withBackup: backup != .none),
      plan.rewritesRecords || !plan.losses.isEmpty, needed > available
    else { return }
    throw StoreError(
      .diskFull, "there is no room for the migration and its backup", path: path,
      found: "\(available) bytes", expected: "\(needed) bytes",
      suggestion: "free \(needed - available) bytes")
  }
}
