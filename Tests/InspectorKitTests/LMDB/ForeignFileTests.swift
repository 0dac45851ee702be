import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// LMDB files of other programs: what they are, their entries by key and range, damage.
///
/// The fixtures were made by stock `mdb_load`; expected values are those of their definitions in
/// `Fixtures/generate.py`.
@Suite("LMDB files of other programs")
struct ForeignFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String...) throws -> ToolRun {
    try ToolRun.program(ToolRun.executablePath, words)
  }

  // MARK: keys

  @Test("integer keys are numbers in the order of numbers")
  func integerKeys() throws {
    let file = try folder.add("dup.mdb")
    #expect(
      try run("dump", file, "--db", "intkey", "--format", "ndjson").text == """
        {"db":"intkey","key":1,"value":"v1"}
        {"db":"intkey","key":256,"value":"v256"}
        {"db":"intkey","key":65536,"value":"v65536"}

        """)
    for key in ["u64ne:256", "hex:0001000000000000", "256", "u64le:256"] {
      let found = try run("get", file, key, "--db", "intkey")
      #expect(found.text == "v256\n")
      #expect(found.exitCode == 0)
    }
    let absent = try run("get", file, "u64ne:257", "--db", "intkey")
    #expect(absent.exitCode == 1)
    #expect(absent.output.isEmpty)
  }

  @Test("a prefix of bytes finds the keys that begin with it")
  func prefix() throws {
    let file = try folder.add("flat.mdb")
    #expect(
      try run("dump", file, "--prefix", "hex:00").text
        == #"{"db":"@main","key":{"$base64":true,"encoded":"AP8="},"value":"bin"}"# + "\n")
    #expect(try run("get", file, "--prefix", "a").text == "a=b\tx\ny\na\\b\tx\\41y\n")
    #expect(try run("get", file, #"a\\b"#).text == #"x\41y"# + "\n")
    #expect(try run("get", file, #"\x00\xff"#).text == "bin\n")
  }

  @Test("ranges have a first key and an end, go both ways and on from a key")
  func ranges() throws {
    let file = try folder.add("dup.mdb")
    func keys(_ words: String...) throws -> String {
      let run = try ToolRun.program(
        ToolRun.executablePath, ["dump", file, "-f", "csv", "--columns", "key"] + words)
      #expect(run.exitCode == 0, "\(run.errorText)")
      return run.lines.dropFirst().joined(separator: " ")
    }
    #expect(try keys("--db", "日本", "--from", "b", "--to", "ca") == "ba")
    #expect(try keys("--db", "日本", "--reverse", "--to", "ca") == "ba ab")
    #expect(try keys("--db", "日本", "--after", "ab", "--limit", "1") == "ba")
    #expect(try keys("--db", "日本", "--after", "ca", "--reverse") == "ba ab")
    #expect(try keys("--db", "intkey", "--from", "256") == "256 65536")
    #expect(try keys("--db", "intkey", "--to", "256") == "1")
    // Keys that are compared from their end.
    #expect(try keys("--db", "rev") == "ba ca ab")
    #expect(try keys("--db", "rev", "--from", "ca") == "ca ab")
    #expect(try keys("--db", "rev", "--prefix", "a") == "ab")
    // Each value of a key is an entry, in both directions.
    #expect(try keys("--db", "dup", "--to", "k2") == "k k k")
    #expect(try keys("--db", "dup", "--reverse") == "k2 k k k")
    #expect(try keys("--db", "dup", "--after", "k") == "k2")
  }

  @Test("keys and databases that are none are mistakes that say what would do")
  func mistakes() throws {
    let file = try folder.add("dup.mdb")
    for (words, hint) in [
      (["get", file, "k", "--db", "dupp"], "did you mean \"dup\"?"),
      (["get", file, "k"], "dup, dupfixed, intkey, rev"),
      (["get", file], "--db"), (["get", file, "hex:0", "--db", "dup"], "hex:00ff"),
      (["get", file, "u64be:x", "--db", "dup"], "whole number"),
      (["dump", file, "--value-as", "jsn"], "msgpack"),
      (["dump", file, "--columns", "name"], "key and value"),
      (["query", file, "--sql", "select 1"], "query language"),
    ] {
      let run = try ToolRun.program(ToolRun.executablePath, words)
      #expect(run.exitCode == 2, "\(words)")
      #expect(run.errorText.contains(hint), "\(run.errorText)")
    }
  }

  // MARK: what a file is

  @Test("the databases are listed with their flags")
  func schema() throws {
    #expect(
      try run("schema", folder.add("dup.mdb")).text == """
        dup  database  (dupsort)
        dupfixed  database  (dupsort, dupfixed, integerdup)
        intkey  database  (integerkey)
        rev  database  (reversekey)
        日本  database

        """)
    #expect(try run("schema", folder.add("mixed.mdb")).text == "@main  database\nsub  database\n")
    #expect(try run("schema", folder.add("flat.mdb")).text == "@main  database\n")
  }

  @Test("a file, its folder and the data file in it are the same environment")
  func folders() throws {
    let environment = try TemporaryFolder()
    let file = try environment.add("flat.mdb", as: "data.mdb")
    let whole = try run("dump", file).text
    #expect(whole.contains("not") == false && whole.contains("\"k\""))
    #expect(try run("dump", environment.path).text == whole)
    #expect(try run("dump", environment.path + "/").text == whole)
    let info = try run("info", environment.path).text
    #expect(info.contains("format: lmdb\n") && info.contains("data file: \(file)\n"))
    #expect(info.contains("map size: 67108864 bytes (67.1 MB)\n"))
    #expect(info.contains("page size: 4096 bytes\n") && info.contains("lock file: none\n"))
    #expect(info.contains("database @main: 4 entries\n"))
  }

  @Test("nothing in the folder changes, also where nothing may be written")
  func untouched() throws {
    let environment = try TemporaryFolder()
    try environment.add("dup.mdb", as: "data.mdb")
    for mode: mode_t in [0o755, 0o555] {
      chmod(environment.path, mode)
      let before = try environment.state()
      for words in [
        ["info"], ["schema"], ["dump"], ["dump", "--format", "mdb"], ["check"],
        ["check", "--deep"],
        ["get", "k", "--db", "dup"], ["query", "dup WHERE key = 'k'"],
      ] {
        var words = words
        words.insert(environment.path, at: 1)
        #expect(try ToolRun.program(ToolRun.executablePath, words).exitCode == 0, "\(words)")
      }
      #expect(try environment.state() == before)
    }
  }

  @Test("changes are refused before anything is made", arguments: ["dup.mdb", "kura.mdb"])
  func refusedChange(_ fixture: String) throws {
    let file = try folder.add(fixture)
    let before = try folder.state()
    for words in [["delete from t", "--sql"], ["t"]] {
      let run = try ToolRun.program(
        ToolRun.executablePath, ["query", file, "--write"] + words)
      #expect(run.exitCode == 2)
      #expect(run.errorText.contains("no SQL"))
    }
    #expect(try folder.state() == before)
  }

  @Test("beside a lock file nothing changes either, and its readers are told")
  func besideLockFile() throws {
    let file = try folder.add("dup.mdb")
    // Stock LMDB leaves its table of readers behind.
    #expect(try ToolRun.program("mdb_stat", ["-n", file]).exitCode == 0)
    #expect(folder.names == ["dup.mdb", "dup.mdb-lock"])
    let before = try folder.state()
    let info = try run("info", file)
    #expect(info.text.contains("lock file: \(file)-lock\n"))
    #if os(Linux)
      #expect(info.text.contains("readers: none\n"))
    #endif
    #expect(try run("dump", file).exitCode == 0)
    #expect(try run("check", file).text == "ok\n")
    #expect(try folder.state() == before)
    // An output file never takes the place of either.
    for name in ["dup.mdb", "dup.mdb-lock"] {
      #expect(try run("dump", file, "-o", folder.file(name), "--yes").exitCode == 6)
    }
    #expect(try folder.state() == before)
  }

  // MARK: damage

  @Test(
    "a file that was cut off is named as such and gives no records",
    arguments: [("cut-at-page.mdb", 8192), ("cut-in-page.mdb", 8292)])
  func cutOff(_ fixture: String, _ size: Int) throws {
    let file = try folder.add(fixture)
    let wording =
      "file ends at page 2, newest meta needs 8 pages (32768 bytes, have \(size))"
    for depth in [[], ["--quick"], ["--deep"]] {
      let check = try ToolRun.program(ToolRun.executablePath, ["check", file] + depth)
      #expect(check.exitCode == 1)
      #expect(check.text.contains(wording), "\(check.text)")
    }
    for format in ["ndjson", "mdb", "csv", "count"] {
      let dump = try run("dump", file, "--format", format)
      #expect(dump.exitCode == 5)
      #expect(dump.output.isEmpty)
      #expect(dump.errorText.contains(wording))
    }
    let info = try run("info", file)
    #expect(info.exitCode == 5)
    #expect(info.text.contains("size needed: 32768 bytes"))
  }

  @Test("sound files have no findings", arguments: ["dup", "mixed", "flat", "coded", "lmdb"])
  func sound(_ fixture: String) throws {
    let file = try folder.add(fixture + ".mdb")
    for depth in [[], ["--quick"], ["--deep"]] {
      let check = try ToolRun.program(ToolRun.executablePath, ["check", file] + depth)
      #expect(check.exitCode == 0)
      #expect(check.text == "ok\n")
    }
  }

  @Test("what can be read of a damaged file is written, and the exit code says that it is not all")
  func damagedPage() throws {
    let file = folder.file("damaged.mdb")
    var bytes = try Fixture.bytes("dup.mdb")
    // The leaf page that holds the entries of one database, and its copies of before: their headers
    // become those of no page.
    let key = Array("v65536".utf8)
    let places = bytes.indices.dropLast(key.count).filter { place in
      key.indices.allSatisfy { bytes[place + $0] == key[$0] }
    }
    #expect(!places.isEmpty)
    for place in places {
      for offset in 10..<16 { bytes[place / 4096 * 4096 + offset] = 0xFF }
    }
    try folder.write(bytes, to: file)
    let dump = try run("dump", file)
    #expect(dump.exitCode == 5)
    #expect(dump.text.contains(#"{"db":"dup","key":"k2","value":"only"}"#))
    #expect(!dump.text.contains("v65536"))
    #expect(try run("check", file).exitCode == 1)
  }
}
