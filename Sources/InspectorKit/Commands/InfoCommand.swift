import Kura
import KuraCore
import KuraLMDB

/// `info`: what a file is.
enum InfoCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    var report: FileReport
    var failure: StoreError?
    do {
      report = try context.open().report()
    } catch {
      guard error.code.kind == .damaged || error.code == .newerFormat, context.path != "-",
        let bytes = try? InfoCommand.reportOnDamaged(context)
      else { throw error }
      report = bytes
      failure = error
    }
    report.facts.insert(.init("path", "path", .text(FileName.shown(context.path))), at: 0)
    let file = DataFile.path(of: context.path)
    if file != context.path {
      report.facts.insert(.init("dataFile", "data file", .text(FileName.shown(file))), at: 1)
    }
    switch try context.format(default: .line) {
    case .json, .ndjson: try json(report, context.bytes)
    case .table, .list, .line, .csv, .tsv, .markdown, .html, .sql, .count, .none:
      try lines(report, context)
    }
    try context.bytes.flush()
    for warning in report.warnings { context.note(warning) }
    if let failure { throw failure }
    return .done
  }

  private static func reportOnDamaged(_ context: CommandContext) throws(StoreError) -> FileReport {
    if let file = try? context.foreignLMDB() { return try file.reportOnDamaged() }
    return try SQLiteBackend().report(onDamagedFileAt: context.path)
  }

  /// Writes facts, one a line.
  static func lines(_ report: FileReport, _ context: CommandContext) throws(StoreError) {
    for fact in report.facts {
      var text = fact.label + ": " + text(fact.value)
      if context.terminal.isOutputTerminal { text = TerminalText.escaped(text) }
      try context.bytes.append(text.replacing("\n", with: "\\n") + "\n")
    }
  }

  static func text(_ value: FileReport.Value) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): String(number)
    case .byteCount(let count): byteCount(count)
    case .flag(let isTrue): isTrue ? "yes" : "no"
    case .list(let texts): texts.joined(separator: ", ")
    }
  }

  /// `4096 bytes`, with a rounded unit from 10,000 bytes on.
  private static func byteCount(_ count: Int64) -> String {
    let plain = "\(count) bytes"
    var value = Double(count)
    guard value >= 10_000 else { return plain }
    for unit in ["KB", "MB", "GB", "TB"] {
      value /= 1000
      if value < 1000 || unit == "TB" {
        return "\(plain) (\((value * 10).rounded() / 10) \(unit))"
      }
    }
    return plain
  }

  /// Writes facts as one JSON object.
  static func json(_ report: FileReport, _ bytes: ByteWriter) throws(StoreError) {
    try bytes.append(UInt8(ascii: "{"))
    for fact in report.facts {
      try bytes.appendJSON(fact.key)
      try bytes.append(UInt8(ascii: ":"))
      switch fact.value {
      case .text(let text): try bytes.appendJSON(text)
      case .integer(let number), .byteCount(let number): try bytes.append(number)
      case .flag(let isTrue): try bytes.append(isTrue ? "true" : "false")
      case .list(let texts): try list(texts, bytes)
      }
      try bytes.append(UInt8(ascii: ","))
    }
    try bytes.append("\"warnings\":")
    try list(report.warnings, bytes)
    try bytes.append("}\n")
  }

  private static func list(_ texts: [String], _ bytes: ByteWriter) throws(StoreError) {
    try bytes.append(UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { try bytes.append(UInt8(ascii: ",")) }
      try bytes.appendJSON(text)
    }
    try bytes.append(UInt8(ascii: "]"))
  }
}
