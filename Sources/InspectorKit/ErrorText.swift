import KuraCore

/// Writes errors to standard error: a line and a hint for people, or one line of JSON.
enum ErrorText {
  static func report(_ error: StoreError, _ code: ExitCode, asJSON: Bool, to output: Output) {
    // A message may repeat words of the command line, which need not be UTF-8.
    output.message(asJSON ? json(error, code) : FileName.shown(text(error)))
  }

  private static func text(_ error: StoreError) -> String {
    var text = "store-inspect: error: " + sentence(error)
    if let path = error.path { text += " [\(TerminalText.escaped(path))]" }
    if let hint = error.suggestion { text += "\n  hint: " + TerminalText.escaped(hint) }
    if let usage = error.expected, usage.hasPrefix("usage: ") { text += "\n" + usage }
    return text
  }

  /// What happened, with what was found and expected.
  static func sentence(_ error: StoreError) -> String {
    // Line ends are kept: the query language marks the place of a mistake on a line of its own.
    var text = error.message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { TerminalText.escaped(String($0)) }.joined(separator: "\n")
    if let found = error.found, !found.isEmpty { text += " (found: \(TerminalText.escaped(found))" }
    if let expected = error.expected, !expected.hasPrefix("usage: ") {
      text += error.found?.isEmpty == false ? "; expected: " : " (expected: "
      text += TerminalText.escaped(expected) + ")"
    } else if error.found?.isEmpty == false {
      text += ")"
    }
    return text
  }

  private static func json(_ error: StoreError, _ code: ExitCode) -> String {
    var bytes: [UInt8] = []
    let writer = ByteWriter(capacity: 1024) { part throws(StoreError) in bytes += part }
    // Memory takes everything; nothing here can fail.
    try? write(error, code, writer)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func write(_ error: StoreError, _ code: ExitCode, _ writer: ByteWriter)
    throws(StoreError)
  {
    try writer.append("{\"error\":{\"code\":")
    try writer.appendJSON(error.code.rawValue)
    try writer.append(",\"exit\":")
    try writer.append(Int64(code.rawValue))
    try writer.append(",\"message\":")
    try writer.appendJSON(FileName.shown(error.message))
    for (name, value) in [
      ("hint", error.suggestion), ("path", error.path), ("found", error.found),
      ("expected", error.expected),
    ] {
      guard let value, !value.isEmpty else { continue }
      try writer.append(",\"\(name)\":")
      try writer.appendJSON(FileName.shown(value))
    }
    if let engineCode = error.engineCode {
      try writer.append(",\"engineCode\":")
      try writer.append(Int64(engineCode))
    }
    try writer.append("}}")
    try writer.flush()
  }
}
