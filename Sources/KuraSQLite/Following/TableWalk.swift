import KuraCore

/// A walk over the rows of a table in one state.
final class TableWalk {
  let rowID: String?
  let keyColumns: [Int]
  let row: RowBuffer
  private(set) var isAtRow = false
  private let layout: ModelLayout
  private let transaction: SQLiteTransaction
  private let found: RowBuffer
  private var cursor: SQLiteCursor?
  private let isKeyed: Bool

  init(_ side: StateComparison.TableSide, _ transaction: SQLiteTransaction) {
    layout = side.layout
    self.transaction = transaction
    rowID = side.model.isWithoutRowID ? nil : side.model.rowIDName
    row = RowBuffer(columns: layout.columns.count + 1)
    found = RowBuffer(columns: layout.columns.count + 1)
    keyColumns = layout.keyColumns
    isKeyed = !layout.keyColumns.isEmpty
  }

  /// The row's number; the last column of the statement.
  var number: Int64 { row[layout.columns.count].integer }

  func begin(_ range: ChangedRanges.Range?) throws(StoreError) {
    close()
    var text = SQLText()
    let names = layout.columns.indices.map(layout.quotedColumn)
    let number = rowID.map { SQLLiterals.quoted($0) }
    text.append("SELECT " + (names + [number ?? "NULL"]).joined(separator: ", "))
    text.append(" FROM " + SQLLiterals.quoted(layout.name))
    if let number {
      if let range, range.lower > .min || range.upper < .max {
        // The least number of all has no number below it.
        text.append(" WHERE \(number) \(range.lower == .min ? ">=" : ">") ")
        text.append(value: .integer(range.lower))
        text.append(" AND \(number) <= ")
        text.append(value: .integer(range.upper))
      }
      text.append(" ORDER BY \(number)")
    } else if isKeyed {
      text.append(" ORDER BY " + layout.keyColumns.map(layout.quotedColumn).joined(separator: ", "))
    }
    try begin(text)
  }

  private func begin(_ text: SQLText) throws(StoreError) {
    let codecs =
      layout.columns.map { ColumnCodec($0.type, isKuraModel: layout.isKuraModel) } + [.natural]
    cursor = try transaction.cursor(
      text, names: layout.columns.map(\.name) + ["rowid"], codecs: codecs, model: layout.name)
    try advance()
  }

  /// The row of a key as it is stored; `nil` when there is none.
  func look(_ key: [StoredValue]) throws(StoreError) -> RowBuffer? {
    close()
    var text = SQLText()
    let names = layout.columns.indices.map(layout.quotedColumn)
    text.append("SELECT " + (names + ["NULL"]).joined(separator: ", "))
    text.append(" FROM " + SQLLiterals.quoted(layout.name) + " WHERE ")
    for (index, (column, value)) in zip(layout.keyColumns, key).enumerated() {
      text.append((index > 0 ? " AND " : "") + layout.quotedColumn(column) + " = ")
      text.append(value: value)
    }
    try begin(text)
    return isAtRow ? row : nil
  }

  func advance() throws(StoreError) {
    isAtRow = try cursor?.next(into: row) ?? false
  }

  func close() {
    cursor?.close()
    cursor = nil
    isAtRow = false
  }

  func all(_ body: (RowBuffer) throws(StoreError) -> Void) throws(StoreError) {
    try begin(nil)
    defer { close() }
    while isAtRow {
      try body(row)
      try advance()
    }
  }

  /// The row with the key of another side's row; `nil` when there is none, and for rows that their
  /// number alone identifies.
  func find(_ other: RowBuffer, of side: TableWalk) throws(StoreError) -> RowBuffer? {
    guard isKeyed, side.isKeyed, keyColumns.count == side.keyColumns.count else { return nil }
    let values = side.keyColumns.map { other.value(at: $0) }
    guard !values.contains(where: \.isNull), let key = RecordKey(values) else { return nil }
    return try transaction.record(key, in: layout, into: found) ? found : nil
  }
}
