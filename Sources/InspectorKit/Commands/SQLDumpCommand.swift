import Kura
import KuraCore

/// `dump` as SQL.
enum SQLDumpCommand {
  static func run(
    _ models: [StoredModel], _ schema: StoredSchema, _ transaction: any EngineReadTransaction,
    _ context: CommandContext
  ) throws(StoreError) -> ExitCode {
    let arguments = context.arguments
    guard !arguments.has("schema-only") || !arguments.has("data-only") else {
      throw UsageError.make("--schema-only and --data-only exclude each other")
    }
    guard arguments.value("blobs") != "base64" else {
      throw UsageError.make("SQL writes bytes as hexadecimal digits", hint: "leave --blobs out")
    }
    var options = SQLiteDump.Options()
    options.names = models.isEmpty ? nil : Set(models.map(\.name))
    if arguments.has("schema-only") { options.content = .schema }
    if arguments.has("data-only") { options.content = .rows }
    options.skipsData = arguments.value("blobs") == "skip"
    if let text = arguments.value("where") {
      for model in models {
        let query = Query(model.name, where: try Condition(parsing: text))
        options.conditions[model.name] = try query.bound(to: ModelLayout(model))
      }
    }
    let meter = context.progress("dump", unit: "records") {
      RecordEstimate.count(
        options.names.map { names in schema.models.filter { names.contains($0.name) } }
          ?? schema.models.filter { $0.kind == .table }, transaction)
    }
    defer { meter.finish() }
    let summary: SQLiteDump.Summary
    do {
      summary = try SQLiteDump.write(transaction, options, to: context.bytes) {
        done, total throws(StoreError) in meter.update(done, of: total)
      }
    } catch {
      // What was read before the fault is the caller's.
      try context.bytes.flush()
      throw error
    }
    try context.bytes.flush()
    guard summary.isComplete else {
      for problem in summary.problems { context.note(problem) }
      throw StoreError(
        .damaged, "the file is damaged; the dump has what could be read", path: context.path,
        suggestion: "check the file with store-inspect check")
    }
    return .done
  }
}
