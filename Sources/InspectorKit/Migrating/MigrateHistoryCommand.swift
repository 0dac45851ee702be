import KuraCore

/// `migrate history`: the migrations that a store went through, the oldest first.
enum MigrateHistoryCommand {
  private static let columns = [
    "number", "id", "kind", "from", "to", "started", "milliseconds", "records", "quarantined",
    "backup", "tool", "checksum",
  ]

  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    guard let survey = try MigrationSurvey(context.open()) else {
      throw StoreError(
        .foreign, "the file has no history of Kura's migrations", path: context.path,
        suggestion: "see store-inspect info for what made it")
    }
    let rows = survey.history.records.enumerated().map { number, record -> [StoredValue] in
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
