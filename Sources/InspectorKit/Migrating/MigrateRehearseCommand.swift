import Kura
import KuraCore

/// `migrate rehearse`: runs the migrations on a copy and says how it went; the store stays as it is.
enum MigrateRehearseCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    try MigrateCommand.needFolder("rehearse", context)
    let outlook = try MigrationOutlook(context, counting: false)
    if let problem = outlook.problem { throw problem }
    if let plan = outlook.foreignPlan, let folder = outlook.folder, !plan.migrations.isEmpty {
      return try rehearse(plan, folder, outlook, context)
    }
    guard let plan = outlook.plan, let target = outlook.target, let folder = outlook.folder else {
      return try MigratePlanCommand.write(outlook, context)
    }
    let place = try PrivateFolder.make(inMemory: false)
    defer { PrivateFolder.remove(place) }
    let copy = place + "/copy"
    let meter = context.progress("copy", unit: "pages", besideResults: true)
    defer { meter.finish() }
    try outlook.engine.copy(to: .file(copy), compacting: false) {
      done, total throws(StoreError) in meter.update(done, of: total)
    }
    meter.finish()
    context.closeFile()
    var rehearsal = Rehearsal(copy, plan, target, folder.migrations)
    do throws(StoreError) {
      try rehearsal.run(context)
    } catch {
      var error = error
      // The copy has a name that means nothing to anybody.
      error.path = context.path
      guard error.code.kind == .callerMistake || error.code == .notConserved else { throw error }
      return context.fail(error, .schemaMismatch)
    }
    try rehearsal.write(outlook, context)
    return rehearsal.check.isClean ? .done : .schemaMismatch
  }

  /// Rehearses with an SQLite file of another program.
  private static func rehearse(
    _ plan: ForeignPlan, _ folder: MigrationFolder, _ outlook: MigrationOutlook,
    _ context: CommandContext
  ) throws(StoreError) -> ExitCode {
    let place = try PrivateFolder.make(inMemory: false)
    defer { PrivateFolder.remove(place) }
    let copy = place + "/copy"
    let limits = context.limits
    try outlook.engine.copy(to: .file(copy), compacting: false) {
      _, _ throws(StoreError) in try limits.check()
    }
    context.closeFile()
    let runner = ForeignRunner(
      path: copy, folder: folder, target: plan.to, backup: .none, context: context)
    return try MigrateRunCommand.carryOut(context) { display throws(StoreError) in
      do throws(StoreError) {
        return try runner.run(display)
      } catch {
        var error = error
        error.path = context.path
        throw error
      }
    }
  }

  /// One run on a copy.
  private struct Rehearsal {
    let copy: String
    let plan: MigrationPlan
    let target: Schema
    let migrations: Migrations
    var report: MigrationReport?
    var check = CheckReport()
    var before: [(String, Int64)] = []
    var after: [(String, Int64)] = []
    var sizes: (before: Int64, after: Int64) = (0, 0)
    var duration = Duration.zero

    init(_ copy: String, _ plan: MigrationPlan, _ target: Schema, _ migrations: Migrations) {
      (self.copy, self.plan, self.target, self.migrations) = (copy, plan, target, migrations)
    }

    mutating func run(_ context: CommandContext) throws(StoreError) {
      sizes.before = FileStatus.at(copy)?.size ?? 0
      before = try open { engine throws(StoreError) in try Rehearsal.counts(engine) }
      let display = MigrationDisplay(context, .result)
      defer { display.finish() }
      let began = ContinuousClock.now
      report = try Store.migrate(
        StoreConfiguration(
          at: .file(copy), schema: target, migrations: migrations, backup: .none,
          creation: .never, backends: [SQLiteBackend(), LMDBBackend()]),
        progress: { progress throws(StoreError) in try display.show(progress) },
        limits: context.limits)
      duration = ContinuousClock.now - began
      display.finish()
      sizes.after = FileStatus.at(copy)?.size ?? 0
      (after, check) = try open { engine throws(StoreError) in
        (try Rehearsal.counts(engine), try engine.check(.normal, progress: nil))
      }
    }

    private func open<R>(_ body: (any StorageEngine) throws(StoreError) -> R) throws(StoreError)
      -> R
    {
      let engine = try EngineOpener.open(
        .file(copy), options: EngineOptions(access: .readOnly),
        backends: [SQLiteBackend(), LMDBBackend()])
      defer { try? engine.close() }
      return try body(engine)
    }

    private static func counts(_ engine: any StorageEngine) throws(StoreError) -> [(String, Int64)]
    {
      let schema = try SchemaSource.schema(of: engine, "")
      let transaction = try engine.beginRead()
      defer { transaction.end() }
      var counts: [(String, Int64)] = []
      for model in schema.models {
        let request = AggregateRequest(BoundQuery(layout: ModelLayout(model)), [.count])
        guard case .integer(let count)? = try transaction.aggregate(request).first else { continue }
        counts.append((model.name, count))
      }
      return counts
    }

    // MARK: The report

    func write(_ outlook: MigrationOutlook, _ context: CommandContext) throws(StoreError) {
      var facts: [FileReport.Fact] = [
        .init("from", "from version", .integer(Int64(plan.from))),
        .init("to", "to version", .integer(Int64(plan.to))),
        .init("milliseconds", "milliseconds", .integer(duration.milliseconds)),
        .init("sizeBefore", "size before", .byteCount(sizes.before)),
        .init("sizeAfter", "size after", .byteCount(sizes.after)),
        .init("recordsBefore", "records before", .list(Rehearsal.texts(before))),
        .init("recordsAfter", "records after", .list(Rehearsal.texts(after))),
      ]
      let records = report?.records ?? []
      facts.append(
        .init(
          "migrations", "migrations", .list(records.map { "\($0.id) (\($0.milliseconds) ms)" })))
      let proved = records.flatMap { record in
        record.work.proved.sorted { $0.key < $1.key }.map {
          "\($0.key) in \(record.id) (\($0.value) columns)"
        }
      }
      facts.append(.init("proved", "proved to be conserved", .list(proved)))
      facts.append(
        .init(
          "quarantined", "in quarantine",
          .integer(records.reduce(0) { $0 + $1.work.quarantined })))
      if !plan.losses.isEmpty { facts.append(.init("losses", "loses", .list(plan.losses))) }
      facts.append(.init("isClean", "clean afterwards", .flag(check.isClean)))
      let warnings = check.findings.map(\.message) + (report?.notes ?? [])
      let whole = FileReport(facts: facts, warnings: warnings)
      if try MigrateCommand.isJSON(context) {
        try InfoCommand.json(whole, context.bytes)
      } else {
        try InfoCommand.lines(whole, context)
      }
      try context.bytes.flush()
      for warning in warnings { context.note(warning) }
      if !outlook.refusedLosses.isEmpty { context.note("run will ask for \"allowsLoss\"") }
    }

    private static func texts(_ counts: [(String, Int64)]) -> [String] {
      counts.map { "\($0.0) \($0.1)" }
    }
  }
}
