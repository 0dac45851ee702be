#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A running `store-inspect observe` whose events a test waits for.
final class Observer {
  private let child: Child
  private let output: Int32
  private let error: Int32
  private var hasEnded = false

  /// Starts the tool and waits until it observes.
  init(_ path: String, _ arguments: String..., environment: [String: String] = [:]) throws {
    let input = try ToolRun.scratch()
    let output = try OpenFiles.pipe()
    let error = try OpenFiles.pipe()
    child = try Child.start(
      ToolRun.executablePath, ["observe", path] + arguments,
      files: [input, output.write, error.write], environment: environment)
    OpenFiles.close(input, output.write, error.write)
    self.output = output.read
    self.error = error.read
    while let line = Observer.line(from: error.read), !line.contains("note: observing") {}
  }

  deinit {
    if !hasEnded {
      kill(child.process, SIGKILL)
      _ = child.wait()
    }
    OpenFiles.close(output, error)
  }

  private static func line(from file: Int32) -> String? {
    var bytes: [UInt8] = []
    while let byte = OpenFiles.byte(from: file) {
      if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The next events, as they were written; fewer when the tool has ended.
  func lines(_ count: Int) -> [String] {
    var lines: [String] = []
    while lines.count < count, let line = Observer.line(from: output) { lines.append(line) }
    return lines
  }

  /// Waits for the end and returns the exit code.
  func wait() -> Int32 {
    hasEnded = true
    return child.wait()
  }

  /// Sends a signal, waits for the end and returns the exit code.
  func end(_ signal: Int32 = SIGINT) -> Int32 {
    kill(child.process, signal)
    return wait()
  }
}
