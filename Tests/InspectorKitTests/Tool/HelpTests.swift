import Testing

@testable import InspectorKit

/// What the tool says about itself.
@Suite("Self-description")
struct HelpTests {
  @Test("without a command there is short help with two examples, on standard output")
  func bare() throws {
    let run = try ToolRun.inspect()
    #expect(run.exitCode == 0)
    #expect(run.error.isEmpty)
    #expect(run.lines.count { $0.hasPrefix("store-inspect ") } == 2)
    #expect(run.lines.count < 12)
  }

  @Test("help comes in every spelling")
  func spellings() throws {
    let names = CommandSpecification.inspector.visibleCommands.map(\.name)
    for arguments in [["--help"], ["-h"], ["help"]] {
      let run = try ToolRun.program(ToolRun.executablePath, arguments)
      #expect(run.exitCode == 0 && run.error.isEmpty)
      for name in names { #expect(run.text.contains("  \(name) ")) }
    }
    for name in names {
      let help = try ToolRun.inspect("help", name)
      #expect(help.exitCode == 0 && help.error.isEmpty)
      #expect(help.text.contains("usage: store-inspect \(name)"))
      for arguments in [[name, "--help"], [name, "-h"], ["--color", "never", name, "--help"]] {
        #expect(try ToolRun.program(ToolRun.executablePath, arguments).text == help.text)
      }
    }
  }

  @Test("lines of help fit a terminal of 100 columns")
  func width() throws {
    for command in CommandSpecification.inspector.visibleCommands {
      for line in try ToolRun.inspect("help", command.name).lines {
        #expect(TerminalWidth.of(line) <= 100, "\(line)")
      }
    }
  }

  @Test("mistakes are met with usage on standard error and 2")
  func mistakes() throws {
    for (arguments, hint) in [
      (["qurey", "x"], "query"), (["info"], "PATH"), (["info", "a", "b"], "b"),
      (["query", "x"], "TEXT"), (["info", "x", "--fromat", "csv"], "--format"),
      (["help", "shcema"], "schema"), (["completions", "tcsh"], "bash, zsh, fish"),
      (["query", "x", "t", "--timeout", "soon"], "10s"),
    ] {
      let run = try ToolRun.program(ToolRun.executablePath, arguments)
      #expect(run.exitCode == 2, "\(arguments)")
      #expect(run.output.isEmpty)
      #expect(run.errorText.hasPrefix("store-inspect: error: "))
      #expect(run.errorText.contains(hint), "\(run.errorText)")
      #expect(run.errorText.contains("\n  hint: "))
    }
  }

  @Test("errors may be one line of JSON")
  func jsonErrors() throws {
    let question = """
      import json, sys
      lines = sys.stdin.read().splitlines()
      assert len(lines) == 1, lines
      error = json.loads(lines[0])['error']
      print(error['code'], error['exit'], error.get('path'), 'message' in error, 'hint' in error)
      """
    func answer(_ arguments: String...) throws -> String {
      let run = try ToolRun.program(ToolRun.executablePath, arguments)
      let parser = try ToolRun.program("python3", ["-c", question], input: run.error)
      return parser.text + parser.errorText
    }
    #expect(
      try answer("info", "/nowhere/x.db", "--errors", "json")
        == "store.missing 3 /nowhere/x.db True True\n")
    #expect(try answer("--errors=json", "info") == "usage.invalid 2 None True True\n")
    let folder = try TemporaryFolder()
    let path = try folder.add("structs.sqlite")
    #expect(
      try answer("query", path, "wx", "--errors", "json")
        == "schema.unknownModel 2 \(path) True True\n")
  }

  @Test("the version is a line, or JSON")
  func version() throws {
    for arguments in [["version"], ["--version"], ["-V"]] {
      let run = try ToolRun.program(ToolRun.executablePath, arguments)
      #expect(run.exitCode == 0)
      #expect(run.text.hasPrefix("store-inspect \(InspectorVersion.number) "))
      #expect(run.lines.count == 1)
    }
    let run = try ToolRun.inspect("version", "--json")
    let question = "import json,sys; print(sorted(json.load(sys.stdin)))"
    #expect(
      try ToolRun.program("python3", ["-c", question], input: run.output).text
        == "['lmdb', 'sqlite', 'storeInspect']\n")
  }

  @Test("the whole surface is valid JSON with every command and exit code")
  func specification() throws {
    let run = try ToolRun.inspect("--spec")
    let question = """
      import json, sys
      spec = json.load(sys.stdin)
      print(' '.join(c['name'] for c in spec['commands']))
      print(' '.join(spec['exitCodes']))
      query = [c for c in spec['commands'] if c['name'] == 'query'][0]
      print([o['repeated'] for o in query['options'] if o['name'] == 'parameter'])
      """
    #expect(
      try ToolRun.program("python3", ["-c", question], input: run.output).text == """
        info schema stats dump get query observe check diff load migrate completions version
        0 1 2 3 4 5 6 7 8 70 130 141
        [True]

        """)
  }

  @Test("completion scripts are valid in their shells", arguments: ["bash", "zsh", "fish"])
  func completions(_ shell: String) throws {
    let script = try ToolRun.inspect("completions", shell)
    #expect(script.exitCode == 0)
    #expect(script.text.contains("json-integers"))
    #expect(!script.text.contains("json-ints "))
    let found = try ToolRun.program("/bin/sh", ["-c", "command -v \(shell)"])
    guard found.exitCode == 0 else { return }
    let check = try ToolRun.program(shell, ["-n"], input: script.output)
    #expect(check.exitCode == 0 && check.error.isEmpty, "\(check.errorText)")
  }

  @Test("bash completes commands, options, choices and names of tables")
  func bash() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("structs.sqlite")
    let script = try ToolRun.inspect("completions", "bash").text
    func complete(_ words: String...) throws -> [String] {
      let list = (["store-inspect"] + words).map { "'\($0)'" }.joined(separator: " ")
      let program = """
        \(script)
        store-inspect() { "\(ToolRun.executablePath)" "$@"; }
        COMP_WORDS=(\(list)); COMP_CWORD=\(words.count)
        _store_inspect
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      let run = try ToolRun.program("bash", ["-c", program])
      #expect(run.errorText == "")
      return run.lines
    }
    #expect(try complete("q") == ["query"])
    #expect(try complete("query", path, "--ex").sorted() == ["--exists", "--explain"])
    #expect(try complete("completions", "z") == ["zsh"])
    #expect(try complete("dump", path, "no") == ["norowidname"])
  }

  @Test("the manual page is accepted by man without complaint")
  func manual() throws {
    let page = try ToolRun.inspect("--man")
    #expect(page.exitCode == 0)
    #expect(page.text.hasPrefix(".TH "))
    for command in CommandSpecification.inspector.visibleCommands {
      #expect(page.text.contains(".SS \"\(command.name)\"\n"))
    }
    #expect(ManualPage.escaped(".x-\\…") == "\\&.x\\-\\e...")
    let found = try ToolRun.program("/bin/sh", ["-c", "command -v groff"])
    guard found.exitCode == 0 else { return }
    let check = try ToolRun.program("groff", ["-man", "-Tutf8", "-ww", "-z"], input: page.output)
    #expect(check.errorText == "")
  }
}
