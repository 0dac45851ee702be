import KuraCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ctrl-C ends the running statement; the command then cleans up and exits with 130.
enum Interruption {
  // Safe without a lock: written once, before the handlers are installed, then only read.
  private nonisolated(unsafe) static var limits: ExecutionLimits?
  private static let isAsked = Atomic<Bool>(false)

  /// Throws when the process was asked to end; for calls of the system that a signal interrupted.
  static func check() throws(StoreError) {
    guard !isAsked.load(ordering: .relaxed) else { throw StoreError(.cancelled, "interrupted") }
  }

  /// Makes SIGINT, SIGTERM and SIGHUP cancel limits.
  ///
  /// A second signal ends the process at once.
  static func install(_ limits: ExecutionLimits) {
    self.limits = limits
    // A closed pipe is an error of the write, not the end of the process: temporary files go.
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      handle(number) { number in
        Interruption.isAsked.store(true, ordering: .relaxed)
        Interruption.limits?.cancel()
        signal(number, SIG_DFL)
        alarm(1)
      }
    }
    // A signal may come just before a read or write blocks, which would then wait for ever. It is
    // interrupted again until the process has ended.
    handle(SIGALRM) { _ in alarm(1) }
  }

  /// Installs a handler without SA_RESTART: calls that block must return.
  private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    sigaction(number, &action, nil)
  }
}
