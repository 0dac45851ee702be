import Synchronization

/// A deadline and a switch that end what an engine is doing.
///
/// Engines look at it every few thousand steps of a statement. One value may serve any number of
/// engines; it is made for one piece of work and not used again after it ended it.
public final class ExecutionLimits: Sendable {
  private let deadline: ContinuousClock.Instant?
  private let isCancelled = Atomic<Bool>(false)
  private let isLate = Atomic<Bool>(false)

  /// Makes limits; without a timeout only ``cancel()`` ends the work.
  public init(timeout: Duration? = nil) {
    deadline = timeout.map { ContinuousClock.now + $0 }
  }

  /// Ends what is running; callable from any thread and from a signal handler.
  public func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Why the work was ended, if it was: ``StoreError/Code/timedOut`` or
  /// ``StoreError/Code/cancelled``.
  public var stopReason: StoreError? {
    if isLate.load(ordering: .relaxed) {
      return StoreError(
        .timedOut, "the time allowed for the work is over",
        suggestion: "allow more time or narrow the query")
    }
    if isCancelled.load(ordering: .relaxed) {
      return StoreError(.cancelled, "the work was cancelled")
    }
    return nil
  }

  /// Whether the work must end now.
  public func mustStop() -> Bool {
    if isCancelled.load(ordering: .relaxed) { return true }
    if let deadline, ContinuousClock.now >= deadline {
      isLate.store(true, ordering: .relaxed)
      return true
    }
    return false
  }

  /// Throws when the work must end now.
  ///
  /// - Throws: ``stopReason``.
  package func check() throws(StoreError) {
    guard mustStop() else { return }
    throw stopReason ?? StoreError(.cancelled, "the work was cancelled")
  }
}
