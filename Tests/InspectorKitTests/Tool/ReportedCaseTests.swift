import Testing

@testable import InspectorKit

/// Public reports about other tools, as small tests of the built tool.
///
/// The expected texts come from the reports and from stock `sqlite3`, not from this tool.
@Suite("Reported cases")
struct ReportedCaseTests {
  /// A query of one column `x` of `values.sqlite`.
  private func value(_ condition: String, _ options: String...) throws -> ToolRun {
    let folder = try TemporaryFolder()
    let path = try folder.add("values.sqlite")
    return try ToolRun.program(
      ToolRun.executablePath, ["query", path, "select x from v where \(condition)"] + options)
  }

  @Test("integers beyond 2^53 keep every digit")
  func bigIntegers() throws {
    #expect(
      try value("k='big'", "--format", "ndjson").text == #"{"x":9007199254740993}"# + "\n")
    for spelling in ["--json-integers", "--json-ints"] {
      #expect(
        try value("k='big'", "--format", "ndjson", spelling, "string").text
          == #"{"x":"9007199254740993"}"# + "\n")
    }
    #expect(
      try value("k='i64min'", "--format", "ndjson").text == #"{"x":-9223372036854775808}"# + "\n")
    #expect(try value("k='i64max'", "--format", "csv").text == "x\n9223372036854775807\n")
  }

  @Test("a condition finds exactly the big integer that is shown")
  func bigIntegerCondition() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("values.sqlite")
    let run = try ToolRun.inspect(
      "query", path, "v WHERE x = 9007199254740993", "--format", "ndjson")
    #expect(run.text == #"{"k":"big","x":9007199254740993}"# + "\n")
    #expect(run.exitCode == 0)
    let older = try ToolRun.inspect(
      "query", path, "v", "--pred", "x = 9007199254740993", "--format", "ndjson")
    #expect(older.text == run.text)
  }

  @Test("numbers that JSON lacks are valid JSON, and readable in CSV and SQL")
  func nonFinite() throws {
    #expect(
      try value("k in ('inf','ninf') order by x desc", "--format", "ndjson").text == """
        {"x":{"$numberDouble":"Infinity"}}
        {"x":{"$numberDouble":"-Infinity"}}

        """)
    #expect(
      try value("k in ('inf','ninf') order by x desc", "--format", "csv").text
        == "x\nInfinity\n-Infinity\n")
    let folder = try TemporaryFolder()
    let path = try folder.add("values.sqlite")
    let lines = try ToolRun.inspect("dump", path, "v", "--format", "sql").lines
    #expect(lines.contains { $0.hasSuffix("VALUES('inf',9e999);") })
    #expect(lines.contains { $0.hasSuffix("VALUES('ninf',-9e999);") })
    #expect(lines.contains { $0.hasSuffix("VALUES('neg0',-0.0);") })
  }

  @Test("every line of an NDJSON dump passes a strict parser")
  func strictJSON() throws {
    let folder = try TemporaryFolder()
    for fixture in ["values.sqlite", "names.sqlite", "structs.sqlite", "utf16.sqlite"] {
      let run = try ToolRun.inspect("dump", try folder.add(fixture), "--format", "ndjson")
      #expect(run.exitCode == 0, "\(fixture): \(run.errorText)")
      let strict = """
        import json, sys
        def refuse(name): raise ValueError(name)
        def pairs(items):
          names = [name for name, _ in items]
          assert len(set(names)) == len(names), names
          return dict(items)
        data = sys.stdin.buffer.read().decode('utf-8', 'strict')
        for line in data.split('\\n')[:-1]:
          json.loads(line, parse_constant=refuse, object_pairs_hook=pairs)
        """
      let parser = try ToolRun.program("python3", ["-c", strict], input: run.output)
      #expect(parser.exitCode == 0, "\(fixture): \(parser.errorText)")
      #expect(!run.output.isEmpty)
    }
  }

  @Test("a NUL inside a text is not the text's end")
  func embeddedNUL() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("values.sqlite")
    let dump = try ToolRun.inspect("dump", path, "v", "--where", "k='nul'")
    #expect(dump.lines.contains { $0.hasSuffix("VALUES('nul',CAST(X'610062' AS TEXT));") })
    let copy = folder.file("copy.sqlite")
    #expect(try ToolRun.program("sqlite3", [copy], input: dump.output).errorText == "")
    #expect(
      try ToolRun.program("sqlite3", [copy, "select length(cast(x as blob)), typeof(x) from v"])
        .text == "3|text\n")
    #expect(try value("k='nul'", "--format", "ndjson").text == #"{"x":"a\u0000b"}"# + "\n")
  }

  @Test("text that is not UTF-8 neither ends a dump nor hides a row")
  func invalidText() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("values.sqlite")
    let dump = try ToolRun.inspect("dump", path, "v", "--format", "ndjson")
    #expect(dump.exitCode == 0)
    #expect(dump.lines.count == 28)
    #expect(
      dump.lines.contains(
        #"{"k":"badutf8","x":{"$base64":true,"encoded":"Yf9i","type":"text"}}"#))
    #expect(
      try value("k in ('badutf8','surrogate','r1')", "--format", "ndjson").lines.count == 3)
  }

  @Test("a dump with full-text and R-Tree tables loads into stock sqlite3")
  func virtualTables() throws {
    let folder = try TemporaryFolder()
    let dump = try ToolRun.inspect("dump", try folder.add("structs.sqlite"))
    #expect(dump.exitCode == 0)
    let copy = folder.file("new.db")
    let load = try ToolRun.program("sqlite3", [copy], input: dump.output)
    #expect(load.exitCode == 0 && load.errorText == "")
    let questions = """
      select count(*) from ft where ft match 'hello'; select count(*) from rt;
      pragma integrity_check; pragma user_version; pragma application_id;
      """
    #expect(try ToolRun.program("sqlite3", [copy, questions]).text == "1\n1\nok\n42\n1234\n")
  }

  @Test("shadow tables are listed only when asked for")
  func shadowTables() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("structs.sqlite")
    let shadows: Set = [
      "ft_data", "ft_idx", "ft_content", "ft_docsize", "ft_config", "rt_rowid", "rt_node",
      "rt_parent",
    ]
    func names(_ run: ToolRun) -> Set<String> {
      Set(run.lines.compactMap { $0.split(separator: " ").first.map(String.init) })
    }
    let plain = names(try ToolRun.inspect("schema", path))
    #expect(plain.isSuperset(of: ["ft", "rt"]))
    #expect(plain.isDisjoint(with: shadows))
    #expect(names(try ToolRun.inspect("schema", path, "--shadow")).isSuperset(of: shadows))
  }

  @Test("generated columns are shown, marked and never inserted")
  func generatedColumns() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("structs.sqlite")
    #expect(
      try ToolRun.inspect("dump", path, "gen", "--format", "ndjson").lines.first
        == #"{"w":2.0,"h":3.0,"area":6.0,"per":10.0}"#)
    let dump = try ToolRun.inspect("dump", path, "gen", "--format", "sql")
    let copy = folder.file("copy.sqlite")
    #expect(try ToolRun.program("sqlite3", [copy], input: dump.output).errorText == "")
    #expect(
      try ToolRun.program("sqlite3", [copy, "select w, h, area, per from gen"]).text
        == "2.0|3.0|6.0|10.0\n|1.0||\n")
    let schema = try ToolRun.inspect("schema", path, "gen", "--as", "json")
    let question = """
      import json, sys
      def columns(value):
        if isinstance(value, dict):
          if value.get('name') in ('area', 'per'): yield value
          value = list(value.values())
        if isinstance(value, list):
          for item in value: yield from columns(item)
      for column in columns(json.load(sys.stdin)):
        print(column['name'], [v for v in column.values() if v in ('stored', 'virtual')][0])
      """
    #expect(
      try ToolRun.program("python3", ["-c", question], input: schema.output).text
        == "area stored\nper virtual\n")
  }

  @Test(
    "a path means the file of that name, whatever is in it",
    arguments: [
      "100% #1?.sqlite", "a b'c.sqlite", "日本.sqlite", "-dash.sqlite", "mode=ro&x.sqlite",
      "file:x.sqlite", "quote\".sqlite", "back\\slash.sqlite", "line\nfeed.sqlite",
    ])
  func paths(_ name: String) throws {
    let folder = try TemporaryFolder()
    try folder.add("one.sqlite", as: name)
    let before = try folder.state()
    for path in [name, "/" + folder.file(name), folder.file(name), "./" + name] {
      let run = try ToolRun.inspect(
        "query", "--format", "csv", "--", path, "select x from t", in: folder.path)
      #expect(run.text == "x\n1\n", "\(path): \(run.errorText)")
    }
    #expect(try folder.state() == before)
  }

  @Test("a missing path is an error and creates nothing")
  func missing() throws {
    let folder = try TemporaryFolder()
    for arguments in [["info"], ["schema"], ["dump"], ["check"], ["query", "t"], ["get", "1"]] {
      var words = arguments
      words.insert(folder.file("missing.sqlite"), at: 1)
      let run = try ToolRun.program(ToolRun.executablePath, words)
      #expect(run.exitCode == 3, "\(arguments)")
      #expect(run.output.isEmpty)
      #expect(run.errorText.hasPrefix("store-inspect: error: "))
      #expect(run.errorText.contains("missing.sqlite]\n  hint: "))
    }
    #expect(folder.names.isEmpty)
  }

  @Test("one broken view blocks nothing")
  func brokenView() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("structs.sqlite")
    let schema = try ToolRun.inspect("schema", path)
    #expect(schema.exitCode == 0)
    let words = schema.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(
      words.contains(["bad", "view", "(broken:", "no", "such", "table:", "missing_table)"]))
    let kinds = words.compactMap { $0.count > 1 ? $0[1] : nil }
    #expect(kinds.count { ["table", "view", "virtual"].contains($0) } == 12)
    #expect(kinds.count { $0 == "index" } == 2)
    #expect(kinds.count { $0 == "trigger" } == 1)
    #expect(!schema.text.contains("sqlite_"))
    #expect(try ToolRun.inspect("dump", path).exitCode == 0)
    let query = try ToolRun.inspect("query", path, "select * from bad")
    #expect(query.exitCode == 2)
    #expect(query.output.isEmpty)
  }
}
