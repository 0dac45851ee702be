#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// State behind a lock, with waiting: what `Mutex` of the standard library lacks.
///
/// It also takes the place of `Mutex` everywhere: on Linux the thread sanitizer does not see the lock
/// that a contended `Mutex` takes inside the standard library (Swift 6.3) and reports races that are
/// none, so that a real one could hide among them.
///
/// `@unchecked Sendable`: the state is reached only through ``withLock(_:)`` and ``wait``, which
/// hold the POSIX mutex; mutex and condition live at fixed addresses until the last reference goes.
package final class Monitor<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  /// Makes a monitor of a state.
  package init(_ state: sending State) {
    self.state = state
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs a body with the state and wakes those who wait.
  package func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }

  /// Runs a body when it gives a value; until then waits for changes, at most until a deadline.
  ///
  /// - Returns: The body's value, or `nil` when the deadline passed.
  package func wait<R, E: Error>(
    until deadline: ContinuousClock.Instant?, for body: (inout State) throws(E) -> R?
  ) throws(E) -> R? {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    while true {
      if let value = try body(&state) { return value }
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      let rest = deadline - ContinuousClock.now
      guard rest > .zero else { return nil }
      var until = timespec()
      clock_gettime(CLOCK_REALTIME, &until)
      // At most a minute a turn: the wall clock may be set, and a century overflows nothing.
      let (seconds, attoseconds) = min(rest, .seconds(60)).components
      let nanoseconds = Int(until.tv_nsec) + Int(attoseconds / 1_000_000_000)
      until.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
      until.tv_nsec = nanoseconds % 1_000_000_000
      pthread_cond_timedwait(condition, mutex, &until)
    }
  }
}

/// The identity of the running thread.
package func currentThread() -> UInt {
  // A number in glibc, a pointer elsewhere.
  #if canImport(Glibc)
    UInt(pthread_self())
  #else
    UInt(bitPattern: pthread_self())
  #endif
}
