import Testing

@testable import InspectorKit

/// What people see on a terminal, and that programs in a pipe never see it.
@Suite("Terminal output")
struct TerminalTests {
  @Test("records are a table on a terminal and NDJSON in a pipe")
  func defaults() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite")
    let seen = try PseudoTerminal().inspect(["query", path, "select x from t", "--color", "never"])
    #expect(seen.text == "x\n─\n1\n")
    #expect(try ToolRun.inspect("query", path, "select x from t").text == "{\"x\":1}\n")
  }

  @Test("all lines of a table have the same width, whatever is in the cells")
  func widths() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("values.sqlite")
    let seen = try PseudoTerminal(columns: 60).inspect([
      "query", path, "--color", "never",
      "select x, 'end' as e from v where k in ('wide','emoji','combining','tab','nul')",
    ])
    let lines = seen.text.split(separator: "\n").map(String.init)
    #expect(lines.count == 7)
    // The last column's cells all are three columns wide.
    #expect(
      Set(lines.map { TerminalWidth.of($0.hasSuffix("e") ? $0 + "  " : $0) }).count == 1,
      "\(seen.text)")
  }

  @Test(
    "no control character of the data reaches a terminal", arguments: ["table", "list", "line"])
  func controls(_ format: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("values.sqlite")
    let seen = try PseudoTerminal().inspect([
      "query", path, "select k, x from v where typeof(x) = 'text'", "--color", "never",
      "--format", format,
    ])
    for scalar in seen.text.unicodeScalars where scalar != "\n" {
      #expect(scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value))
      #expect(
        !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value))
    }
  }

  @Test("no format writes an escape of its own into a pipe, and data stays as it is")
  func pipes() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite")
    let commands: [[String]] =
      [
        ["info", path], ["schema", path], ["dump", path], ["check", path], ["--help"], ["version"],
      ]
      + OutputFormat.allCases.map { ["query", path, "select x from t", "--format", $0.rawValue] }
    for command in commands {
      let run = try ToolRun.program(ToolRun.executablePath, command)
      #expect(!run.output.contains(0x1B) && !run.error.contains(0x1B), "\(command)")
    }
    let values = try folder.add("values.sqlite")
    let raw = try ToolRun.program(
      "sqlite3", [values, "select hex(x) from v where k = 'esc'"])
    let csv = try ToolRun.inspect(
      "query", values, "select x from v where k = 'esc'", "--format", "csv")
    // `x`, a line feed, the value and a line feed; the value needs no quotes.
    let body = csv.output.dropFirst(2).dropLast()
    #expect(StoredHex.upper(body.filter { $0 != 0x22 }) + "\n" == raw.text)
  }

  @Test("colours follow the terminal, NO_COLOR, TERM and --color")
  func colours() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite")
    let command = ["query", path, "select null as n"]
    #expect(try PseudoTerminal().inspect(command).text.contains("\u{1B}[1m"))
    for variables in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
      #expect(
        try !PseudoTerminal().inspect(command, environment: variables).text.contains("\u{1B}"))
    }
    #expect(
      try !PseudoTerminal().inspect(command + ["--color", "never"]).text.contains("\u{1B}"))
    #expect(
      try PseudoTerminal().inspect(command, environment: ["NO_COLOR": "1"]).text.contains("NULL"))
  }

  @Test("a terminal's table has a row limit that is announced; a pipe has none")
  func rowLimit() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite")
    let sql =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000) select i from n"
    let seen = try PseudoTerminal().inspect(
      ["query", path, sql, "--color", "never"], errorToo: true)
    #expect(seen.text.contains("500"))
    #expect(!seen.text.contains("\n3000\n"))
    #expect(seen.text.contains("--limit"))
    let piped = try ToolRun.inspect("query", path, sql, "--format", "table")
    #expect(piped.lines.count == 3002)
  }

  @Test("long work shows its progress where a person waits, and removes it")
  func progress() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite")
    let sql = "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"
    let output = try ToolRun.scratch()
    defer { OpenFiles.close(output) }
    let command = ["query", path, sql, "--format", "count", "--timeout", "1500ms"]
    let seen = try PseudoTerminal().inspect(command, output: output, errorToo: true)
    #expect(seen.exitCode == 4)
    #expect(seen.text.contains(" records/s"))
    #expect(seen.text.contains("\r\u{1B}[Kstore-inspect: error: "))
    let dumb = try PseudoTerminal().inspect(
      command, output: output, errorToo: true, environment: ["TERM": "dumb"])
    #expect(!dumb.text.contains("\u{1B}") && !dumb.text.contains("records/s"))
  }

  @Test("output goes through the pager on a terminal only")
  func pager() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite")
    let pager = ["PAGER": "sed s/^/paged:/"]
    let command = ["query", path, "select x from t", "--color", "never"]
    #expect(
      try PseudoTerminal().inspect(command, environment: pager).text.contains("paged:1\n"))
    #expect(
      try !PseudoTerminal().inspect(command + ["--no-pager"], environment: pager).text
        .contains("paged"))
    #expect(
      try !ToolRun.program(ToolRun.executablePath, command, environment: pager).text
        .contains("paged"))
  }
}

/// Bytes as `sqlite3` writes them.
enum StoredHex {
  static func upper(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
      let text = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "0" + text : text
    }.joined()
  }
}
