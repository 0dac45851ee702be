/// Tells the caller how far a migration is, and ends it when the caller wants.
final class MigrationMonitor {
  /// The records between two looks at the clock.
  private static let interval: Int64 = 512
  /// The shortest time between two calls of the handler.
  private static let pause = Duration.milliseconds(50)

  private let handler: MigrationProgress.Handler?
  private let limits: ExecutionLimits?
  private var progress = MigrationProgress(phase: .backup, done: 0)
  private var phaseBegan = ContinuousClock.now
  private var lastCall: ContinuousClock.Instant?
  private var untilLook = MigrationMonitor.interval

  init(_ handler: MigrationProgress.Handler?, _ limits: ExecutionLimits?) {
    self.handler = handler
    self.limits = limits
  }

  /// Begins a phase.
  func begin(_ phase: MigrationProgress.Phase, total: Int64?) throws(StoreError) {
    progress = MigrationProgress(phase: phase, done: 0, total: total)
    phaseBegan = .now
    lastCall = nil
    try report()
  }

  /// Begins an operation.
  func begin(_ operation: MigrationOperation, of migration: Migration) throws(StoreError) {
    progress.migration = migration.id
    progress.operation = operation.description
    try report()
  }

  /// Counts a record.
  @inline(__always)
  func count() throws(StoreError) {
    progress.done &+= 1
    untilLook &-= 1
    if untilLook <= 0 { try look() }
  }

  /// Takes over how far a copy is.
  func note(done: Int64, total: Int64?) throws(StoreError) {
    progress.done = done
    progress.total = total
    try look()
  }

  /// Ends the work when that is wanted.
  func check() throws(StoreError) { try limits?.check() }

  @inline(never)
  private func look() throws(StoreError) {
    untilLook = MigrationMonitor.interval
    try limits?.check()
    if let lastCall, ContinuousClock.now - lastCall < MigrationMonitor.pause { return }
    try report()
  }

  private func report() throws(StoreError) {
    try limits?.check()
    guard let handler else { return }
    lastCall = .now
    let elapsed = ContinuousClock.now - phaseBegan
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    progress.rate = progress.done > 0 && seconds > 0.01 ? Double(progress.done) / seconds : nil
    progress.remaining = progress.rate.flatMap { rate in
      progress.total.map { .seconds(Double(max(0, $0 - progress.done)) / rate) }
    }
    try handler(progress)
  }
}
