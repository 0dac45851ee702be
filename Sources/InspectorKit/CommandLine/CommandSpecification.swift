/// The whole command line as a value: it drives the parser, help, completions and `--spec`.
struct CommandSpecification {
  /// One command.
  struct Command {
    var name: String
    var aliases: [String] = []
    /// One line.
    var summary: String
    /// The positional arguments in order, such as `PATH` and `NAME…`.
    var arguments: [Argument] = []
    var options: [Option] = []
    var examples: [String] = []
    /// More text for the command's own help.
    var discussion = ""
    /// Whether the command's first argument is a database, so that the global options apply.
    var opensFile = true
  }

  /// A positional argument.
  struct Argument {
    var name: String
    var summary: String
    var isOptional = false
    var isRepeated = false
    /// The words that are allowed, if only some are.
    var choices: [String] = []
  }

  /// An option; without a value it is a switch.
  struct Option {
    var name: String
    var short: Character?
    /// Older or shorter spellings that are accepted and not shown.
    var hiddenNames: [String] = []
    /// The name of the value; `nil` for a switch.
    var value: String?
    var choices: [String] = []
    var summary: String
    var isRepeated = false
    /// Whether help and completions leave it out.
    var isHidden = false
  }

  var name: String
  var summary: String
  var commands: [Command]
  var globalOptions: [Option]

  /// The command of a name or alias.
  func command(named name: String) -> Command? {
    commands.first { $0.name == name || $0.aliases.contains(name) }
  }

  /// The options that a command takes.
  func options(of command: Command) -> [Option] {
    command.options
      + (command.opensFile ? globalOptions : globalOptions.filter { $0.name == "output" })
      + CommandSpecification.everywhere
  }

  /// All options that a command accepts: global ones also where they mean nothing, so that a script
  /// may give them to every command.
  func acceptedOptions(of command: Command) -> [Option] {
    command.options + globalOptions + CommandSpecification.everywhere
  }

  /// The index of the command's name among words: global options may come before it, and what
  /// follows an option as its value is none.
  func commandIndex(in words: [String]) -> Int? {
    let options = globalOptions + CommandSpecification.everywhere
    var index = 0
    while index < words.count {
      let word = words[index]
      guard word.hasPrefix("-"), word != "-" else { return index }
      let takesNext =
        word.hasPrefix("--")
        ? options.contains { $0.value != nil && word == "--" + $0.name }
        : options.contains { $0.value != nil && $0.short != nil && $0.short == word.last }
      index += takesNext ? 2 : 1
    }
    return nil
  }

  /// Options that every command takes.
  static let everywhere: [Option] = [
    Option(
      name: "errors", value: "FORM", choices: ["text", "json"],
      summary: "how errors are written to standard error"),
    Option(name: "help", short: "h", summary: "show help and exit"),
  ]
}
