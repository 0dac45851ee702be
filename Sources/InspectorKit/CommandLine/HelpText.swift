/// Help from the specification.
struct HelpText {
  let specification: CommandSpecification

  /// What the bare command shows: what it is for and two examples.
  var short: String {
    """
    \(specification.summary)

    usage: \(specification.name) COMMAND PATH [NAME…] [options]

    \(specification.name) info photos.db
    \(specification.name) query photos.db "Photo WHERE rating >= 4 SORT(taken DESC) LIMIT(10)"

    See `\(specification.name) --help` for all commands.

    """
  }

  /// All commands.
  var full: String {
    var text =
      "\(specification.summary)\n\nusage: \(specification.name) COMMAND PATH [NAME…] [options]\n\ncommands:\n"
    text += HelpText.table(specification.visibleCommands.map { ($0.name, $0.summary) })
    text += "\nfor every command that opens a file:\n"
    text += HelpText.table(
      (specification.globalOptions + CommandSpecification.everywhere).filter { !$0.isHidden }.map {
        (HelpText.spelling($0), $0.summary)
      })
    text += """

      exit codes: 0 done, 1 a negative answer, 2 the caller's mistake, 3 cannot open, 4 busy,
      5 damaged data, 6 refused, 7 some records skipped, 8 store newer or migration failed,
      70 internal error, 130 interrupted, 141 pipe closed

      See `\(specification.name) help COMMAND` for one command.

      """
    return text
  }

  /// One command.
  func text(of command: CommandSpecification.Command) -> String {
    var text = command.summary + "\n\nusage: \(usage(of: command))\n"
    if !command.discussion.isEmpty {
      text +=
        "\n"
        + HelpText.wrapped(command.discussion, to: HelpText.lineLength)
        .joined(separator: "\n") + "\n"
    }
    if !command.arguments.isEmpty {
      text += "\narguments:\n" + HelpText.table(command.arguments.map { ($0.name, $0.summary) })
    }
    let options = specification.options(of: command).filter { !$0.isHidden }
    text += "\noptions:\n" + HelpText.table(options.map { (HelpText.spelling($0), $0.summary) })
    if !command.examples.isEmpty {
      text += "\nexamples:\n" + command.examples.map { "  \($0)\n" }.joined()
    }
    return text
  }

  /// The usage line of a command.
  func usage(of command: CommandSpecification.Command) -> String {
    let arguments = command.arguments.map { argument in
      let name = argument.name + (argument.isRepeated ? "…" : "")
      return argument.isOptional ? "[\(name)]" : name
    }
    return ([specification.name, command.name] + arguments + ["[options]"]).joined(separator: " ")
  }

  /// `-o, --output FILE`.
  static func spelling(_ option: CommandSpecification.Option) -> String {
    let value =
      option.choices.isEmpty
      ? option.value.map { " " + $0 } ?? ""
      : option.choices.count <= 4
        ? " " + option.choices.joined(separator: "|") : " " + (option.value ?? "")
    return (option.short.map { "-\($0), " } ?? "    ") + "--" + option.name + value
  }

  /// Two columns; summaries go on below themselves where a line would be too long.
  private static func table(_ rows: [(String, String)]) -> String {
    let width = min(34, rows.map { TerminalWidth.of($0.0) }.max() ?? 0)
    return rows.map { name, summary in
      let padding = String(repeating: " ", count: max(2, width + 2 - TerminalWidth.of(name)))
      let lines = wrapped(summary, to: lineLength - width - 4)
      let gap = "\n" + String(repeating: " ", count: width + 4)
      return "  \(name)\(padding)\(lines.joined(separator: gap))\n"
    }.joined()
  }

  private static let lineLength = 98

  /// The lines of a text, broken at spaces.
  private static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, TerminalWidth.of(line) + 1 + TerminalWidth.of(String(word)) > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}
