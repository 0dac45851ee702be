import Kura
import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The tool: words in, exit code out.
package struct Inspector {
  private let output: Output
  private let environment: (String) -> String?

  /// Makes the tool for a process.
  package static func process() -> Inspector {
    Inspector(output: .process(), environment: { name in getenv(name).map { String(cString: $0) } })
  }

  /// Makes the tool with an output of the caller's; without a terminal.
  package init(output: Output, environment: @escaping (String) -> String? = { _ in nil }) {
    self.output = output
    self.environment = environment
  }

  /// Runs one command line, without the program's name.
  package func run(_ words: [String]) -> Int32 {
    var errorsAsJSON = false
    for (index, word) in words.enumerated() {
      if word == "--errors=json" { errorsAsJSON = true }
      if word == "--errors", index + 1 < words.count, words[index + 1] == "json" {
        errorsAsJSON = true
      }
    }
    do {
      return try execute(words).rawValue
    } catch {
      let code = ExitCode(error)
      // Leaving the pager before the end is how people read.
      if code == .pipeClosed, output.isPaged { return ExitCode.done.rawValue }
      if code != .pipeClosed {
        ErrorText.report(error, code, asJSON: errorsAsJSON, to: output)
      }
      return code.rawValue
    }
  }

  private func execute(_ words: [String]) throws(StoreError) -> ExitCode {
    let specification = CommandSpecification.inspector
    let help = HelpText(specification: specification)
    guard let index = specification.commandIndex(in: words) else {
      return try withoutCommand(words, help)
    }
    let first = words[index]
    if first == "help" {
      let topic = words.filter { !$0.hasPrefix("-") }.dropFirst().first
      guard let topic else { return try print(help.full) }
      guard let command = specification.command(named: topic) else { throw unknown(topic) }
      return try print(help.text(of: command))
    }
    guard let command = specification.command(named: first) else { throw unknown(first) }
    var rest = words
    rest.remove(at: index)
    let parser = ArgumentParser(options: specification.acceptedOptions(of: command))
    let arguments: ParsedArguments
    do {
      arguments = try parser.parse(rest)
    } catch {
      throw error.with(usage: help.usage(of: command))
    }
    if arguments.has("help") { return try print(help.text(of: command)) }
    try Inspector.checkText(arguments, command)
    do {
      try checkCount(of: arguments.positional, command)
    } catch {
      throw error.with(usage: help.usage(of: command))
    }
    return try run(command, arguments)
  }

  private func withoutCommand(_ words: [String], _ help: HelpText) throws(StoreError) -> ExitCode {
    switch words.first {
    case nil: return try print(help.short)
    case "-h", "--help": return try print(help.full)
    case "-V", "--version": return try VersionCommand.run(ParsedArguments(), output)
    case "--man":
      return try print(
        ManualPage(specification: help.specification, version: InspectorVersion.number).text)
    case "--spec":
      let bytes = writer()
      try SpecificationJSON.write(help.specification, to: bytes)
      try bytes.flush()
      return .done
    case let word?: throw unknown(word)
    }
  }

  private func unknown(_ word: String) -> StoreError {
    let names = CommandSpecification.inspector.visibleCommands.map(\.name)
    return UsageError.make(
      "there is no command \"\(word)\"",
      hint: closestMatch(word, in: names).map { "did you mean \"\($0)\"?" }
        ?? "see store-inspect --help")
  }

  /// Only the names of files may have bytes that are no UTF-8; elsewhere they would silently match
  /// nothing.
  private static func checkText(
    _ arguments: ParsedArguments, _ command: CommandSpecification.Command
  ) throws(StoreError) {
    let paths: Set = ["output", "with", "backup"]
    let values = arguments.options.filter { !paths.contains($0.key) }.values.joined()
    // All that follows an action of migrate are files.
    let words =
      command.name == "migrate"
      ? arguments.positional.prefix(1) : arguments.positional.dropFirst()
    for word in [String](words) + values where !FileName.isText(word) {
      throw UsageError.make(
        "\"\(word)\" is not UTF-8", hint: "only the names of files may be other bytes")
    }
  }

  private func checkCount(of words: [String], _ command: CommandSpecification.Command)
    throws(StoreError)
  {
    let needed = command.arguments.filter { !$0.isOptional }.count
    guard words.count >= needed else {
      throw UsageError.make("\(command.name) needs \(command.arguments[words.count].name)")
    }
    let isOpen = command.arguments.last?.isRepeated ?? false
    guard isOpen || words.count <= command.arguments.count else {
      throw UsageError.make(
        "\(command.name) has a word too many: \"\(words[command.arguments.count])\"")
    }
    for (argument, word) in zip(command.arguments, words)
    where !argument.choices.isEmpty && !argument.choices.contains(word) {
      throw UsageError.make(
        "\(argument.name) cannot be \"\(word)\"",
        hint: "one of " + argument.choices.joined(separator: ", "))
    }
  }

  private func run(_ command: CommandSpecification.Command, _ arguments: ParsedArguments)
    throws(StoreError) -> ExitCode
  {
    switch command.name {
    case "version": return try VersionCommand.run(arguments, output)
    case "completions":
      let script = CompletionScript(specification: .inspector)
      return try print(script.text(for: arguments.positional[0]) ?? "")
    default: break
    }
    var arguments = arguments
    var action = command.name
    if command.name == "migrate" {
      action = arguments.positional.removeFirst()
      // Nothing goes between progress and results.
      if MigrateCommand.showsProgress.contains(action) { arguments.options["no-pager"] = [""] }
    }
    // Events come when they happen, and not page by page.
    if command.name == "observe" { arguments.options["no-pager"] = [""] }
    let colour = arguments.value("color").flatMap(ColourChoice.init) ?? .auto
    let context = try CommandContext(
      arguments, output,
      terminal: output.isProcess
        ? Terminal.current(colour: colour, environment: environment) : Terminal(),
      environment: environment)
    defer { context.finish() }
    do {
      let code =
        command.name == "migrate"
        ? try MigrateCommand.run(action, context) : try run(command.name, context)
      try output.close()
      return code
    } catch {
      throw context.named(error)
    }
  }

  private func run(_ name: String, _ context: CommandContext) throws(StoreError) -> ExitCode {
    if let run = LMDBCommands.all[name], let file = try context.foreignLMDB() {
      return try run(file, context)
    }
    return switch name {
    case "info": try InfoCommand.run(context)
    case "schema": try SchemaCommand.run(context)
    case "dump": try DumpCommand.run(context)
    case "get": try GetCommand.run(context)
    case "query": try QueryCommand.run(context)
    case "check": try CheckCommand.run(context)
    case "stats": try StatsCommand.run(context)
    case "diff": try DiffCommand.run(context)
    case "load": try LoadCommand.run(context)
    case "observe": try ObserveCommand.run(context)
    default: try CompleteModelsCommand.run(context)
    }
  }

  private func writer() -> ByteWriter {
    let output = output
    return ByteWriter { bytes throws(StoreError) in try output.write(bytes) }
  }

  private func print(_ text: String) throws(StoreError) -> ExitCode {
    let bytes = writer()
    try bytes.append(text)
    try bytes.flush()
    return .done
  }
}

extension StoreError {
  /// The same error with a usage line for people.
  fileprivate func with(usage: String) -> StoreError {
    var copy = self
    copy.expected = "usage: " + usage
    return copy
  }
}
