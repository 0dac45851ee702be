import KuraCore

/// `migrate history`: the migrations that a store went through, the oldest first.
enum MigrateHistoryCommand {
  private static let columns = [
    "number", "id", "kind", "from", "to", "started", "milliseconds", "records", "quarantined",
    "backup", "tool", "checksum",
  ]

  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    let engine = try context.open()
    let history: MigrationHistory
    if let survey = try MigrationSurvey(engine) {
      history = survey.history
    } else {
      let transaction = try engine.beginRead()
      defer { transaction.end() }
      guard let foreign = try ForeignSurvey(transaction, context.path), foreign.version != nil
      else {
        throw StoreError(
          .foreign, "the file has no history of Kura's migrations", path: context.path,
          suggestion: "see store-inspect info for what made it")
      }
      history = foreign.history
    }
    let rows = history.records.enumerated().map { number, record -> [StoredValue] in
      [
        .integer(Int64(number) + 1), .text(record.id), .text(record.kind.rawValue),
        .integer(Int64(record.from)), .integer(Int64(record.to)), .text(record.started),
        .integer(record.milliseconds), .integer(record.work.records),
        .integer(record.work.quarantined), record.backup.map { .text($0) } ?? .null,
        .text(record.tool), .text(record.checksum),
      ]
    }
    _ = try context.write(
      ValuesCursor(columns, rows), try context.format(), model: "history")
    return .done
  }
}
