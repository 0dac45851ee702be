/// Counts the running transactions of a store, so that closing waits for them.
final class StoreLifetime: Sendable {
  private struct State {
    var running: [UInt: Int] = [:]
    var isClosing = false
    var isClosed = false
  }

  private let monitor = Monitor(State())
  private let path: String?

  init(path: String?) { self.path = path }

  /// Counts a transaction of the calling thread.
  func enter() throws(StoreError) {
    try monitor.withLock { state throws(StoreError) in
      // A thread that is inside may go on, or closing would wait for it and it for the closing.
      guard !state.isClosed, !state.isClosing || state.running[currentThread()] != nil else {
        throw StoreError(
          .closed, "the store was closed", path: path, suggestion: "open it again")
      }
      state.running[currentThread(), default: 0] += 1
    }
  }

  /// Ends what ``enter()`` began.
  func leave() {
    monitor.withLock { state in
      let thread = currentThread()
      let count = state.running[thread] ?? 0
      state.running[thread] = count > 1 ? count - 1 : nil
    }
  }

  /// Waits for the running transactions.
  ///
  /// - Returns: Whether the caller is the one to close the engine.
  func close(within time: Duration) throws(StoreError) -> Bool {
    let deadline = ContinuousClock.now + time
    let mayClose = try monitor.wait(until: deadline) { state throws(StoreError) -> Bool? in
      if state.isClosed { return false }
      guard state.running[currentThread()] == nil else {
        throw StoreError(
          .locked, "the store was closed inside one of its transactions", path: path,
          suggestion: "close it after the closure's end")
      }
      state.isClosing = true
      guard state.running.isEmpty else { return nil }
      state.isClosed = true
      return true
    }
    if let mayClose { return mayClose }
    monitor.withLock { $0.isClosing = false }
    throw StoreError(
      .timedOut, "a transaction of the store did not end in time", path: path,
      suggestion: "end it and close again")
  }
}
