/// The manual page from the specification, in the `man` macros of troff.
struct ManualPage {
  let specification: CommandSpecification
  let version: String

  /// The page; the same specification gives the same bytes, so a build can be repeated.
  var text: String {
    let name = specification.name
    var text = """
      .TH "\(name.uppercased())" 1 "" "\(name) \(version)" "User Commands"
      .SH NAME
      \(ManualPage.escaped(name)) \\- \(ManualPage.escaped(lowerCased(specification.summary)))
      .SH SYNOPSIS
      .B \(ManualPage.escaped(name))
      .I COMMAND PATH
      [\\fINAME\\fR...] [\\fIoptions\\fR]
      .SH COMMANDS

      """
    for command in specification.visibleCommands { text += section(of: command) }
    text += ".SH OPTIONS\nFor every command that opens a file:\n"
    for option in specification.globalOptions + CommandSpecification.everywhere
    where !option.isHidden {
      text += entry(option)
    }
    text += ".SH EXIT STATUS\n"
    for code in ExitCode.allCases {
      text += ".TP\n.B \(code.rawValue)\n\(ManualPage.escaped(code.meaning))\n"
    }
    text += """
      .SH ENVIRONMENT
      .TP
      .B NO_COLOR
      if not empty, no colours are used
      .TP
      .B PAGER
      the program that shows long output on a terminal; empty for none

      """
    return text
  }

  private func section(of command: CommandSpecification.Command) -> String {
    let usage = HelpText(specification: specification).usage(of: command)
    var text = """
      .SS "\(ManualPage.escaped(command.name))"
      .nf
      \(ManualPage.escaped(usage))
      .fi
      .PP
      \(ManualPage.escaped(command.summary)).

      """
    if !command.discussion.isEmpty {
      text += ".PP\n\(ManualPage.escaped(command.discussion))\n"
    }
    for argument in command.arguments {
      text += ".TP\n.I \(ManualPage.escaped(argument.name))\n"
      text += ManualPage.escaped(argument.summary) + "\n"
    }
    for option in command.options where !option.isHidden { text += entry(option) }
    if !command.examples.isEmpty {
      text += ".PP\nExamples:\n.PP\n.nf\n.RS\n"
      text += command.examples.map { ManualPage.escaped($0) + "\n" }.joined()
      text += ".RE\n.fi\n"
    }
    return text
  }

  private func entry(_ option: CommandSpecification.Option) -> String {
    let spelling = HelpText.spelling(option).drop { $0 == " " }
    return ".TP\n.B \(ManualPage.escaped(String(spelling)))\n"
      + ManualPage.escaped(option.summary) + "\n"
  }

  private func lowerCased(_ sentence: String) -> String {
    let text = sentence.prefix(1).lowercased() + sentence.dropFirst()
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// Text for troff: a hyphen stays one that can be copied, a backslash stays one, and a line never
  /// begins a request.
  static func escaped(_ text: String) -> String {
    var result = ""
    for (index, character) in text.enumerated() {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "…": result += "..."
      case ".", "'": result += index == 0 ? "\\&" + String(character) : String(character)
      default: result.append(character)
      }
    }
    return result
  }
}
