#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Brings an open engine's store to the expected schema.
///
/// lock → look again → plan → space → copy → execute → prove → history → commit. Everything from the
/// lock to the commit is one write transaction, so that other processes see the old store or the new
/// one, and of two that come at once the second finds the work done. Only a migration with code steps
/// that follows others begins a transaction of its own, because its steps read what was committed
/// before it.
final class MigrationRunner {
  let engine: any StorageEngine
  let configuration: StoreConfiguration
  let monitor: MigrationMonitor
  private var report: MigrationReport?
  private(set) var backup: String?
  let path: String?
  /// Says how much room there is; replaced in tests.
  var availableSpace: (String) -> Int64? = { FileSystemSpace.available(beside: $0) }

  init(
    _ engine: any StorageEngine, _ configuration: StoreConfiguration, _ monitor: MigrationMonitor
  ) {
    self.engine = engine
    self.configuration = configuration
    self.monitor = monitor
    path = configuration.location.path
  }

  /// Migrates.
  ///
  /// - Returns: What was done; `nil` when there was nothing to do any more.
  func run() throws(StoreError) -> MigrationReport? {
    while try runTransaction() {}
    if let path, backup != nil, case .beforeMigrating(let keep) = configuration.backup {
      StoreBackup.prune(path, keep: keep)
    }
    return report
  }

  /// Runs as much as goes into one transaction.
  ///
  /// - Returns: Whether there may be more.
  private func runTransaction() throws(StoreError) -> Bool {
    while true {
      let transaction = try engine.beginWrite(timeout: nil)
      defer { transaction.end() }
      do {
        return try run(transaction)
      } catch {
        transaction.end()
        // A memory map that was too small grows before the next transaction.
        guard transaction.isWorthRepeating else { throw error.at(path) }
      }
    }
  }

  private func run(_ transaction: any EngineWriteTransaction) throws(StoreError) -> Bool {
    let stored = try transaction.storedSchema()
    let comparison = SchemaComparison(
      stored, expected: configuration.schema, format: engine.format)
    guard case .older(let schema, _) = comparison else {
      if let error = comparison.error(expected: configuration.schema, path: path) { throw error }
      return false
    }
    try SchemaShape.check(stored, schema, path)
    try MigrationHistory(try transaction.history()).check(configuration.migrations)
    let planner = MigrationPlanner(
      migrations: configuration.migrations, wanted: configuration.schema,
      capabilities: engine.capabilities)
    let plan = try planner.plan(from: schema)
    let now = MigrationRunner.now()
    try prepare(plan, schema, transaction, now)

    // The first migrations, up to one with code steps that others come before.
    let later = plan.migrations.dropFirst().firstIndex { !$0.codeSteps.isEmpty }
    let part = Array(plan.migrations[..<(later ?? plan.migrations.endIndex)])
    let records = try execute(part, of: plan, schema, transaction, now)
    try transaction.commit()
    var report = report ?? MigrationReport(from: plan.from, to: plan.to, records: [], notes: [])
    report.records += records
    report.to = part.last?.to ?? plan.to
    report.backup = backup
    self.report = report
    return later != nil
  }

  // MARK: Before

  private func prepare(
    _ plan: MigrationPlan, _ schema: Schema, _ transaction: any EngineWriteTransaction,
    _ now: String
  ) throws(StoreError) {
    var chosen: String?
    if case .at(let copy) = configuration.backup { chosen = copy }
    guard let path, plan.rewritesRecords || !plan.losses.isEmpty || chosen != nil else { return }
    var wantsBackup = backup == nil
    if configuration.backup == .none { wantsBackup = false }
    try checkSpace(plan, path, withBackup: wantsBackup)
    guard wantsBackup else { return }
    try monitor.begin(.backup, total: nil)
    var counts: [String: Int64] = [:]
    for model in schema.models {
      counts[model.name] = try MigrationRunner.count(model, transaction)
    }
    let copy = chosen ?? StoreBackup.path(of: path, version: plan.from, at: now)
    try StoreBackup.make(engine, at: copy, schema, counts: counts, configuration, monitor)
    backup = copy
  }

  /// Throws before anything is written when the file system has no room for the work.
  private func checkSpace(_ plan: MigrationPlan, _ path: String, withBackup: Bool)
    throws(StoreError)
  {
    guard let available = availableSpace(path),
      let needed = plan.spaceNeeded(at: path, engine.format, withBackup: withBackup)
    else { return }
    guard needed > available else { return }
    throw StoreError(
      .diskFull, "there is no room for the migration and its backup", path: path,
      found: "\(available) bytes", expected: "\(needed) bytes",
      suggestion: "free \(needed - available) bytes")
  }

  static func count(_ model: ModelDescription, _ transaction: any EngineReadTransaction)
    throws(StoreError) -> Int64
  {
    let request = AggregateRequest(BoundQuery(layout: ModelLayout(model)), [.count])
    guard case .integer(let count)? = try transaction.aggregate(request).first else { return 0 }
    return count
  }

  /// The time in UTC as text; empty for a clock that is beyond what can be written.
  static func now() -> String { Timestamp(Date())?.description ?? "" }
}
