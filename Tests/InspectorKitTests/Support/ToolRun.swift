import Synchronization

// `environ` is a global variable of C; nothing in this process changes it.
#if canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#endif

/// One run of the built `store-inspect`, or of another program, with what it wrote.
struct ToolRun {
  /// The exit code; 128 and the signal's number when a signal ended it, as shells say it.
  let exitCode: Int32
  let output: [UInt8]
  let error: [UInt8]

  var text: String { String(decoding: output, as: UTF8.self) }
  var errorText: String { String(decoding: error, as: UTF8.self) }
  /// The lines of the output without their line feeds.
  var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// Runs `store-inspect`, which lies beside the test's own executable.
  static func inspect(
    _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:],
    in folder: String? = nil
  ) throws -> ToolRun {
    try program(
      executablePath, arguments, input: input, environment: environment, in: folder)
  }

  /// Runs a program found by the shell's rules.
  static func program(
    _ path: String, _ arguments: [String], input: [UInt8] = [],
    environment: [String: String] = [:], in folder: String? = nil
  ) throws -> ToolRun {
    let (inputFile, outputFile, errorFile) = (try scratch(), try scratch(), try scratch())
    defer { for file in [inputFile, outputFile, errorFile] { close(file) } }
    input.withUnsafeBytes { bytes in
      _ = write(inputFile, bytes.baseAddress, bytes.count)
      _ = lseek(inputFile, 0, SEEK_SET)
    }
    let child = try Child.start(
      path, arguments, files: [inputFile, outputFile, errorFile], environment: environment,
      in: folder)
    let exitCode = child.wait()
    return ToolRun(
      exitCode: exitCode, output: content(of: outputFile), error: content(of: errorFile))
  }

  /// The built tool.
  static let executablePath: String = {
    #if canImport(Darwin)
      let own = CommandLine.arguments.first ?? ""
    #else
      var buffer = [CChar](repeating: 0, count: 4096)
      let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
      let own = String(
        decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #endif
    // Inside a bundle on Darwin: walk up until the tool is beside.
    var folder = own[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      if access(folder + "/store-inspect", X_OK) == 0 { return folder + "/store-inspect" }
    }
    return "store-inspect"
  }()

  /// An unnamed file.
  static func scratch() throws -> Int32 {
    var template = Array("/tmp/kura-run-XXXXXX".utf8CString)
    let file = OpenFiles.alone {
      let file = mkstemp(&template)
      _ = fcntl(file, F_SETFD, FD_CLOEXEC)
      return file
    }
    guard file >= 0 else { throw Failure(call: "mkstemp", number: errno) }
    unlink(template)
    return file
  }

  /// All bytes of a file.
  static func content(of file: Int32) -> [UInt8] {
    lseek(file, 0, SEEK_SET)
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &block, block.count)
      guard count > 0 else { return bytes }
      bytes += block.prefix(count)
    }
  }
}

/// Files that children of other tests must not inherit: a pipe with a forgotten end never ends.
enum OpenFiles {
  private static let gate = Mutex(())

  /// Makes files, or a child, while no other test does.
  static func alone<T>(_ body: () -> T) -> T { gate.withLock { _ in body() } }

  /// A pipe that children inherit only as one of their standard files.
  static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let result = alone {
      #if canImport(Glibc)
        let result = Glibc.pipe(&ends)
      #else
        let result = Darwin.pipe(&ends)
      #endif
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return result
    }
    guard result == 0 else { throw Failure(call: "pipe", number: errno) }
    return (ends[0], ends[1])
  }
}

/// A failed call of the system.
struct Failure: Error {
  var call: String
  var number: Int32
}

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
