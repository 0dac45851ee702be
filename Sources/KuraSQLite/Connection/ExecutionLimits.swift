import CSQLite
import KuraCore
import Synchronization

/// A deadline and a switch that end a running statement, checked by SQLite every thousand steps.
package final class ExecutionLimits: Sendable {
  private let deadline: ContinuousClock.Instant?
  private let isCancelled = Atomic<Bool>(false)
  private let isLate = Atomic<Bool>(false)

  /// Makes limits; without a timeout only ``cancel()`` ends a statement.
  package init(timeout: Duration?) {
    deadline = timeout.map { ContinuousClock.now + $0 }
  }

  /// Ends what is running; callable from any thread and from a signal's handler thread.
  package func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Why a statement was ended, if it was.
  var stopReason: StoreError? {
    if isLate.load(ordering: .relaxed) {
      return StoreError(
        .timedOut, "the time allowed for the statement is over",
        suggestion: "allow more time or narrow the query")
    }
    if isCancelled.load(ordering: .relaxed) {
      return StoreError(.cancelled, "the statement was cancelled")
    }
    return nil
  }

  fileprivate func mustStop() -> Bool {
    if isCancelled.load(ordering: .relaxed) { return true }
    if let deadline, ContinuousClock.now >= deadline {
      isLate.store(true, ordering: .relaxed)
      return true
    }
    return false
  }

  /// Makes a connection obey; the connection keeps these limits alive.
  func install(on connection: SQLiteConnection) {
    connection.limits = self
    sqlite3_progress_handler(
      connection.handle, 1000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<ExecutionLimits>.fromOpaque(context).takeUnretainedValue().mustStop()
          ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
