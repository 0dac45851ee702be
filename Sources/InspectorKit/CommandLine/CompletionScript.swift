/// Completion scripts for shells, from the specification.
struct CompletionScript {
  let specification: CommandSpecification

  /// The script of a shell; `nil` for a shell that is not known.
  func text(for shell: String) -> String? {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    case "fish": fish
    default: nil
    }
  }

  private var commands: [CommandSpecification.Command] { specification.visibleCommands }

  private func names(of command: CommandSpecification.Command) -> [String] {
    specification.options(of: command).filter { !$0.isHidden }.map { "--" + $0.name }
  }

  private var bash: String {
    let name = specification.name
    let cases = commands.map { command in
      let words = (names(of: command) + command.arguments.flatMap(\.choices))
        .joined(separator: " ")
      return "    \(command.name)) words=\"\(words)\" ;;\n"
    }.joined()
    return """
      _\(name.replacing("-", with: "_"))() {
        local current="${COMP_WORDS[COMP_CWORD]}" words=""
        if [ "$COMP_CWORD" -eq 1 ]; then
          words="\(commands.map(\.name).joined(separator: " ")) help"
          COMPREPLY=($(compgen -W "$words" -- "$current"))
          return
        fi
        case "${COMP_WORDS[1]}" in
      \(cases)  esac
        case "$current" in
          -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
          *)
            if [ "$COMP_CWORD" -gt 2 ] && [ -f "${COMP_WORDS[2]}" ]; then
              local IFS=$'\\n'
              COMPREPLY=($(compgen -W "$(\(name) complete-models "${COMP_WORDS[2]}" 2>/dev/null)" -- "$current"))
            else
              COMPREPLY=($(compgen -f -W "$words" -- "$current"))
            fi ;;
        esac
      }
      complete -o filenames -o bashdefault -F _\(name.replacing("-", with: "_")) \(name)

      """
  }

  private var zsh: String {
    let name = specification.name
    let list = commands.map { "    '\($0.name):\(CompletionScript.quoted($0.summary))'\n" }.joined()
    let cases = commands.map { command in
      let options = specification.options(of: command).filter { !$0.isHidden }.map { option in
        "'--\(option.name)[\(CompletionScript.quoted(option.summary))]"
          + (option.value.map { value in
            ":\(value):"
              + (option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))")
          } ?? "") + "'"
      }
      let choices = command.arguments.first.map(\.choices) ?? []
      let first =
        choices.isEmpty
        ? "'1:path:_files'"
        : "'1:value:(\(choices.joined(separator: " ")))'"
          + (command.arguments.count > 1 ? " '2:path:_files'" : "")
      return
        "    \(command.name)) _arguments \((options + [first, "'*:name:'"]).joined(separator: " ")) ;;\n"
    }.joined()
    return """
      #compdef \(name)
      _\(name.replacing("-", with: "_"))() {
        local -a commands
        commands=(
      \(list)  )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        local command="$words[2]"
        shift words; (( CURRENT-- ))
        case "$command" in
      \(cases)  esac
      }
      compdef _\(name.replacing("-", with: "_")) \(name)

      """
  }

  private var fish: String {
    let name = specification.name
    var text = "complete -c \(name) -n __fish_use_subcommand -f\n"
    for command in commands {
      text +=
        "complete -c \(name) -n __fish_use_subcommand -a \(command.name) -d '\(CompletionScript.quoted(command.summary))'\n"
      for option in specification.options(of: command) where !option.isHidden {
        text +=
          "complete -c \(name) -n '__fish_seen_subcommand_from \(command.name)' -l \(option.name)"
        if let short = option.short { text += " -s \(short)" }
        if option.value != nil { text += " -r" }
        if !option.choices.isEmpty { text += " -f -a '\(option.choices.joined(separator: " "))'" }
        text += " -d '\(CompletionScript.quoted(option.summary))'\n"
      }
      for choice in command.arguments.flatMap(\.choices) {
        text +=
          "complete -c \(name) -n '__fish_seen_subcommand_from \(command.name)' -f -a \(choice)\n"
      }
    }
    return text
  }

  private static func quoted(_ text: String) -> String {
    text.replacing("'", with: "").replacing("[", with: "(").replacing("]", with: ")")
      .replacing(":", with: ",")
  }
}
