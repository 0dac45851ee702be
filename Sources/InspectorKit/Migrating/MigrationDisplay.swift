import KuraCore

/// Shows how far a migration is: a line that comes and goes for a person at a terminal, lines or
/// NDJSON elsewhere.
final class MigrationDisplay: @unchecked Sendable {
  // A migration calls its handler on the thread that asked for it, which waits meanwhile: nobody
  // else uses the display.

  /// What is written to standard output.
  enum Form {
    /// A line for each step.
    case lines
    /// One JSON object for each step, and now and then in between.
    case events
    /// Only the report.
    case result
  }

  private let context: CommandContext
  private let form: Form
  private var meter: ProgressMeter?
  private var phase: MigrationProgress.Phase?
  private var step: String?
  private var lastEvent = ContinuousClock.now

  init(_ context: CommandContext, _ form: Form) {
    self.context = context
    self.form = form
  }

  /// Shows where the migration is.
  func show(_ progress: MigrationProgress) throws(StoreError) {
    let isNewPhase = progress.phase != phase
    if isNewPhase {
      phase = progress.phase
      meter?.finish()
      meter = context.progress(
        progress.phase.rawValue, unit: progress.phase == .backup ? "pages" : "records",
        besideResults: true)
    }
    meter?.update(progress.done, of: progress.total)
    let words = [progress.migration, progress.operation].compactMap(\.self).joined(separator: ": ")
    let isNewStep = isNewPhase || words != step
    step = words
    switch form {
    case .result: return
    case .lines:
      // A terminal has the line that comes and goes.
      guard isNewStep, !context.terminal.isErrorTerminal else { return }
      let text = words.isEmpty ? progress.phase.rawValue : "\(progress.phase.rawValue): \(words)"
      try MigrateCommand.line(text, context)
    case .events:
      guard isNewStep || ContinuousClock.now - lastEvent >= .seconds(1) else { return }
      try event(progress)
    }
    lastEvent = .now
    try context.bytes.flush()
  }

  /// Shows what begins, for work that cannot say how far it is.
  func step(_ phase: String, _ migration: String?) throws(StoreError) {
    switch form {
    case .result: return
    case .lines:
      guard !context.terminal.isErrorTerminal else { return }
      try MigrateCommand.line(phase + (migration.map { ": \($0)" } ?? ""), context)
    case .events:
      var object = JSONObject(context.bytes)
      try object.text("event", "progress")
      try object.text("phase", phase)
      if let migration { try object.text("migration", migration) }
      try object.end()
      try context.bytes.append(UInt8(ascii: "\n"))
    }
    try context.bytes.flush()
  }

  private func event(_ progress: MigrationProgress) throws(StoreError) {
    var object = JSONObject(context.bytes)
    try object.text("event", "progress")
    try object.text("phase", progress.phase.rawValue)
    if let migration = progress.migration { try object.text("migration", migration) }
    if let operation = progress.operation { try object.text("operation", operation) }
    try object.integer("done", progress.done)
    if let total = progress.total { try object.integer("total", total) }
    if let rate = progress.rate { try object.double("perSecond", rate) }
    if let remaining = progress.remaining {
      try object.integer("secondsLeft", remaining.components.seconds)
    }
    try object.end()
    try context.bytes.append(UInt8(ascii: "\n"))
  }

  /// Removes the line.
  func finish() {
    meter?.finish()
    meter = nil
  }

  /// Writes what was done.
  func write(_ report: MigrationReport?) throws(StoreError) {
    switch form {
    case .lines: try lines(report)
    case .events, .result:
      var object = JSONObject(context.bytes)
      try object.text("event", "done")
      if let report {
        try object.member("report") { bytes throws(StoreError) in try bytes.append(report.json) }
      }
      try object.end()
      try context.bytes.append(UInt8(ascii: "\n"))
    }
    try context.bytes.flush()
  }

  private func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private func lines(_ report: MigrationReport?) throws(StoreError) {
    guard let report else {
      // Another process was faster.
      return try MigrateCommand.line("nothing to do any more", context)
    }
    for record in report.records {
      let quarantined =
        record.work.quarantined > 0 ? ", \(record.work.quarantined) in quarantine" : ""
      try MigrateCommand.line(
        "\(record.id): version \(record.from) to \(record.to), "
          + "\(counted(record.work.operations, "operation")), "
          + "\(counted(record.work.records, "record"))\(quarantined), \(record.milliseconds) ms",
        context)
    }
    if let backup = report.backup {
      try MigrateCommand.line("backup: \(FileName.shown(backup))", context)
    }
    for note in report.notes { try MigrateCommand.line("note: \(note)", context) }
    try MigrateCommand.line("migrated: version \(report.from) to \(report.to)", context)
  }
}
