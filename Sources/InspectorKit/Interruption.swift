import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ctrl-C ends the running statement; the command then cleans up and exits with 130.
enum Interruption {
  /// What the signal handler cancels; set once, before the handler is installed.
  private nonisolated(unsafe) static var limits: ExecutionLimits?

  /// Makes SIGINT and SIGTERM cancel limits. A second signal ends the process at once.
  static func install(_ limits: ExecutionLimits) {
    self.limits = limits
    // A closed pipe is an error of the write, not the end of the process: temporary files go.
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { number in
        Interruption.limits?.cancel()
        signal(number, SIG_DFL)
      }
    }
  }
}
