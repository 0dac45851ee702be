import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Wrong files and wrong words: each has its own code, and its text says what to do.
@Suite("Bad input")
struct BadInputTests {
  @Test("a link to nothing is told from a wrong path")
  func danglingLink() throws {
    let folder = try TemporaryFolder()
    #expect(symlink("elsewhere/gone.db", folder.file("link.db")) == 0)
    let run = try ToolRun.inspect("info", "link.db", in: folder.path)
    #expect(run.exitCode == 3)
    #expect(run.errorText.contains("a link to elsewhere/gone.db"))
    let wrong = try ToolRun.inspect("info", "lnk.db", in: folder.path)
    #expect(wrong.errorText.contains("there is no such file [lnk.db]"))
  }

  @Test("a full disk names the output file and says that it has only a part")
  func fullDisk() throws {
    guard access("/dev/full", W_OK) == 0 else { return }
    let folder = try TemporaryFolder()
    let database = try folder.add("values.sqlite")
    let run = try ToolRun.inspect("dump", database, "-o", "/dev/full", "--yes")
    #expect(run.exitCode == 70)
    #expect(run.errorText.contains("no space is left on the device [/dev/full]"))
    #expect(run.errorText.contains("only a part of the output"))
  }

  @Test("a folder is no output file")
  func folderAsOutput() throws {
    let folder = try TemporaryFolder()
    let database = try folder.add("values.sqlite")
    for options in [[], ["--yes"]] {
      let run = try ToolRun.program(
        ToolRun.executablePath, ["dump", database, "-o", folder.path] + options)
      #expect(run.exitCode == 3)
      #expect(run.errorText.contains("the path is a folder"))
    }
  }

  @Test(
    "a file that was cut anywhere says how much is there and how much was",
    arguments: [1, 15, 31, 32, 99, 100, 511, 512, -300, -1])
  func truncated(length: Int) throws {
    let folder = try TemporaryFolder()
    let whole = try Fixture.bytes("one.sqlite")
    let path = folder.file("cut.db")
    let rest = length < 0 ? whole.count + length : length
    try folder.write(Array(whole.prefix(rest)), to: path)
    for command in ["info", "dump", "schema"] {
      let run = try ToolRun.inspect(command, path, "--errors", "json")
      #expect(run.exitCode == 5, "\(command)")
      #expect(run.errorText.contains(#""code":"store.truncated""#), "\(command)")
      #expect(run.errorText.contains("\"found\":\"\(rest) bytes\""), "\(command)")
      // The page count is in bytes 28 to 31 of the header.
      let expected = rest < 32 ? "at least 512 bytes" : "\(whole.count) bytes"
      #expect(run.errorText.contains("\"expected\":\"\(expected)"), "\(command)")
    }
    let check = try ToolRun.inspect("check", path)
    #expect(check.exitCode == 1)
    #expect(check.text.contains("found: \(rest) bytes"))
  }

  @Test("a key that no record can have is a mistake, and one that none has is an answer")
  func wrongKey() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("keys.db")
    let made = try ToolRun.program(
      "sqlite3",
      [
        path,
        """
        CREATE TABLE n(id INTEGER PRIMARY KEY, v);
        CREATE TABLE s(id INT PRIMARY KEY, v ANY) STRICT;
        CREATE TABLE loose(id INT PRIMARY KEY, v); INSERT INTO loose VALUES('abc', 1);
        CREATE TABLE t(id TEXT PRIMARY KEY, v);
        """,
      ])
    #expect(made.exitCode == 0, "\(made.errorText)")
    for (model, key, code, text) in [
      ("n", "abc", 2, #""id" is declared INTEGER (found: "abc"; expected: integer)"#),
      ("n", "1.5", 2, "hint: give a whole number, such as 42"), ("n", "7", 1, "no record"),
      ("n", "7.0", 1, "no record"), ("s", "abc", 2, #""id" is declared INT "#),
      // SQLite lets such a column hold any text.
      ("loose", "abc", 0, ""), ("loose", "abd", 1, #"no record of that key: the key column "id""#),
      ("t", "abc", 1, "there is no record of that key\n"),
    ] as [(String, String, Int32, String)] {
      let run = try ToolRun.inspect("get", path, "--model", model, key)
      #expect(run.exitCode == code, "\(model) \(key)")
      #expect(text.isEmpty || run.errorText.contains(text), "\(model) \(key): \(run.errorText)")
    }
  }

  @Test("a value beyond the limit names the limit that holds")
  func tooLarge() throws {
    let folder = try TemporaryFolder()
    let database = try folder.add("one.sqlite")
    // 32 MB is the least that a small file is read with.
    let under = try ToolRun.inspect("query", database, "select length(zeroblob(33554432)) n")
    #expect(under.text == "{\"n\":33554432}\n")
    let over = try ToolRun.inspect(
      "query", database, "select zeroblob(33554433)", "--errors", "json")
    #expect(over.exitCode == 2)
    #expect(over.errorText.contains(#""code":"value.tooLarge""#))
    #expect(over.errorText.contains(#""expected":"at most 33554432 bytes""#))
  }

  /// Makes a database with stock `sqlite3` and replaces bytes of it by as many others.
  private func database(
    in folder: TemporaryFolder, _ sql: String, replacing old: String = "", by new: [UInt8] = []
  ) throws -> String {
    let path = folder.file("made.db")
    let made = try ToolRun.program("sqlite3", [path, sql])
    #expect(made.exitCode == 0, "\(made.errorText)")
    var bytes = try Fixture.bytes(at: path)
    for range in bytes.ranges(of: Array(old.utf8)) where !old.isEmpty {
      bytes.replaceSubrange(range, with: new)
    }
    try folder.write(bytes, to: path)
    return path
  }

  @Test(
    "a name in the schema that is not UTF-8 is damage, and no record is left out in silence",
    arguments: ["aXYb", "tXY"])
  func malformedNames(name: String) throws {
    let folder = try TemporaryFolder()
    let path = try database(
      in: folder,
      #"""
      CREATE TABLE "tXY"(id INTEGER PRIMARY KEY, "aXYb" TEXT); INSERT INTO "tXY" VALUES(1,'one');
      CREATE TABLE sound(x); INSERT INTO sound VALUES(7);
      """#, replacing: name, by: Array(name.utf8).map { $0 == 0x58 ? 0xFF : $0 == 0x59 ? 0xFE : $0 }
    )
    for words in [["dump", path], ["dump", path, "--format", "ndjson"]] {
      let run = try ToolRun.program(ToolRun.executablePath, words)
      #expect(run.exitCode == 5, "\(words)")
      #expect(run.errorText.contains("is not UTF-8"))
      #expect(run.text.contains("sound"))
    }
    let table = name == "tXY" ? "t\u{FFFD}\u{FFFD}" : "tXY"
    let query = try ToolRun.inspect("query", path, "`\(table)`", "--errors", "json")
    #expect(query.exitCode == 5)
    #expect(query.errorText.contains(#""code":"store.damaged""#))
    #expect(try ToolRun.inspect("get", path, "--model", table, "1").exitCode == 5)
    let check = try ToolRun.inspect("check", path)
    #expect(check.exitCode == 1)
    #expect(check.text.contains("damage: \(table): cannot be used: "))
    #expect(try ToolRun.inspect("query", path, "sound").text == "{\"x\":7}\n")
  }

  @Test("a NUL in a name is damage")
  func nulInName() throws {
    let folder = try TemporaryFolder()
    let path = try database(
      in: folder, #"CREATE TABLE t(id INTEGER PRIMARY KEY, "aXYb" TEXT)"#, replacing: "aXYb",
      by: [0x61, 0, 0, 0x62])
    for words in [["dump", path], ["schema", path], ["query", path, "t"]] {
      #expect(try ToolRun.program(ToolRun.executablePath, words).exitCode == 5, "\(words)")
    }
  }

  @Test("a form that only a newer SQLite writes can be read, and says so when it is to be written")
  func newerWriteVersion() throws {
    let folder = try TemporaryFolder()
    let path = try database(in: folder, "CREATE TABLE t(x); INSERT INTO t VALUES(1);")
    var bytes = try Fixture.bytes(at: path)
    bytes[18] = 3
    try folder.write(bytes, to: path)
    #expect(try ToolRun.inspect("query", path, "t").text == "{\"x\":1}\n")
    let run = try ToolRun.inspect(
      "query", path, "--write", "--sql", "delete from t", "--errors", "json")
    #expect(run.exitCode == 3)
    #expect(run.errorText.contains(#""code":"store.newerFormat""#))
    #expect(try Fixture.bytes(at: path) == bytes)
    bytes[19] = 3
    try folder.write(bytes, to: path)
    let unreadable = try ToolRun.inspect("query", path, "t", "--errors", "json")
    #expect(unreadable.exitCode == 3)
    #expect(unreadable.errorText.contains(#""code":"store.newerFormat""#))
  }

  @Test("what may not be written or read says whether the file or its folder is the reason")
  func permissions() throws {
    let folder = try TemporaryFolder()
    let path = try database(in: folder, "CREATE TABLE t(x);")
    // The rights of a file bind nobody who is root.
    let tool = folder.file("tool")
    let script = """
      cp "$1" "\(tool)" && chmod 755 "\(tool)" && cd "$(dirname "$2")" || exit 99
      run() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
        else "$@"; fi 2>&1; echo "exit $?"; }
      write() { run ./tool query made.db --write --sql 'insert into t values(1)' --errors json; }
      chmod 755 . && chmod 444 made.db && write
      chmod 666 made.db && chmod 555 . && write
      run ./tool dump made.db -o new.sql --errors json
      chmod 000 made.db && run ./tool info made.db --errors json
      chmod 755 .
      """
    let run = try ToolRun.program("/bin/sh", ["-c", script, "sh", ToolRun.executablePath, path])
    let lines = run.lines
    try #require(lines.count == 8, "\(run.text) \(run.errorText)")
    for (index, code, text) in [
      (0, "store.readOnlyLocation", "the file does not allow writing"),
      (2, "store.readOnlyLocation", "the folder does not allow writing"),
      (4, "store.readOnlyLocation", "the folder does not allow new files"),
      (6, "store.noPermission", "does not allow access"),
    ] {
      #expect(lines[index].contains("\"code\":\"\(code)\""), "\(lines[index])")
      #expect(lines[index].contains(text), "\(lines[index])")
      #expect(lines[index + 1] == "exit 3")
    }
  }

  @Test("a file of a newer Kura is left alone, and SQL can read it")
  func newerKura() throws {
    let folder = try TemporaryFolder()
    // The tables and the number of docs/file-formats.md, with a format that is still to come.
    let path = try database(
      in: folder,
      """
      PRAGMA application_id = 0x4B555241;
      CREATE TABLE kura_meta(name TEXT NOT NULL PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE kura_schema(
        version INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, json TEXT NOT NULL) STRICT;
      INSERT INTO kura_meta VALUES('format', 99);
      CREATE TABLE t(x); INSERT INTO t VALUES(1);
      """)
    let before = try folder.state()
    for words in [
      ["dump", path], ["query", path, "t"], ["get", path, "--model", "t", "1"],
      ["query", path, "--write", "--sql", "delete from t"],
    ] {
      let run = try ToolRun.program(ToolRun.executablePath, words + ["--errors", "json"])
      #expect(run.exitCode == 3, "\(words)")
      #expect(run.errorText.contains(#""code":"store.newerFormat""#), "\(run.errorText)")
      #expect(run.errorText.contains(#""found":"format 99""#))
    }
    #expect(try ToolRun.inspect("query", path, "--sql", "select x from t").text == "{\"x\":1}\n")
    #expect(try folder.state() == before)
  }
}
