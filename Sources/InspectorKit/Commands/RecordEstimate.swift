import Kura
import KuraCore

/// About how many records tables have, for progress; cheap also in large files.
enum RecordEstimate {
  /// The sum of the greatest row numbers; `nil` where a table has none.
  static func count(_ models: [StoredModel], _ transaction: any EngineReadTransaction) -> Int64? {
    guard let transaction = transaction as? any SQLReadTransaction else { return nil }
    var sum: Int64 = 0
    for model in models where model.kind == .table && model.problem == nil {
      guard !model.isWithoutRowID, let count = greatest(model, transaction), count >= 0 else {
        return nil
      }
      let (total, overflows) = sum.addingReportingOverflow(count)
      guard !overflows else { return nil }
      sum = total
    }
    return sum > 0 ? sum : nil
  }

  private static func greatest(_ model: StoredModel, _ transaction: any SQLReadTransaction)
    -> Int64?
  {
    // A column may be called rowid; one of the three names is the row's number still.
    let taken = Set(model.columns.map { $0.name.lowercased() })
    guard let name = ["rowid", "_rowid_", "oid"].first(where: { !taken.contains($0) }),
      let cursor = try? transaction.cursor(
        sql: "SELECT max(\(name)) FROM \(SQLLiterals.quoted(model.name))", parameters: [:])
    else { return nil }
    defer { cursor.close() }
    let row = RowBuffer(columns: 1)
    guard (try? cursor.next(into: row)) == true else { return nil }
    return row[0].kind == .integer ? row[0].integer : 0
  }
}
