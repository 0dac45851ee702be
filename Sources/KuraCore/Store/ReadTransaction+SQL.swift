extension ReadTransaction {
  /// Reads the rows of one SQL statement, for backends with ``Capabilities/rawSQL``.
  ///
  /// Values come in SQL's own types: a date or identifier is text, a truth value an integer.
  ///
  /// - Parameters:
  ///   - sql: One statement that only reads.
  ///   - parameters: Values by name, with or without the leading `:`, `@` or `$`, or by number.
  /// - Throws: ``StoreError/Code/invalidSQL``, ``StoreError/Code/readOnly`` when it would write,
  ///   ``StoreError/Code/unsupportedQuery`` when the backend has no SQL.
  public func records(sql: String, _ parameters: [String: StoredValue] = [:]) throws(StoreError)
    -> [Record]
  {
    let walk = try walk(sql: sql, parameters)
    defer { walk.close() }
    var records: [Record] = []
    while let record = try walk.next() { records.append(record) }
    return records
  }

  /// Begins to read the rows of one SQL statement, one by one as they are asked for.
  ///
  /// - Throws: As ``records(sql:_:)``.
  public func walk(sql: String, _ parameters: [String: StoredValue] = [:]) throws(StoreError)
    -> RecordWalk
  {
    guard let transaction = engineTransaction as? any SQLReadTransaction else {
      throw located(ReadTransaction.noSQL)
    }
    let cursor = try transaction.cursor(sql: sql, parameters: parameters)
    let layout = ModelLayout(
      name: "query",
      columns: cursor.columnNames.map { ModelLayout.Column(name: $0, type: .any) },
      keyColumns: [], rowIDName: nil, isKuraModel: false)
    return RecordWalk(cursor, layout)
  }

  static var noSQL: StoreError {
    StoreError(
      .unsupportedQuery, "this store's backend has no SQL", suggestion: "use a query")
  }
}

extension WriteTransaction {
  /// Executes one SQL statement, for backends with ``Capabilities/rawSQL``.
  ///
  /// The statement must leave tables and values as the schema describes them.
  ///
  /// - Returns: The number of rows that it inserted, updated or deleted.
  /// - Throws: ``StoreError/Code/invalidSQL``, constraint errors, and
  ///   ``StoreError/Code/unsupportedQuery`` when the backend has no SQL.
  @discardableResult
  public func execute(sql: String, _ parameters: [String: StoredValue] = [:]) throws(StoreError)
    -> Int
  {
    guard let transaction = engineTransaction as? any SQLWriteTransaction else {
      throw located(ReadTransaction.noSQL)
    }
    return try transaction.execute(sql: sql, parameters: parameters)
  }
}
