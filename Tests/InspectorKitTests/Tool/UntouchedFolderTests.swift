import Testing

@testable import InspectorKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reading leaves every byte, name, mode and time in the file's folder as it was.
@Suite("Untouched folders")
struct UntouchedFolderTests {
  /// What lies in a folder before the tool comes.
  enum Scene: String, CaseIterable, CustomTestStringConvertible {
    case plain, wal, walWithoutIndex, walLost, hotJournal, utf16, truncated, notADatabase

    var files: [String] {
      switch self {
      case .plain: ["structs.sqlite"]
      case .wal: ["wal.sqlite"]
      case .walWithoutIndex: ["wal-noshm.sqlite", "wal-noshm.sqlite-wal"]
      case .walLost: ["wal-lost.sqlite"]
      case .hotJournal: ["hot.sqlite", "hot.sqlite-journal"]
      case .utf16: ["utf16.sqlite"]
      case .truncated: ["truncated.sqlite"]
      case .notADatabase: ["notadb.sqlite"]
      }
    }
    var testDescription: String { rawValue }
  }

  static let commands: [[String]] = [
    ["info"], ["info", "--format", "json"], ["schema"], ["schema", "--as", "json"], ["dump"],
    ["dump", "--format", "ndjson"], ["check"], ["check", "--quick"], ["check", "--deep"],
    ["query", "select 1"], ["query", "t"], ["get", "1", "--model", "t"],
    ["migrate status"], ["migrate status", "--check"], ["migrate history"],
  ]

  /// The words of a command with the file after its name.
  private static func words(_ command: [String], _ file: String) -> [String] {
    command[0].split(separator: " ").map(String.init) + [file] + command.dropFirst()
  }

  @Test(
    "every command leaves a folder as it was", arguments: Scene.allCases, [false, true])
  func untouched(_ scene: Scene, _ isReadOnly: Bool) throws {
    let folder = try TemporaryFolder()
    for file in scene.files { try folder.add(file) }
    // The files may be read by anybody, as the tool runs as another user where it can.
    chmod(folder.path, isReadOnly ? 0o555 : 0o755)
    let before = try folder.state()
    for command in UntouchedFolderTests.commands {
      let words = UntouchedFolderTests.words(command, folder.file(scene.files[0]))
      let run = try UntouchedFolderTests.run(words, asAnother: isReadOnly)
      #expect(
        [0, 1, 2, 3, 5].contains(run.exitCode), "\(command): \(run.exitCode) \(run.errorText)")
      #expect(try folder.state() == before, "\(command)")
    }
  }

  @Test(
    "rows that are only in the -wal are seen, also in a read-only folder", arguments: [false, true])
  func walWithoutIndex(_ isReadOnly: Bool) throws {
    let folder = try TemporaryFolder()
    for file in Scene.walWithoutIndex.files { try folder.add(file) }
    chmod(folder.path, isReadOnly ? 0o555 : 0o755)
    let run = try UntouchedFolderTests.run(
      ["query", folder.file("wal-noshm.sqlite"), "select x from t", "--format", "csv"],
      asAnother: isReadOnly)
    #expect(run.text == "x\nin-wal\n", "\(run.errorText)")
    #expect(run.exitCode == 0)
  }

  @Test("an unfinished transaction is not shown, and the reader is told")
  func hotJournal() throws {
    let folder = try TemporaryFolder()
    for file in Scene.hotJournal.files { try folder.add(file) }
    let run = try ToolRun.inspect(
      "query", folder.file("hot.sqlite"), "select distinct x from t", "--format", "csv")
    #expect(run.text == "x\nbefore\n")
    #expect(run.errorText.contains("rolling back an unfinished transaction"))
    #expect(run.exitCode == 0)
    let count = try ToolRun.inspect(
      "query", folder.file("hot.sqlite"), "select count(*) as n from t", "--format", "ndjson")
    #expect(count.text == "{\"n\":400}\n")
  }

  @Test("a lost -wal is warned about")
  func walLost() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("wal-lost.sqlite")
    let run = try ToolRun.inspect("query", path, "select x from t", "--format", "ndjson")
    #expect(run.output.isEmpty)
    #expect(run.exitCode == 0)
    #expect(
      run.errorText.contains(
        "WAL mode but no -wal file beside it; recent transactions may be missing"))
  }

  @Test("a live writer is neither disturbed nor touched", arguments: ["wal", "delete"])
  func liveWriter(_ journal: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("live.sqlite")
    // The writer keeps its connection open until its standard input ends.
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1], isolation_level=None)
      db.execute('pragma journal_mode=' + sys.argv[2])
      db.execute('create table t(x)')
      db.execute("insert into t values ('committed')")
      db.execute('begin immediate')
      db.execute("insert into t values ('open')")
      print('ready', flush=True)
      sys.stdin.read()
      db.execute('commit')
      print(db.execute('select count(*) from t').fetchone()[0], flush=True)
      """
    let input = try OpenFiles.pipe()
    let output = try OpenFiles.pipe()
    let writer = try Child.start(
      "python3", ["-c", script, path, journal], files: [input.read, output.write, 2])
    close(input.read)
    close(output.write)
    #expect(UntouchedFolderTests.line(of: output.read) == "ready")

    let before = try folder.state()
    for command in UntouchedFolderTests.commands {
      let words = UntouchedFolderTests.words(command, path)
      let run = try ToolRun.program(ToolRun.executablePath, words)
      #expect(
        run.exitCode == 0 || command == ["get", "1", "--model", "t"]
          || command[0].hasPrefix("migrate") && run.exitCode == 3, "\(command): \(run.errorText)")
      #expect(try folder.state() == before, "\(command)")
    }
    let run = try ToolRun.inspect("query", path, "select x from t", "--format", "csv")
    #expect(run.text == "x\ncommitted\n")
    let info = try ToolRun.inspect("info", path)
    #expect(info.text.contains(String(writer.process)))

    close(input.write)
    #expect(UntouchedFolderTests.line(of: output.read) == "2")
    #expect(writer.wait() == 0)
    close(output.read)
  }

  /// Reads to the next line feed.
  private static func line(of file: Int32) -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(file, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  /// Runs the tool, as `nobody` where the test runs as root and a mode would bind nobody else.
  private static func run(_ words: [String], asAnother: Bool) throws -> ToolRun {
    guard asAnother, geteuid() == 0 else {
      return try ToolRun.program(ToolRun.executablePath, words)
    }
    return try ToolRun.program(
      "setpriv",
      ["--reuid=65534", "--regid=65534", "--clear-groups", ToolRun.executablePath] + words)
  }
}
