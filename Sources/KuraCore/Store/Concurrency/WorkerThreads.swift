#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs jobs on threads of its own, first come first served.
///
/// Waiting for a lock or a disk on Swift's cooperative pool would stop unrelated tasks, and an LMDB
/// writer must stay on one thread. Threads start with the first job that finds none idle and end
/// when the last reference goes.
final class WorkerThreads: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var jobs: [Job] = []
    var firstJob = 0
    var threads = 0
    var idle = 0
    var isClosed = false

    mutating func next() -> Job? {
      guard firstJob < jobs.count else { return nil }
      let job = jobs[firstJob]
      firstJob += 1
      // Moved in large steps, so that a long queue costs constant time a job.
      if firstJob == jobs.count || firstJob > 512 {
        jobs.removeFirst(firstJob)
        firstJob = 0
      }
      return job
    }
  }

  private enum Turn {
    case run(Job)
    case end
  }

  private let monitor = Monitor(State())
  private let maximum: Int

  /// Makes a group of at most so many threads; none runs yet.
  init(maximum: Int) { self.maximum = max(1, maximum) }

  deinit { close() }

  /// Lets the threads end when all jobs are done.
  func close() { monitor.withLock { $0.isClosed = true } }

  /// Adds a job.
  ///
  /// - Throws: ``StoreError/Code/limitReached`` when the system gives no thread and none runs.
  func submit(_ job: @escaping Job) throws(StoreError) {
    let mustStart = monitor.withLock { state in
      state.jobs.append(job)
      let waiting = state.jobs.count - state.firstJob
      guard waiting > state.idle, state.threads < maximum else { return false }
      state.threads += 1
      return true
    }
    guard mustStart, let reason = WorkerThreads.start(monitor) else { return }
    let isLost = monitor.withLock { state in
      state.threads -= 1
      guard state.threads == 0, !state.jobs.isEmpty else { return false }
      state.jobs.removeLast()
      return true
    }
    guard isLost else { return }
    throw StoreError(
      .limitReached, "the system gives no further thread", suggestion: "end other threads",
      engineCode: reason)
  }

  /// Starts a thread; gives the error's number when the system refuses.
  private static func start(_ monitor: Monitor<State>) -> Int32? {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Bodies are the caller's code and may be deep; only touched pages cost memory.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    let argument = Unmanaged.passRetained(monitor).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let result = pthread_create(&thread, &attributes, { runThread($0) }, argument)
    #else
      var thread = pthread_t()
      let result = pthread_create(&thread, &attributes, { runThread($0) }, argument)
    #endif
    guard result != 0 else { return nil }
    Unmanaged<Monitor<State>>.fromOpaque(argument).release()
    return result
  }

  /// A thread's work: takes jobs until the group is closed and empty.
  fileprivate static func work(_ argument: UnsafeMutableRawPointer) {
    let monitor = Unmanaged<Monitor<State>>.fromOpaque(argument).takeRetainedValue()
    var isIdle = false
    while true {
      let turn = monitor.wait(until: nil) { state -> Turn? in
        if let job = state.next() {
          if isIdle { state.idle -= 1 }
          isIdle = false
          return .run(job)
        }
        if state.isClosed {
          // A job that comes after the closing starts a thread again, to hear that it is too late.
          if isIdle { state.idle -= 1 }
          state.threads -= 1
          return .end
        }
        if !isIdle { state.idle += 1 }
        isIdle = true
        return nil
      }
      guard case .run(let job)? = turn else { return }
      job()
    }
  }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { WorkerThreads.work(argument) }
  return nil
}
