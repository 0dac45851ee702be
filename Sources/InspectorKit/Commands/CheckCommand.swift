import Kura
import KuraCore

/// `check`: looks for damage.
enum CheckCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    let depth: CheckDepth =
      context.arguments.has("quick") ? .quick : context.arguments.has("deep") ? .deep : .normal
    return try write(try report(depth, context), context)
  }

  /// Writes findings, one a line, and says by the exit code whether there were any.
  static func write(_ report: CheckReport, _ context: CommandContext) throws(StoreError)
    -> ExitCode
  {
    let asJSON: Bool
    switch try context.format(default: .line) {
    case .json, .ndjson: asJSON = true
    case .table, .list, .line, .csv, .tsv, .markdown, .html, .sql, .count, .none: asJSON = false
    }
    for finding in report.findings {
      if asJSON {
        var object = JSONObject(context.bytes)
        try object.text("severity", finding.severity.rawValue)
        if let model = finding.model { try object.text("model", model) }
        try object.text("message", finding.message)
        try object.end()
        try context.bytes.append(UInt8(ascii: "\n"))
      } else {
        let model = finding.model.map { "\($0): " } ?? ""
        let text = "\(finding.severity.rawValue): \(model)\(finding.message)"
        try context.bytes.append(
          (context.terminal.isOutputTerminal ? TerminalText.escaped(text) : text)
            .replacing("\n", with: "\\n") + "\n")
      }
    }
    if report.isClean, !asJSON { try context.bytes.append("ok\n") }
    try context.bytes.flush()
    if report.isIncomplete { context.note("the check stopped early; there may be more") }
    return report.isClean ? .done : .negative
  }

  /// Looks for damage.
  static func report(_ depth: CheckDepth, _ context: CommandContext)
    throws(StoreError) -> CheckReport
  {
    let meter = context.progress("check", unit: "steps")
    defer { meter.finish() }
    do {
      return try context.open().check(depth) { done, total throws(StoreError) in
        meter.update(done, of: total)
      }
    } catch {
      // A file too damaged to be checked is what was asked about, and no failure of the question.
      guard error.code.kind == .damaged else { throw error }
      return CheckReport(findings: [.init(.damage, ErrorText.sentence(error))], isIncomplete: true)
    }
  }
}

/// `complete-models`: names for completion scripts.
enum CompleteModelsCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    let transaction = try context.read()
    defer { transaction.end() }
    let lookup = ModelLookup(schema: try transaction.storedSchema(), path: context.path)
    for model in lookup.visible { try context.bytes.append(model.name + "\n") }
    try context.bytes.flush()
    return .done
  }
}
