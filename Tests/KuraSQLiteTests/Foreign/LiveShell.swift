import Foundation
import Testing

/// A stock `sqlite3` that stays open, another process with the file open.
final class LiveShell {
  private let shell = Process()
  private let input = Pipe()
  private let output = Pipe()

  var process: Int32 { shell.processIdentifier }

  init(_ path: String) throws {
    shell.executableURL = URL(filePath: "/usr/bin/env")
    shell.arguments = ["sqlite3", "-batch", path]
    shell.standardInput = input
    shell.standardOutput = output
    try shell.run()
  }

  func send(_ sql: String) { input.fileHandleForWriting.write(Data((sql + "\n").utf8)) }

  /// Waits until all that was sent is done.
  func synchronise() throws {
    send(".print ready")
    var text = ""
    while !text.contains("ready") {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty)
      text += String(decoding: data, as: UTF8.self)
    }
  }

  func end() {
    try? input.fileHandleForWriting.close()
    shell.waitUntilExit()
  }
}

/// Another user, for the file system and this thread only.
enum Nobody {
  private typealias SetUser = @convention(c) (UInt32) -> Int32

  /// Runs a body as another user when this is root, else as who this is.
  static func run(_ body: () throws -> Void) throws {
    guard geteuid() == 0 else { return try body() }
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setUser = unsafeBitCast(symbol, to: SetUser.self)
    _ = setUser(65_534)
    defer { _ = setUser(0) }
    try body()
  }
}
