import KuraCore

/// What an SQLite file of another program says of migrations that were carried out here: its table
/// `kura_history`, which is the only thing that is added to such a file.
struct ForeignSurvey {
  /// The entries, the first of which is the baseline.
  let history: MigrationHistory
  /// The hash of everything that the file declares.
  let fingerprint: String

  /// The version that the file counts as having; `nil` before it has a baseline.
  var version: Int? { history.records.last { $0.kind == .apply || $0.kind == .baseline }?.to }

  /// Whether the file declares something else than after its last migration.
  var hasDrifted: Bool {
    guard let last = history.records.last(where: { $0.kind == .apply || $0.kind == .baseline })
    else { return false }
    return last.toFingerprint != fingerprint
  }

  /// Looks at a file of another program.
  ///
  /// - Returns: `nil` for files without SQL.
  /// - Throws: ``StoreError/Code/damaged`` when the table is not Kura's.
  init?(_ transaction: any EngineReadTransaction, _ path: String) throws(StoreError) {
    guard let transaction = transaction as? any SQLReadTransaction else { return nil }
    do throws(StoreError) {
      history = try MigrationHistory(try transaction.history())
    } catch {
      guard error.code.kind == .callerMistake || error.code.kind == .damaged else { throw error }
      throw StoreError(
        .damaged, "the table kura_history is not as Kura makes it", path: path,
        found: error.message, suggestion: "restore a backup")
    }
    fingerprint = try ForeignSurvey.fingerprint(transaction)
  }

  /// The hash of the declarations, without the table of the history and what the engine adds.
  static func fingerprint(_ transaction: any SQLReadTransaction) throws(StoreError) -> String {
    let rows = try ForeignSurvey.rows(
      "SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE tbl_name <> 'kura_history' "
        + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name, rowid", transaction)
    let lines = rows.map { $0.joined(separator: "\0") + "\n" }
    return "sql:" + SHA256.hex(of: lines.joined().utf8)
  }

  /// The rows of a question as texts; for what is as small as a schema.
  static func rows(_ sql: String, _ transaction: any SQLReadTransaction) throws(StoreError)
    -> [[String]]
  {
    let cursor = try transaction.cursor(sql: sql, parameters: [:])
    defer { cursor.close() }
    let columns = cursor.columnNames.count
    let row = RowBuffer(columns: columns)
    var rows: [[String]] = []
    while try cursor.next(into: row) {
      rows.append((0..<columns).map { PlainText.text(row[$0], ValueOptions()) })
    }
    return rows
  }
}
