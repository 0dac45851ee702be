import Kura
import KuraCore
import Testing

@testable import InspectorKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What other programs do to LMDB files, and to Kura's stores, comes as events.
@Suite("Observing LMDB files and Kura's stores")
struct ObserveEnvironmentTests {
  /// Runs the stock loader as the other program: keys and values by turns.
  private static func load(_ path: String, _ database: String?, _ words: [String]) throws {
    let header =
      "VERSION=3\nformat=print\n" + (database.map { "database=\($0)\n" } ?? "")
      + "type=btree\nHEADER=END\n"
    let text = header + words.map { " \($0)\n" }.joined() + "DATA=END\n"
    let run = try ToolRun.program(
      "mdb_load", (database.map { ["-s", $0] } ?? []) + [path], input: Array(text.utf8))
    #expect(run.exitCode == 0, "\(run.errorText)")
  }

  @Test("entries of all databases come with their old and new values")
  func entries() throws {
    let folder = try TemporaryFolder()
    let path = try folder.folder("env")
    try Self.load(path, nil, ["a", "one", "b", "two"])
    let observer = try Observer(path, "--initial")
    #expect(
      observer.lines(2) == [
        #"{"event":"initial","model":"@main","key":"a","new":"one","commit":1}"#,
        #"{"event":"initial","model":"@main","key":"b","new":"two","commit":1}"#,
      ])
    try Self.load(path, nil, ["a", "uno", "c", "three"])
    #expect(
      observer.lines(2) == [
        #"{"event":"update","model":"@main","key":"a","old":"one","new":"uno","commit":2}"#,
        #"{"event":"insert","model":"@main","key":"c","new":"three","commit":2}"#,
      ])
    try Self.load(path, "items", ["k", "v"])
    #expect(
      observer.lines(2) == [
        #"{"event":"schema","model":"items","new":{"flags":[]},"commit":3}"#,
        #"{"event":"insert","model":"items","key":"k","new":"v","commit":3}"#,
      ])
    #expect(observer.end() == 130)
  }

  @Test("a condition on keys and values chooses, also in one database alone")
  func condition() throws {
    let folder = try TemporaryFolder()
    let path = try folder.folder("env")
    try Self.load(path, "items", ["a", "1", "b", "2"])
    let observer = try Observer(
      path, "items", "--where", "value BEGINSWITH 'x'", "--until", "2")
    try Self.load(path, nil, ["main", "x"])
    try Self.load(path, "items", ["a", "2", "b", "x2", "c", "3", "d", "x4"])
    let lines = observer.lines(9)
    #expect(lines.count == 2)
    #expect(lines.first?.contains(#""event":"update","model":"items","key":"b""#) == true)
    #expect(lines.last?.contains(#""event":"insert","model":"items","key":"d","new":"x4""#) == true)
    #expect(observer.wait() == 0)
  }

  @Test("10,000 entries of one run of a loader all come, once each")
  func manyEntries() throws {
    let folder = try TemporaryFolder()
    let path = try folder.folder("env")
    try Self.load(path, nil, ["a", "one"])
    let observer = try Observer(path, "--until", "10000")
    try Self.load(path, nil, (10_000..<20_000).flatMap { ["k\($0)", "v\($0)"] })
    // The loader commits every 100 entries; the number of commits that come as one may differ.
    let lines = observer.lines(10_001).map { $0.split(separator: ",\"commit\"").first ?? "" }
    #expect(
      lines
        == (10_000..<20_000).map {
          #"{"event":"insert","model":"@main","key":"k\#($0)","new":"v\#($0)""#
        })
    #expect(observer.wait() == 0)
  }

  @Test("two writers at once lose and double nothing")
  func twoWriters() throws {
    let folder = try TemporaryFolder()
    let path = try folder.folder("env")
    try Self.load(path, nil, ["a", "one"])
    let observer = try Observer(path, "--until", "4000")
    let children = try ["x", "y"].map { name in
      let input = try ToolRun.scratch()
      defer { OpenFiles.close(input) }
      let entries = (0..<2000).map { " \(name)\($0)\n \(name)\n" }.joined()
      let text = "VERSION=3\nformat=print\ntype=btree\nHEADER=END\n" + entries + "DATA=END\n"
      _ = Array(text.utf8).withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      lseek(input, 0, SEEK_SET)
      return try Child.start("mdb_load", [path], files: [input, 2, 2])
    }
    let lines = observer.lines(4001)
    for child in children { #expect(child.wait() == 0) }
    #expect(lines.count == 4000)
    #expect(lines.allSatisfy { $0.contains(#""event":"insert""#) })
    #expect(Set(lines.compactMap { $0.split(separator: ",").dropFirst(2).first }).count == 4000)
    #expect(observer.wait() == 0)
  }

  @Test("the folder stays as it was, and a removed file ends with 3")
  func untouched() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("dup.mdb")
    let before = try folder.state()
    let observer = try Observer(path, "--initial")
    let initial = observer.lines(16)
    #expect(
      initial.contains(#"{"event":"initial","model":"intkey","key":256,"new":"v256","commit":5}"#),
      "\(initial)")
    #expect(try folder.state() == before)
    #expect(unlink(path) == 0)
    let lines = observer.lines(9)
    #expect(lines.count == 1)
    #expect(lines.first?.contains(#""event":"end","reason":"store.replaced""#) == true)
    #expect(observer.wait() == 3)
    #expect(folder.names.isEmpty)
  }

  @Test("a file that is cut ends with an event and no trap")
  func cut() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("dup.mdb")
    let observer = try Observer(path)
    try folder.write(Array("no environment any more".utf8), to: path)
    let lines = observer.lines(9)
    #expect(lines.count == 1)
    #expect(lines.first?.contains(#""event":"end","reason":"store."#) == true)
    #expect([3, 5].contains(observer.wait()))
  }

  @Test("records of Kura's stores come with their types", arguments: ["sqlite", "lmdb"])
  func kura(_ format: String) throws {
    let folder = try TemporaryFolder()
    let schema = try Schema(
      version: 1,
      [
        ModelDescription(
          "Visit", primaryKey: ["place", "day"],
          properties: [
            PropertyDescription("place", .text), PropertyDescription("day", .integer),
            PropertyDescription("isOpen", .bool),
            PropertyDescription("since", .date, isOptional: true),
          ])
      ])
    let store = try Store.open(
      StoreConfiguration(
        at: .file(folder.file("app")), schema: schema, format: StoreFormat(rawValue: format)))
    try store.write { transaction in
      try transaction.insert("Visit", ["place": "Kyoto", "day": 1, "isOpen": true])
    }
    let observer = try Observer(folder.file("app"), "Visit", "--initial", "--where", "day > 0")
    let withoutCommit = { (lines: [String]) in
      lines.map { $0.split(separator: ",\"commit\"").first.map(String.init) ?? "" }
    }
    #expect(
      withoutCommit(observer.lines(1)) == [
        #"{"event":"initial","model":"Visit","key":["Kyoto",1],"#
          + #""new":{"place":"Kyoto","day":1,"isOpen":true,"since":null}"#
      ])
    try store.write { transaction in
      try transaction.insert("Visit", ["place": "Nara", "day": 0, "isOpen": false])
      try transaction.insert("Visit", ["place": "Nara", "day": 2, "isOpen": false])
      _ = try transaction.update(
        "Visit", key: RecordKey(first: "Kyoto", rest: [1]), ["isOpen": false])
    }
    #expect(
      withoutCommit(observer.lines(2)) == [
        #"{"event":"update","model":"Visit","key":["Kyoto",1],"#
          + #""old":{"place":"Kyoto","day":1,"isOpen":true,"since":null},"#
          + #""new":{"place":"Kyoto","day":1,"isOpen":false,"since":null}"#,
        #"{"event":"insert","model":"Visit","key":["Nara",2],"#
          + #""new":{"place":"Nara","day":2,"isOpen":false,"since":null}"#,
      ])
    #expect(observer.end() == 130)
  }

  @Test(
    "a migration by another process gives the schema and the records",
    arguments: MigrationScene.Backend.allCases)
  func migration(_ backend: MigrationScene.Backend) throws {
    let scene = try MigrationScene(backend)
    let observer = try Observer(scene.store)
    let run = try scene.migrate("run", "--allow-loss", "--no-backup")
    #expect(run.exitCode == 0, "\(run.errorText)")
    // Four persons go with their model, and four readers come with the new one.
    var events: [String] = []
    while !events.contains(where: { $0.contains(#""insert","model":"Reader","key":4"#) }),
      let line = observer.lines(1).first
    {
      events.append(line)
    }
    #expect(events.contains { $0.contains(#""event":"schema","model":"Reader""#) })
    #expect(
      events.contains {
        $0.contains(#""event":"insert","model":"Reader","key":2"#) && $0.contains("春樹")
      })
    #expect(observer.end() == 130)
  }
}
