/// Wakes one task; raised while nobody waits, it is remembered once.
final class WakeSignal: Sendable {
  private struct State {
    var isRaised = false
    var isEnded = false
    var waiting: CheckedContinuation<Bool, Never>?
  }

  private let monitor = Monitor(State())

  /// Wakes the task that waits, or the next one that does.
  func raise() {
    let continuation = monitor.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let continuation = state.waiting else {
        state.isRaised = true
        return nil
      }
      state.waiting = nil
      return continuation
    }
    continuation?.resume(returning: true)
  }

  /// Lets nobody wait any more.
  func end() {
    let continuation = monitor.withLock { state in
      state.isEnded = true
      defer { state.waiting = nil }
      return state.waiting
    }
    continuation?.resume(returning: false)
  }

  /// Waits until the signal is raised, and lowers it.
  ///
  /// - Returns: `false` when the signal has ended, the task is cancelled, or another task waits.
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = monitor.withLock { state -> Bool? in
          if state.isEnded || state.waiting != nil { return false }
          if state.isRaised {
            state.isRaised = false
            return true
          }
          state.waiting = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      end()
    }
  }
}
