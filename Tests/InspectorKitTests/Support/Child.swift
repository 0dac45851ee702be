// `environ` is a global variable of C; nothing in this process changes it.
#if canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#endif

/// A running child process.
struct Child {
  let process: pid_t

  /// Starts a program with its three standard files.
  static func start(
    _ path: String, _ arguments: [String], files: [Int32], environment: [String: String] = [:],
    in folder: String? = nil
  ) throws -> Child {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, file) in files.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, file, Int32(number))
    }
    // `posix_spawn` of C libraries differs in how it changes the folder; the shell's does not.
    let command =
      folder.map {
        ["/bin/sh", "-c", #"cd "$1" && shift && exec "$@""#, "sh", $0, path] + arguments
      }
      ?? [path] + arguments
    // The test's own process may ignore signals; a shell starts programs with the default.
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    sigaddset(&signals, SIGINT)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // Threads of the test's runner block signals, and a child inherits that.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1)
      if let name = parts.first {
        variables[String(name)] = parts.count > 1 ? String(parts[1]) : ""
      }
      entry += 1
    }
    variables.merge(environment) { _, given in given }

    var words: [UnsafeMutablePointer<CChar>?] = command.map { text in strdup(text) }
    words.append(nil)
    var pairs: [UnsafeMutablePointer<CChar>?] = variables.map { pair in
      strdup(pair.key + "=" + pair.value)
    }
    pairs.append(nil)
    defer { for text in words + pairs { free(text) } }
    var process = pid_t()
    let result = OpenFiles.alone {
      posix_spawnp(&process, command[0], &actions, &attributes, words, pairs)
    }
    guard result == 0 else { throw Failure(call: "posix_spawnp \(path)", number: result) }
    return Child(process: process)
  }

  /// Waits for the end and returns the exit code as shells say it.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}
