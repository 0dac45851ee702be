extension ReadTransaction {
  /// Reads the rows of a query that selects columns or groups, as values in the order of its columns.
  ///
  /// Without columns a query of groups has the groups' properties and the number of records in each;
  /// other queries have all properties.
  ///
  /// ```swift
  /// let query = Query("Dog", groups: ["breed"], columns: [.property("breed"), .average("age")])
  /// for row in try transaction.rows(query) { print(row[0], row[1]) }
  /// ```
  ///
  /// - Throws: As ``records(_:)``; ``StoreError/Code/notStorable`` for a sum of integers beyond 64
  ///   bits.
  public func rows(_ query: Query) throws(StoreError) -> [[StoredValue]] {
    let (cursor, row) = try rowCursor(query)
    defer { cursor.close() }
    var rows: [[StoredValue]] = []
    while try cursor.next(into: row) { rows.append(row.values) }
    return rows
  }

  /// Reads the rows of a query one by one, in constant memory.
  ///
  /// - Throws: What the body throws, and as ``rows(_:)``.
  public func forEachRow(_ query: Query, _ body: ([StoredValue]) throws -> Void) throws {
    let (cursor, row) = try rowCursor(query)
    defer { cursor.close() }
    while try cursor.next(into: row) { try body(row.values) }
  }

  /// The checked rows of a query.
  func boundRows(_ query: Query) throws(StoreError) -> BoundRows {
    do {
      return try query.boundRows(
        to: try store.layout(of: query.model), in: store.catalogue)
    } catch {
      throw located(error)
    }
  }

  private func rowCursor(_ query: Query) throws(StoreError) -> (any RecordCursor, RowBuffer) {
    let bound = try boundRows(query)
    return (try bound.cursor(engineTransaction), RowBuffer(columns: bound.columnNames.count))
  }
}

extension RowBuffer {
  fileprivate var values: [StoredValue] { (0..<count).map { value(at: $0) } }
}
