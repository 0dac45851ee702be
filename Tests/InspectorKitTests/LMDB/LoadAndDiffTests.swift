import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Dumps that are loaded again, by this tool and by stock `mdb_load`, and what differs afterwards.
@Suite("Loading and comparing LMDB files")
struct LoadAndDiffTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String..., input: [UInt8] = []) throws -> ToolRun {
    try ToolRun.program(ToolRun.executablePath, words, input: input)
  }

  /// What stock `mdb_dump` writes of all databases, or of the main one alone.
  private func stockDump(_ file: String, _ options: String...) throws -> String {
    let run = try ToolRun.program("mdb_dump", ["-n"] + options + [file])
    for suffix in ["-lock"] { unlink(file + suffix) }
    return run.text
  }

  @Test(
    "a dump that is loaded again makes an equal file",
    arguments: ["dup.mdb", "mixed.mdb", "flat.mdb", "coded.mdb", "lmdb.mdb"], ["ndjson", "mdb"])
  func roundTrip(_ fixture: String, _ format: String) throws {
    let file = try folder.add(fixture)
    let copy = folder.file("copy.mdb")
    let dump = try run("dump", file, "--format", format)
    #expect(dump.exitCode == 0)
    let load = try run("load", copy, input: dump.output)
    #expect(load.exitCode == 0, "\(load.errorText)")
    let diff = try run("diff", file, copy)
    #expect(diff.exitCode == 0, "\(diff.text)\(diff.errorText)")
    #expect(diff.output.isEmpty)
    #expect(try run("check", copy, "--deep").text == "ok\n")
    #expect(try run("schema", copy).text == run("schema", file).text)
    // Stock LMDB finds the same: flags, order of values, bytes.
    if format == "mdb" {
      #expect(try stockDump(copy, "-a") == stockDump(file, "-a"))
      if fixture == "flat.mdb" || fixture == "coded.mdb" {
        #expect(try stockDump(copy) == stockDump(file))
      }
    }
    #expect(folder.names.sorted() == ["copy.mdb", fixture].sorted())
  }

  @Test("the mdb form is byte for byte that of mdb_dump, and mdb_load takes it")
  func stockForm() throws {
    let file = try folder.add("dup.mdb")
    let dump = try run("dump", file, "--format", "mdb")
    #expect(try dump.text == stockDump(file, "-a"))
    // The values beside named databases, which mdb_dump -a leaves out.
    let mixed = try folder.add("mixed.mdb")
    let text = try run("dump", mixed, "--format", "mdb")
    #expect(text.text.contains(" 706c61696e\n 6e6f742061207375622d6461746162617365\n"))
    for (source, words) in [(file, dump), (mixed, text)] {
      let copy = folder.file("loaded.mdb")
      let load = try ToolRun.program("mdb_load", ["-n", copy], input: words.output)
      #expect(load.exitCode == 0)
      unlink(copy + "-lock")
      #expect(try run("diff", source, copy).exitCode == 0)
      unlink(copy)
    }
  }

  @Test("the printable form has backslashes in pairs")
  func printableForm() throws {
    let copy = folder.file("copy.mdb")
    let text = """
      VERSION=3
      format=print
      type=btree
      mapsize=1048576
      HEADER=END
       a\\\\b
       x\\\\41y\\00
      DATA=END

      """
    #expect(try run("load", copy, input: Array(text.utf8)).text == "databases: 1\nrecords: 1\n")
    #expect(
      try stockDump(copy).contains(" 615c62\n 785c34317900\n"), "key a\\b, value x\\41y and a NUL")
  }

  @Test(
    "a mistake in the input names its line and makes no file",
    arguments: [
      ("VERSION=3\nformat=print\ntype=btree\nHEADER=END\n a\n b\\\nDATA=END\n", "line 6"),
      ("VERSION=3\nformat=bytevalue\nHEADER=END\n 61\n 6g\nDATA=END\n", "line 5"),
      ("VERSION=3\nformat=bytevalue\nHEADER=END\n 61\n 626\nDATA=END\n", "line 5"),
      ("VERSION=3\nformat=bytevalue\nHEADER=END\n 61\nDATA=END\n", "line 5"),
      ("VERSION=3\nformat=bytevalue\nHEADER=END\n 61\n 62\n", "line 5"),
      ("VERSION=3\nformat=bytevalue\nHEADER=END\n 61\n 62\n 61\n 63\nDATA=END\n", "line 7"),
      ("VERSION=3\nformat=hash\nHEADER=END\n", "line 2"),
      ("VERSION=3\nformat=bytevalue\ntype=hash\nHEADER=END\n", "line 3"),
      ("VERSION=3\nintegerkey=1\nHEADER=END\n 616263\n 62\nDATA=END\n", "line 5"),
      ("VERSION=3\nformat=bytevalue\n", "line 2"),
      ("{\"db\":\"a\",\"key\":\"k\",\"value\":\"v\"}\n{\"db\":\"a\",\"key\":\"k\"}\n", "line 2"),
      ("{\"db\":\"a\",\"key\":\"k\",\"value\":\"v\"}\n[1]\n", "line 2"),
      ("{\"db\":\"a\",\"key\":\"k\",\"value\":\"\\ud800\"}\n", "line 1"),
      ("{\"db\":\"a\",\"key\":1,\"value\":\"v\"}\n", "line 1"),
      ("{\"db\":\"a\",\"key\":{\"$base64\":true,\"encoded\":\"A\"},\"value\":\"v\"}\n", "line 1"),
      ("{\"db\":\"a\",\"flags\":[\"sorted\"]}\n", "line 1"),
      ("{\"key\":\"k\",\"value\":\"v\"}\n", "line 1"),
      ("{\"db\":\"@main\",\"key\":\"\",\"value\":\"v\"}\n", "line 1"),
      ("", "empty"), ("hello\n", "line 1"),
    ])
  func damagedInput(_ text: String, _ wording: String) throws {
    let copy = folder.file("copy.mdb")
    let load = try run("load", copy, input: Array(text.utf8))
    #expect(load.exitCode == 2, "\(load.text)")
    #expect(load.errorText.contains(wording), "\(load.errorText)")
    #expect(folder.names.isEmpty)
  }

  @Test("a file that exists is replaced only when that is asked for")
  func existingTarget() throws {
    let copy = try folder.add("flat.mdb")
    let input = Array("{\"db\":\"items\",\"key\":\"k\",\"value\":\"v\"}\n".utf8)
    let before = try folder.state()
    let refused = try run("load", copy, input: input)
    #expect(refused.exitCode == 6)
    #expect(try folder.state() == before)
    #expect(try run("load", copy, "--yes", input: input).exitCode == 0)
    #expect(try run("get", copy, "k").text == "v\n")
    #expect(folder.names == ["flat.mdb"])
    // In a folder the data file is made.
    let environment = try TemporaryFolder()
    #expect(try run("load", environment.path, input: input).exitCode == 0)
    #expect(environment.names == ["data.mdb"])
    #expect(try run("get", environment.path, "k").text == "v\n")
  }

  @Test("entries that are not in order find their places")
  func disorder() throws {
    let copy = folder.file("copy.mdb")
    var text = "{\"db\":\"d\",\"flags\":[\"dupsort\"]}\n"
    for number in [5, 3, 9, 1, 7, 2, 8, 4, 6, 0] {
      for value in ["b", "c", "a"] {
        text += "{\"db\":\"d\",\"key\":\"\(number)\",\"value\":\"\(value)\"}\n"
      }
    }
    #expect(try run("load", copy, input: Array(text.utf8)).exitCode == 0)
    let expected = (0...9).flatMap { number in ["a", "b", "c"].map { "\(number),\($0)" } }
    #expect(try run("dump", copy, "-f", "csv").lines.dropFirst().elementsEqual(expected))
    #expect(try run("check", copy, "--deep").exitCode == 0)
  }

  @Test("an order of an application's own is kept when that is asked for")
  func ownOrder() throws {
    let copy = folder.file("copy.mdb")
    let text = """
      VERSION=3
      format=print
      database=own
      dupsort=1
      HEADER=END
       c
       2
       c
       1
       a
       x
       b
       9
       b
       8
      DATA=END

      """
    #expect(try run("load", copy, "--append", input: Array(text.utf8)).exitCode == 0)
    let dump = try ToolRun.program("mdb_dump", ["-n", "-p", "-s", "own", copy])
    #expect(dump.text.contains(" c\n 2\n c\n 1\n a\n x\n b\n 9\n b\n 8\n"), "\(dump.text)")
  }

  @Test("values are loaded by the codec that they were written with")
  func codecs() throws {
    let copy = folder.file("copy.mdb")
    let text = "{\"key\":7,\"value\":\"00ff\"}\n{\"key\":256,\"value\":\"\"}\n"
    #expect(
      try run(
        "load", copy, "--db", "n", "--key-as", "u32be", "--value-as", "hex",
        input: Array(text.utf8)
      ).exitCode == 0)
    #expect(try stockDump(copy, "-s", "n").contains(" 00000007\n 00ff\n 00000100\n \n"))
    #expect(
      try run("dump", copy, "--key-as", "u32be", "--value-as", "hex").text
        == "{\"db\":\"n\",\"key\":7,\"value\":\"00ff\"}\n{\"db\":\"n\",\"key\":256,\"value\":\"\"}\n"
    )
  }

  @Test("what differs is told by database and entry")
  func differences() throws {
    let (before, after) = (folder.file("before.mdb"), folder.file("after.mdb"))
    let common = "{\"db\":\"t\",\"key\":\"same\",\"value\":\"1\"}\n"
    let old =
      common + "{\"db\":\"t\",\"key\":\"changed\",\"value\":\"1\"}\n"
      + "{\"db\":\"t\",\"key\":\"gone\",\"value\":\"1\"}\n{\"db\":\"f\",\"flags\":[]}\n"
    let new =
      common + "{\"db\":\"t\",\"key\":\"changed\",\"value\":\"2\"}\n"
      + "{\"db\":\"t\",\"key\":\"new\",\"value\":\"1\"}\n"
      + "{\"db\":\"extra\",\"key\":\"k\",\"value\":\"v\"}\n"
      + "{\"db\":\"f\",\"flags\":[\"integerkey\"]}\n"
    #expect(try run("load", before, input: Array(old.utf8)).exitCode == 0)
    #expect(try run("load", after, input: Array(new.utf8)).exitCode == 0)
    let diff = try run("diff", before, after)
    #expect(diff.exitCode == 1)
    #expect(
      diff.text == """
        ~ database f  (none → integerkey)
        ~ t: "changed" = "1" → "2"
        - t: "gone" = "1"
        + t: "new" = "1"
        + database extra  (none)
        + extra: "k" = "v"

        """)
    #expect(
      try run("diff", before, after, "--as", "json", "t").text == """
        {"event":"update","db":"t","key":"changed","old":"1","new":"2"}
        {"event":"delete","db":"t","key":"gone","old":"1"}
        {"event":"insert","db":"t","key":"new","new":"1"}

        """)
    #expect(
      try run("diff", before, after, "--summary").text == """
        database f has other flags
        t: 1 added, 1 removed, 1 changed
        database extra only in the second file
        extra: 1 added, 0 removed, 0 changed

        """)
    #expect(try run("diff", before, after, "--schema").lines.count == 2)
    #expect(try run("diff", before, before).exitCode == 0)
    #expect(try run("diff", before, folder.file("missing.mdb")).exitCode == 3)
    #expect(try run("diff", before, after, "x").exitCode == 2)
  }

  @Test("statistics count pages, entries and sizes")
  func statistics() throws {
    let file = try folder.add("coded.mdb")
    let run = try run("stats", file)
    #expect(run.exitCode == 0)
    // One leaf, and 20,000 bytes behind a header of 16 on pages of 4096.
    #expect(
      run.text.contains(
        #""entries":15,"keys":15,"depth":1,"branchPages":0,"leafPages":1,"overflowPages":5"#),
      "\(run.text)")
    #expect(run.text.contains(#"{"from":16384,"to":32767,"count":1}"#))
    let text = try self.run("stats", file, "-f", "line").text
    #expect(text.contains("value sizes: 0 to 20000 bytes"))
    #expect(text.contains("█"))
  }
}
