import Foundation
import Testing

/// Another program that a test talks to line by line.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts a program found by the shell's rules.
  init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  var processIdentifier: Int32 { process.processIdentifier }

  /// Writes a line to the program.
  func say(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Reads one line from the program.
  func line() throws -> String {
    var bytes: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Closes the program's input, waits for its end and gives what it still wrote.
  @discardableResult
  func finish() throws -> String {
    try? input.fileHandleForWriting.close()
    let rest = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: rest, as: UTF8.self)
  }

  /// What a program writes that must end well, without the last line feed.
  static func output(_ program: String, _ arguments: [String]) throws -> String {
    let child = try ChildProcess(program, arguments)
    var text = try child.finish()
    try #require(child.process.terminationStatus == 0, "\(program) failed: \(text)")
    if text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
