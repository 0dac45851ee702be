import Foundation
import KuraSQLite
import Testing

@testable import KuraCore

/// A folder with copies of fixtures or files made by the stock `sqlite3`, removed at the end.
final class ForeignFolder {
  let path: String

  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures").path

  init() throws {
    path = NSTemporaryDirectory() + "kura-foreign-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    _ = chmod(path, 0o755)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Copies a fixture with its side files and returns the copy's path.
  func copy(_ name: String, as target: String? = nil) throws -> String {
    let copy = path + "/" + (target ?? name)
    for side in ["", "-wal", "-journal"] {
      let source = ForeignFolder.fixtures + "/" + name + side
      if FileManager.default.fileExists(atPath: source) {
        try FileManager.default.copyItem(atPath: source, toPath: copy + side)
      }
    }
    return copy
  }

  /// Runs SQL with the stock shell and returns its output without the last line end.
  @discardableResult
  func sqlite(_ name: String, _ sql: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "sqlite3", "-batch", "-cmd", "PRAGMA synchronous=OFF", path + "/" + name,
    ]
    let output = Pipe()
    let errors = path + "/../" + UUID().uuidString
    try Data().write(to: URL(filePath: errors))
    defer { try? FileManager.default.removeItem(atPath: errors) }
    let script = path + "/../" + UUID().uuidString
    try Data(sql.utf8).write(to: URL(filePath: script))
    defer { try? FileManager.default.removeItem(atPath: script) }
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: script))
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try String(contentsOfFile: errors, encoding: .utf8) == "")
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// Everything about the folder that reading must not change.
  func listing() throws -> [String] {
    var lines: [String] = []
    for name in [""] + (try FileManager.default.contentsOfDirectory(atPath: path)).sorted() {
      let file = path + "/" + name
      var status = stat()
      #expect(lstat(file, &status) == 0)
      let content =
        name.isEmpty ? "" : SHA256.hex(of: try Data(contentsOf: URL(filePath: file)))
      lines.append(
        "\(name) \(status.st_size) \(status.st_mode) \(status.st_mtim.tv_sec)"
          + ".\(status.st_mtim.tv_nsec) \(status.st_ino) \(content)")
    }
    return lines
  }
}

/// Opens a file for reading as the inspector does.
func openForeign(_ path: String, wait: Duration = .seconds(5)) throws -> any StorageEngine {
  try SQLiteBackend().open(
    .file(path), EngineOptions(access: .readOnly, isUntrusted: true, busyTimeout: wait))
}

/// All rows of a statement, values as the stock shell's list mode shows them.
func rows(_ engine: any StorageEngine, _ sql: String) throws -> [String] {
  let transaction = try engine.beginRead()
  defer { transaction.end() }
  let reader = try #require(transaction as? any SQLReadTransaction)
  let cursor = try reader.cursor(sql: sql, parameters: [:])
  let row = RowBuffer(columns: cursor.columnNames.count)
  var lines: [String] = []
  while try cursor.next(into: row) {
    lines.append(
      (0..<row.count).map { index in
        switch row.value(at: index) {
        case .null: ""
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .text(let value): value
        case let other: "\(other)"
        }
      }.joined(separator: "|"))
  }
  return lines
}
