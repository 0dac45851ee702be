/// Rows that are there already.
final class ValuesCursor: RecordCursor {
  let columnNames: [String]
  private var rows: ArraySlice<[StoredValue]>

  init(_ columnNames: [String], _ rows: [[StoredValue]]) {
    self.columnNames = columnNames
    self.rows = rows[...]
  }

  func next(into row: RowBuffer) -> Bool {
    guard let values = rows.popFirst() else { return false }
    row.reset()
    for (place, value) in values.enumerated() { row.setValue(value, at: place) }
    return true
  }

  func close() { rows = [] }
}
