import Foundation
import Kura

/// A running `store-hammer`, a process that writes a store until it is killed.
final class HammerProcess {
  let writer: Int64
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  /// The transactions that it said to have committed and to have rolled back.
  private(set) var committed: Set<Int64> = []
  private(set) var abandoned: Set<Int64> = []
  /// What it said that is no transaction.
  private(set) var others: [String] = []

  /// Starts a writer, which waits for ``begin()`` before it touches the store.
  init(_ path: String, format: StoreFormat, writer: Int64, seed: UInt64) throws {
    self.writer = writer
    process.executableURL = URL(fileURLWithPath: HammerProcess.executablePath)
    process.arguments = [format.rawValue, path, String(writer), String(seed)]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Lets it open the store and write.
  func begin() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

  /// Reads what it says until it has committed some transactions more, or ended.
  func read(untilCommits count: Int) throws {
    var left = count
    while left > 0, let line = try line() {
      if note(line) { left -= 1 }
    }
  }

  /// Kills it wherever it is, and reads what it said before.
  func end() throws {
    kill(process.processIdentifier, SIGKILL)
    while let line = try line() { _ = note(line) }
    process.waitUntilExit()
  }

  /// Ends its input, so that it closes the store and exits; returns the exit code.
  func finish() throws -> Int32 {
    try input.fileHandleForWriting.close()
    while let line = try line() { _ = note(line) }
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func note(_ line: String) -> Bool {
    let words = line.split(separator: " ")
    guard words.count == 2, let number = Int64(words[1]) else {
      others.append(line)
      return false
    }
    if words[0] == "committed" { committed.insert(number) } else { abandoned.insert(number) }
    return words[0] == "committed"
  }

  private func line() throws -> String? {
    var bytes: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// The built program, which lies beside the test's own executable or above it.
  static let executablePath: String = {
    var folder = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
    if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
      folder = URL(fileURLWithPath: own)
    }
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let path = folder.appendingPathComponent("store-hammer").path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    return "store-hammer"
  }()
}
