extension WorkerThreads {
  /// Runs a body on one of the threads and waits for it without holding a thread of the caller.
  ///
  /// A task that is cancelled before the body starts gets ``StoreError/Code/cancelled`` at once and
  /// the body does not run; a body that has started runs to its end.
  func run<R: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    let call = PendingCall<R>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard call.begin(continuation) else { return }
        do {
          try submit {
            guard call.start() else { return }
            call.finish(Result { try body() })
          }
        } catch {
          call.finish(.failure(error))
        }
      }
    } onCancel: {
      call.cancel()
    }
  }
}

/// One call that waits for its turn: whoever comes first, the thread or the cancellation, decides.
private final class PendingCall<R: Sendable>: Sendable {
  private enum State {
    case new
    case cancelledEarly
    case waiting(CheckedContinuation<R, any Error>)
    case running(CheckedContinuation<R, any Error>)
    case done
  }

  private let state = Monitor(State.new)

  /// Keeps the continuation; `false` when the task was cancelled before.
  func begin(_ continuation: CheckedContinuation<R, any Error>) -> Bool {
    let isCancelled = state.withLock { state in
      if case .cancelledEarly = state {
        state = .done
        return true
      }
      state = .waiting(continuation)
      return false
    }
    if isCancelled { continuation.resume(throwing: StoreError.cancelledBeforeStart) }
    return !isCancelled
  }

  /// Marks the start; `false` when the call was cancelled while it waited.
  func start() -> Bool {
    state.withLock { state in
      guard case .waiting(let continuation) = state else { return false }
      state = .running(continuation)
      return true
    }
  }

  func finish(_ result: Result<R, any Error>) {
    let continuation = state.withLock { state -> CheckedContinuation<R, any Error>? in
      switch state {
      case .waiting(let continuation), .running(let continuation):
        state = .done
        return continuation
      case .new, .cancelledEarly, .done: return nil
      }
    }
    continuation?.resume(with: result)
  }

  func cancel() {
    let continuation = state.withLock { state -> CheckedContinuation<R, any Error>? in
      switch state {
      case .new:
        state = .cancelledEarly
        return nil
      case .waiting(let continuation):
        state = .done
        return continuation
      case .running, .cancelledEarly, .done: return nil
      }
    }
    continuation?.resume(throwing: StoreError.cancelledBeforeStart)
  }
}

extension StoreError {
  fileprivate static var cancelledBeforeStart: StoreError {
    StoreError(.cancelled, "the task was cancelled before the transaction began")
  }
}
