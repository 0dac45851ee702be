#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is known of the terminal, asked once and given to whoever writes.
struct Terminal: Sendable {
  var isOutputTerminal = false
  var isErrorTerminal = false
  var isInputTerminal = false
  /// Whether output may have colours.
  var hasColour = false
  var columns = 80
  var rows = 24

  /// What the process is connected to.
  static func current(colour: ColourChoice, environment: (String) -> String?) -> Terminal {
    var terminal = Terminal()
    terminal.isOutputTerminal = isatty(1) != 0
    terminal.isErrorTerminal = isatty(2) != 0
    terminal.isInputTerminal = isatty(0) != 0
    switch colour {
    case .always: terminal.hasColour = true
    case .never: terminal.hasColour = false
    case .auto:
      terminal.hasColour =
        terminal.isOutputTerminal && (environment("NO_COLOR") ?? "").isEmpty
        && environment("TERM") != "dumb"
    }
    var size = winsize()
    if ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      terminal.columns = Int(size.ws_col)
      terminal.rows = max(2, Int(size.ws_row))
    } else if let text = environment("COLUMNS"), let number = Int(text), number > 0 {
      terminal.columns = number
    }
    return terminal
  }
}

/// When colours are written.
enum ColourChoice: String, CaseIterable { case auto, always, never }
