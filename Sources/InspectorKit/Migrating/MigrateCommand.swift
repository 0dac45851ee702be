import KuraCore

/// `migrate`: what a folder of migrations makes of a store.
enum MigrateCommand {
  typealias Run = (CommandContext) throws(StoreError) -> ExitCode

  /// What can be done, by name.
  static var actions: [String: Run] {
    [
      "status": MigrateStatusCommand.run, "plan": MigratePlanCommand.run,
      "run": MigrateRunCommand.run, "verify": MigrateVerifyCommand.run,
      "history": MigrateHistoryCommand.run, "new": MigrateNewCommand.run,
      "lint": MigrateLintCommand.run, "rehearse": MigrateRehearseCommand.run,
      "baseline": MigrateBaselineCommand.run,
    ]
  }

  /// The names in the order of help.
  static let names = [
    "status", "plan", "run", "rehearse", "verify", "history", "new", "lint",
    "baseline",
  ]

  /// The actions that take long and show how far they are.
  static let showsProgress: Set<String> = ["run", "rehearse"]

  /// Runs an action with the words after it.
  static func run(_ action: String, _ context: CommandContext) throws(StoreError) -> ExitCode {
    guard let run = actions[action] else {
      throw UsageError.make("migrate cannot \"\(action)\"")
    }
    let words = context.arguments.positional
    // The folder alone can be looked at; whoever gives a store says what it begins with.
    guard action == "lint" || !words.isEmpty else {
      throw UsageError.make("migrate \(action) needs PATH")
    }
    guard action == "new" || words.count < 2 else {
      throw UsageError.make("migrate \(action) has a word too many: \"\(words[1])\"")
    }
    return try run(context)
  }

  /// Throws unless a folder is given.
  static func needFolder(_ action: String, _ context: CommandContext) throws(StoreError) {
    guard context.arguments.has("with") else {
      throw UsageError.make(
        "migrate \(action) needs --with FOLDER", hint: "name the folder of the migrations")
    }
  }

  /// Whether results are for programs.
  static func isJSON(_ context: CommandContext) throws(StoreError) -> Bool {
    switch try context.format(default: .line) {
    case .json, .ndjson: true
    case .table, .list, .line, .csv, .tsv, .markdown, .html, .sql, .count, .none: false
    }
  }

  /// Writes a line for people.
  static func line(_ text: String, _ context: CommandContext) throws(StoreError) {
    let shown = context.terminal.isOutputTerminal ? TerminalText.escaped(text) : text
    try context.bytes.append(FileName.shown(shown).replacing("\n", with: "\\n") + "\n")
  }
}
