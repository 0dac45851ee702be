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
