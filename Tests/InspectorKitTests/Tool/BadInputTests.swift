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
}
