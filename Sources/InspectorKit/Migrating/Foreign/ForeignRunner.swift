import Kura
import KuraCore

/// Migrates an SQLite file of another program: the SQL of the migrations and their entries in
/// `kura_history`, in one transaction.
///
/// lock → look again → plan → copy → execute → prove → history → commit, as for Kura's own stores.
struct ForeignRunner {
  let path: String
  let folder: MigrationFolder
  let target: Int?
  let backup: BackupPolicy
  let context: CommandContext

  /// Opens a file for writing.
  static func open(_ path: String, _ context: CommandContext) throws(StoreError)
    -> any StorageEngine
  {
    try EngineOpener.open(
      .file(path),
      options: EngineOptions(
        access: .readWrite(create: false), busyTimeout: try context.waitingTime(),
        maximumReaders: 2, limits: context.limits), backends: [SQLiteBackend()])
  }

  /// Migrates; `nil` when another process was faster.
  func run(_ display: MigrationDisplay) throws(StoreError) -> MigrationReport? {
    var copy: String?
    do throws(StoreError) {
      let report = try run(display, &copy)
      if copy != nil, case .beforeMigrating(let keep) = backup {
        StoreBackup.prune(path, keep: keep)
      }
      return report
    } catch {
      // Nothing happened, and there is nothing to go back to.
      if let copy { StoreBackup.remove(copy) }
      throw error
    }
  }

  private func run(_ display: MigrationDisplay, _ copy: inout String?) throws(StoreError)
    -> MigrationReport?
  {
    let engine = try ForeignRunner.open(path, context)
    defer { try? engine.close() }
    let begun = try engine.beginWrite(timeout: nil)
    defer { begun.end() }
    guard let transaction = begun as? any SQLWriteTransaction,
      let survey = try ForeignSurvey(transaction, path)
    else {
      throw StoreError(.internalError, "the file has no SQL", path: path)
    }
    let plan = try ForeignPlan(survey, folder, to: target, path)
    guard !plan.migrations.isEmpty else { return nil }
    if let place = backupPath(plan.from) {
      try display.step("backup", nil)
      try engine.copy(to: .file(place), compacting: false, progress: nil)
      copy = place
    }
    var report = MigrationReport(from: plan.from, to: plan.to, backup: copy)
    let orphans = try ForeignRunner.orphans(transaction)
    let broken = try transaction.brokenObjects()
    var fingerprint = survey.fingerprint
    // With foreign keys on, a table that is made anew would take the rows with it that refer to the old
    // one.
    try transaction.setChecksReferences(false)
    for migration in plan.migrations {
      try display.step("running", migration.id)
      let record = try execute(migration, fingerprint, copy, transaction)
      fingerprint = record.toFingerprint
      report.records.append(record)
    }
    try display.step("verifying", nil)
    try prove(transaction, orphans, broken)
    for record in report.records { try transaction.appendHistory(record.entry) }
    try transaction.commit()
    return report
  }

  private func backupPath(_ version: Int) -> String? {
    switch backup {
    case .none: return nil
    case .at(let file): return file
    case .beforeMigrating:
      let now = MigrationRecord.now(
        .baseline, id: "", checksum: "", from: 0, to: 0, fromFingerprint: "", toFingerprint: "")
      return StoreBackup.path(of: path, version: version, at: now.started)
    }
  }

  private func execute(
    _ migration: Migration, _ fingerprint: String, _ copy: String?,
    _ transaction: any SQLWriteTransaction
  ) throws(StoreError) -> MigrationRecord {
    let began = ContinuousClock.now
    var changed: Int64 = 0
    for (number, sql) in ForeignPlan.statements(migration).enumerated() {
      do {
        changed &+= Int64(try transaction.execute(sql: sql, parameters: [:]))
      } catch {
        guard error.code.kind != .cancelled, error.code.kind != .busy else { throw error }
        throw StoreError(
          error.code, "migration \"\(migration.id)\", statement \(number + 1): \(error.message)",
          path: path, found: error.found, expected: error.expected, suggestion: error.suggestion,
          engineCode: error.engineCode)
      }
    }
    var record = MigrationRecord.now(
      .apply, id: migration.id, checksum: migration.checksum, from: migration.from,
      to: migration.to, fromFingerprint: fingerprint,
      toFingerprint: try ForeignSurvey.fingerprint(transaction), operations: migration.operations)
    record.milliseconds = (ContinuousClock.now - began).milliseconds
    record.work.records = changed
    record.backup = copy
    return record
  }

  // MARK: The proof

  /// What was in order before the migration must be so after it.
  private func prove(
    _ transaction: any SQLWriteTransaction, _ orphans: [String: Int64],
    _ broken: [String: String]
  ) throws(StoreError) {
    for (name, count) in try ForeignRunner.orphans(transaction).sorted(by: { $0.key < $1.key })
    where count > orphans[name] ?? 0 {
      throw StoreError(
        .brokenReference,
        "after the migrations \(count) \(count == 1 ? "row" : "rows") of \(name) that are not there",
        path: path, found: "\(orphans[name] ?? 0) before",
        suggestion: "let the SQL keep the rows that others refer to")
    }
    for (name, reason) in try transaction.brokenObjects().sorted(by: { $0.key < $1.key })
    where broken[name] == nil {
      throw StoreError(
        .dependentObject, "the \(name) would no longer work: \(reason)", path: path,
        suggestion: "remove it before the change and make it again after it")
    }
  }

  /// The numbers of rows that refer to nothing, by tables.
  private static func orphans(_ transaction: any SQLWriteTransaction) throws(StoreError)
    -> [String: Int64]
  {
    let tables = try ForeignSurvey.rows(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'", transaction)
    var found: [String: Int64] = [:]
    for table in tables.compactMap(\.first) {
      let sql =
        "SELECT parent, count(*) FROM pragma_foreign_key_check(\(SQLLiterals.literal(table))) GROUP BY 1"
      do throws(StoreError) {
        for row in try ForeignSurvey.rows(sql, transaction) {
          found["\(table) would refer to rows of \(row[0])"] = Int64(row[1])
        }
      } catch {
        // A reference that is declared wrongly, as one to columns without a unique index, cannot be
        // checked.
        guard error.code.kind == .callerMistake || error.code == .constraint else { throw error }
      }
    }
    return found
  }
}
