import KuraCore
import Testing

@testable import InspectorKit

@Suite("Command line")
struct ArgumentParserTests {
  private static let parser = ArgumentParser(options: [
    .init(name: "format", short: "f", value: "FORMAT", choices: ["csv", "json"], summary: ""),
    .init(name: "parameter", short: "p", value: "NAME=VALUE", summary: "", isRepeated: true),
    .init(name: "quiet", short: "q", summary: ""),
    .init(name: "verbose", summary: ""),
    .init(name: "json-integers", hiddenNames: ["json-ints"], value: "FORM", summary: ""),
  ])

  private func parse(_ words: String...) throws -> ParsedArguments {
    try ArgumentParserTests.parser.parse(words)
  }

  @Test("options stand anywhere and take values in every form")
  func forms() throws {
    for words in [
      ["a", "--format", "csv", "b"], ["--format=csv", "a", "b"], ["a", "b", "-f", "csv"],
      ["-fcsv", "a", "b"], ["-f=csv", "a", "b"], ["a", "-qf", "csv", "b"],
    ] {
      let parsed = try ArgumentParserTests.parser.parse(words)
      #expect(parsed.positional == ["a", "b"], "\(words)")
      #expect(parsed.value("format") == "csv", "\(words)")
    }
  }

  @Test("what looks like an option is a value after --, after an option, and as a number")
  func notOptions() throws {
    #expect(try parse("--", "-q", "--format").positional == ["-q", "--format"])
    #expect(try parse("-p", "-q").values("parameter") == ["-q"])
    #expect(try parse("-5", "-1.5e3", "-").positional == ["-5", "-1.5e3", "-"])
    #expect(try parse("--parameter=a=b=c").values("parameter") == ["a=b=c"])
    #expect(try parse("--parameter=").values("parameter") == [""])
  }

  @Test("options that may come more than once keep their order")
  func repeated() throws {
    #expect(
      try parse("-p", "a=1", "x", "-p", "b=2", "--parameter=c=3").values("parameter")
        == ["a=1", "b=2", "c=3"])
    #expect(try parse("-q", "-q", "--verbose").has("quiet"))
  }

  @Test("older spellings are accepted")
  func hidden() throws {
    #expect(try parse("--json-ints", "string").value("json-integers") == "string")
  }

  @Test(
    "mistakes say what would be right",
    arguments: [
      (["--fromat", "csv"], "there is no option --fromat", "did you mean --format?"),
      (["-z"], "there is no option -z", ""),
      (["--format"], "--format needs a value FORMAT", ""),
      (["--format", "cvs"], "--format cannot be \"cvs\"", "did you mean \"csv\"?"),
      (["--format", "zzzzzz"], "--format cannot be \"zzzzzz\"", "one of csv, json"),
      (["-f", "csv", "--format=json"], "--format is given twice", ""),
      (["--quiet=yes"], "--quiet takes no value", ""),
    ])
  func mistakes(_ words: [String], _ message: String, _ hint: String) throws {
    let error = #expect(throws: StoreError.self) { try ArgumentParserTests.parser.parse(words) }
    #expect(error?.message == message)
    #expect(error.map(ExitCode.init) == .mistake)
    if !hint.isEmpty { #expect(error?.suggestion == hint) }
  }

  @Test(
    "durations have units",
    arguments: [
      ("10s", Duration.seconds(10)), ("500ms", .milliseconds(500)), ("2m", .seconds(120)),
      ("1h", .seconds(3600)), ("3", .seconds(3)), ("0", .zero), ("1.5s", .milliseconds(1500)),
    ])
  func durations(_ text: String, _ value: Duration) throws {
    #expect(try OptionValues.duration(text, "--wait") == value)
  }

  @Test(
    "what is no duration is a mistake", arguments: ["", "s", "-1s", "10 s", "10x", "1e99s", "٣s"])
  func noDurations(_ text: String) {
    let error = #expect(throws: StoreError.self) { try OptionValues.duration(text, "--wait") }
    #expect(error.map(ExitCode.init) == .mistake)
  }

  @Test("counts are whole numbers from zero on")
  func counts() throws {
    #expect(try OptionValues.count("0", "--limit") == 0)
    for text in ["-1", "1.5", "", "x", "99999999999999999999"] {
      #expect(throws: StoreError.self) { try OptionValues.count(text, "--limit") }
    }
  }

  @Test("the command is found behind global options and their values")
  func commandIndex() {
    let specification = CommandSpecification.inspector
    #expect(specification.commandIndex(in: ["info", "x"]) == 0)
    #expect(specification.commandIndex(in: ["--format", "csv", "info"]) == 2)
    #expect(specification.commandIndex(in: ["--format=csv", "-q", "info"]) == 2)
    #expect(specification.commandIndex(in: ["-qf", "csv", "--errors", "json", "info"]) == 4)
    #expect(specification.commandIndex(in: ["--spec"]) == nil)
    #expect(specification.commandIndex(in: ["--format"]) == nil)
    #expect(specification.commandIndex(in: []) == nil)
  }

  @Test("the specification has no two options of one name or letter, and every option is described")
  func specification() {
    let specification = CommandSpecification.inspector
    for command in specification.commands {
      let options = specification.options(of: command)
      let names = options.flatMap { [$0.name] + $0.hiddenNames }
      #expect(Set(names).count == names.count, "\(command.name)")
      let letters = options.compactMap(\.short)
      #expect(Set(letters).count == letters.count, "\(command.name)")
      #expect(options.allSatisfy { !$0.summary.isEmpty })
      #expect(command.arguments.dropLast().allSatisfy { !$0.isRepeated })
    }
  }
}
