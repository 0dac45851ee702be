// `environ` is a global variable of C; nothing in this process changes it.
#if canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Musl)
  @preconcurrency import Musl
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#endif

/// A program such as `less` that shows output page by page.
///
/// Used only when a person reads standard output on a terminal; `less` itself ends at once when
/// everything fits the screen (`-F`).
final class Pager {
  /// Where output for the pager is written.
  let fileDescriptor: Int32
  private let process: pid_t
  private var isFinished = false

  private init(fileDescriptor: Int32, process: pid_t) {
    self.fileDescriptor = fileDescriptor
    self.process = process
  }

  deinit { finish() }

  /// The command line for a shell, or nothing if the person wants no pager.
  ///
  /// `PAGER` names the program as for `man` and `git`; empty or `cat` means none.
  static func command(_ environment: (String) -> String?) -> String? {
    if environment("TERM") == "dumb" { return nil }
    switch environment("PAGER") {
    case nil: return "less -FIRX"
    case "": return nil
    case "cat": return nil
    case let program?: return program
    }
  }

  /// Starts a pager that writes to this process's standard output.
  ///
  /// - Returns: `nil` when it cannot be started; output then goes to the terminal directly.
  static func start(_ command: String) -> Pager? {
    var ends: (Int32, Int32) = (-1, -1)
    let made = withUnsafeMutableBytes(of: &ends) { bytes in
      pipe(bytes.bindMemory(to: Int32.self).baseAddress)
    }
    guard made == 0 else { return nil }
    // The pager must see the pipe's end when this process closes its side.
    _ = fcntl(ends.1, F_SETFD, FD_CLOEXEC)

    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends.0, 0)
    posix_spawn_file_actions_addclose(&actions, ends.0)

    var process = pid_t()
    let arguments: [UnsafeMutablePointer<CChar>?] = [
      strdup("/bin/sh"), strdup("-c"), strdup(command), nil,
    ]
    defer { for argument in arguments { free(argument) } }
    let result = posix_spawn(&process, "/bin/sh", &actions, nil, arguments, environ)
    close(ends.0)
    guard result == 0 else {
      close(ends.1)
      return nil
    }
    // Quitting the pager is no fault of anybody's: writing then fails with EPIPE, quietly.
    signal(SIGPIPE, SIG_IGN)
    return Pager(fileDescriptor: ends.1, process: process)
  }

  /// Says that all is written and waits until the person has read it.
  func finish() {
    guard !isFinished else { return }
    isFinished = true
    close(fileDescriptor)
    var status: Int32 = 0
    // Control-C goes to the pager as well, which goes on; the terminal stays its own until it ends.
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
  }
}
