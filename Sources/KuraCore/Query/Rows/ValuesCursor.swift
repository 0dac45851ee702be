/// Rows that are there already.
package final class ValuesCursor: RecordCursor {
  /// The names.
  package let columnNames: [String]
  private var rows: ArraySlice<[StoredValue]>

  /// Makes a cursor over rows.
  package init(_ columnNames: [String], _ rows: [[StoredValue]]) {
    self.columnNames = columnNames
    self.rows = rows[...]
  }

  /// Takes the next row.
  package func next(into row: RowBuffer) -> Bool {
    guard let values = rows.popFirst() else { return false }
    row.reset()
    for (place, value) in values.enumerated() { row.setValue(value, at: place) }
    return true
  }

  /// Forgets the rest.
  package func close() { rows = [] }
}
