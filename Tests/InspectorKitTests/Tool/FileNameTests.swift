import Testing

/// Names that shells, URIs and texts read a meaning into; the file must open by each.
@Suite("Names of files on the command line")
struct FileNameCommandTests {
  /// Runs a shell script with the tool as `$0` and a database as `$1`, in a folder of its own.
  private func shell(_ script: String) throws -> ToolRun {
    let folder = try TemporaryFolder()
    let database = try folder.add("one.sqlite")
    // Names that are no text are the script's own business, to make and to remove.
    return try ToolRun.program(
      "/bin/sh",
      ["-c", "mkdir work && cd work && trap 'cd .. && rm -rf work' EXIT\n" + script]
        + [ToolRun.executablePath, database], in: folder.path)
  }

  @Test(
    "opens and is shown escaped",
    arguments: [
      // `printf` format of the name, and the name as it is shown
      (#"caf\351 \377.db"#, #"caf\xe9 \xff.db"#),
      (#"\364\217\276\200"#, #"\xf4\x8f\xbe\x80"#),
      (#"new\nline"#, #"new\nline"#), ("q?mode=memory", "q?mode=memory"), ("h#a", "h#a"),
      ("p%%41", "p%41"), ("file:a.db", "file:a.db"), ("file:a?mode=memory", "file:a?mode=memory"),
      (":memory:", ":memory:"), ("'quoted\"", "'quoted\""),
    ])
  func opens(name: String, shown: String) throws {
    let run = try shell(
      """
      name="$(printf '\(name.replacing("'", with: "'\\''"))')"; cp "$1" "$name" || exit 99
      "$0" info "$name" && "$0" dump "$name" --format count && set -- * && echo $#
      """)
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.lines.first == "path: " + shown)
    // No other file came, and none of a repaired name.
    #expect(run.lines.last?.filter { $0 != " " } == "1")
  }

  @Test("opens with a leading dash after -- and after ./")
  func leadingDash() throws {
    let run = try shell(
      """
      cp "$1" ./-x.db && "$0" info -- -x.db && "$0" info ./-x.db
      """)
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.lines.filter { $0.hasPrefix("path: ") } == ["path: -x.db", "path: ./-x.db"])
  }

  @Test("is copied from when it must not be touched, and written to as an output")
  func otherFiles() throws {
    let run = try shell(
      """
      name="$(printf 'h\\377')"; cp "$(dirname "$1")/one.sqlite" "$name" || exit 99
      "$0" schema "$name" -o "$(printf 'out\\376')" && cat "$(printf 'out\\376')"
      """)
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text.hasPrefix("t  table"))
  }

  @Test("is told in errors, in JSON as well")
  func errors() throws {
    let run = try shell(#""$0" info "$(printf 'no\377')" --errors json"#)
    #expect(run.exitCode == 3)
    #expect(run.errorText.contains(#""path":"no\\xff""#))
    #expect(run.errorText.hasPrefix(#"{"error":{"code":"store.missing","exit":3"#))
  }

  @Test("other words must be UTF-8")
  func otherWords() throws {
    let run = try shell(#""$0" query "$1" "$(printf 'select \047\377\047')""#)
    #expect(run.exitCode == 2)
    #expect(run.errorText.contains(#""select '\xff'" is not UTF-8"#))
  }

  @Test("has an error of its own when it is too long")
  func tooLong() throws {
    let folder = try TemporaryFolder()
    let longest = folder.file(String(repeating: "n", count: 255))
    try folder.add("one.sqlite", as: String(repeating: "n", count: 255))
    #expect(try ToolRun.inspect("info", longest).exitCode == 0)
    let run = try ToolRun.inspect("info", longest + "n", "--errors", "json")
    #expect(run.exitCode == 3)
    #expect(run.errorText.contains(#""code":"store.nameTooLong""#))
    #expect(run.errorText.contains(#""found":"256 bytes","expected":"at most 255 bytes""#))
  }

  @Test("a path that is too long for SQLite is read from a copy, and cannot be written")
  func deepFolder() throws {
    let run = try shell(
      #"""
      part="$(printf 'd%.0s' $(seq 100))"; deep="$part/$part/$part/$part/$part/$part"
      mkdir -p "$deep" && cp "$1" "$deep/a.db" && cd "$deep" || exit 99
      "$0" dump a.db --format count; echo "exit $?"
      "$0" query a.db --write --sql 'create table more(x)' --errors json; echo "exit $?"
      cd - >/dev/null; rm -rf "$part"
      """#)
    #expect(run.lines.filter { $0.hasPrefix("exit") } == ["exit 0", "exit 3"])
    #expect(run.errorText.contains("read from a private copy"))
    #expect(run.errorText.contains(#""code":"store.nameTooLong""#))
    #expect(run.errorText.contains(#""expected":"at most 511 bytes""#))
  }

  @Test("a name without room for the endings of side files can be read, and not be written")
  func noRoomForSideFiles() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite", as: String(repeating: "n", count: 250))
    #expect(try ToolRun.inspect("dump", path, "--format", "count").exitCode == 0)
    let run = try ToolRun.inspect(
      "query", path, "--write", "--sql", "create table more(x)", "--errors", "json")
    #expect(run.exitCode == 3)
    #expect(run.errorText.contains(#""code":"store.nameTooLong""#))
    #expect(run.errorText.contains(#""found":"250 bytes","expected":"at most 247 bytes""#))
  }
}
