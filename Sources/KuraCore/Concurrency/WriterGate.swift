/// Lets one writer of this process in at a time, in the order of arrival.
package final class WriterGate: Sendable {
  private struct State {
    var owner: UInt?
    var nextTicket: UInt64 = 0
    var waiting: [UInt64] = []
  }

  private let monitor = Monitor(State())

  /// Makes an open gate.
  package init() {}

  /// Waits for the turn of the calling thread.
  ///
  /// - Throws: ``StoreError/Code/nestedWrite`` when the thread is inside already,
  ///   ``StoreError/Code/timedOut``.
  package func enter(until deadline: ContinuousClock.Instant, path: String?) throws(StoreError) {
    let thread = currentThread()
    let ticket = try monitor.withLock { state throws(StoreError) -> UInt64 in
      guard state.owner != thread else {
        throw StoreError(
          .nestedWrite, "a write was begun inside a write of the same store", path: path,
          suggestion: "use the outer write's transaction, or a savepoint")
      }
      state.nextTicket += 1
      state.waiting.append(state.nextTicket)
      return state.nextTicket
    }
    let entered: Void? = monitor.wait(until: deadline) { state in
      guard state.owner == nil, state.waiting.first == ticket else { return nil }
      state.waiting.removeFirst()
      state.owner = thread
      return ()
    }
    guard entered == nil else { return }
    monitor.withLock { state in state.waiting.removeAll { $0 == ticket } }
    throw StoreError(
      .timedOut, "another write of this process did not end in time", path: path,
      suggestion: "make writes shorter or allow a longer wait")
  }

  /// Lets the next writer in.
  package func leave() { monitor.withLock { $0.owner = nil } }
}
