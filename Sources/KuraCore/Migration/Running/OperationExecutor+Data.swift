extension OperationExecutor {
  /// Carries out an operation on records that changes no schema.
  func executeData(_ operation: MigrationOperation, schema: Schema) throws(StoreError) {
    switch operation {
    case .insert(let model, let rows): try insert(rows, into: model, schema)
    case .delete(let model, let condition, let least, let most):
      let count = try deleting(condition, of: model, schema)
      guard count >= least, count <= most ?? .max else {
        throw StoreError(
          .assertionFailed, "another number of records than expected would be deleted",
          path: path, found: "\(count)",
          expected: most.map { "\(least) to \($0)" } ?? "at least \(least)")
      }
      touch(model)
    case .assert(let assertion): try check(assertion, schema)
    case .sql(let sql, _): try execute(sql)
    case .createObject(let object):
      try execute("DROP \(object.kind.sqlWords) IF EXISTS \(SQLLiterals.quoted(object.name))")
      try execute(object.sql)
    case .removeObject(let kind, let name):
      try execute("DROP \(kind.sqlWords) \(SQLLiterals.quoted(name))")
    case .code(let name, let changes):
      try code.run(name, transaction, schema: schema, changes: Set(changes)) {
        () throws(StoreError) in try self.monitor.check()
      }
      for model in changes { touch(model) }
    default:
      throw StoreError(.internalError, "an operation was not carried out: \(operation.name)")
    }
  }

  private func execute(_ sql: String) throws(StoreError) {
    guard let transaction = transaction as? any SQLWriteTransaction else {
      throw StoreError(
        .unsupportedQuery, "this store's backend has no SQL", path: path,
        suggestion: "use operations that every backend has")
    }
    try transaction.execute(sql: sql, parameters: [:])
  }

  private func layout(_ model: String, _ schema: Schema) throws(StoreError) -> ModelLayout {
    guard let description = schema.model(named: model) else {
      throw StoreError(.unknownModel, "there is no model \"\(model.prefix(80))\"")
    }
    return ModelLayout(description)
  }

  private func insert(_ rows: [[String: StoredValue]], into model: String, _ schema: Schema)
    throws(StoreError)
  {
    let layout = try layout(model, schema)
    let row = RowBuffer(columns: layout.columns.count)
    for values in rows {
      row.reset()
      let record = try Record(layout, values)
      for (index, value) in record.values.enumerated() { row.setValue(value, at: index) }
      try transaction.write(row, into: layout, mode: .insert)
      note { $0.records += 1 }
    }
    touch(model)
  }

  private func deleting(_ condition: String?, of model: String, _ schema: Schema)
    throws(StoreError) -> Int
  {
    let parsed = try condition.map { text throws(StoreError) in try Condition(parsing: text) }
    let query = Query(model, where: parsed ?? .always)
    // With the records that owning lists hold.
    return try code.writing(transaction, schema: schema) { writer throws(StoreError) in
      try writer.delete(query)
    }
  }

  // MARK: Assertions

  private func check(_ assertion: MigrationAssertion, _ schema: Schema) throws(StoreError) {
    let model = assertion.model
    switch assertion.expectation {
    case .count(let condition, let least, let most):
      let count = try count(
        try MigrationOperation.query(condition, of: model, in: schema))
      guard count >= least, count <= most ?? .max else {
        throw failed(assertion, found: "\(count) records")
      }
    case .every(let condition):
      var query = try MigrationOperation.query(condition, of: model, in: schema)
      query.condition = .negation(query.condition)
      try none(of: query, assertion)
    case .noNulls(let property):
      let layout = try layout(model, schema)
      guard let column = layout.index(of: property) else { return }
      try none(
        of: BoundQuery(
          layout: layout, condition: .compareValue(column: column, .equal, .null)), assertion)
    case .unique(let properties): try checkUnique(properties, try layout(model, schema), assertion)
    case .noOrphans(let property):
      var key: RecordKey?
      try walkOrphans(of: property, in: model, schema, limit: 1) { key = $0 }
      if let key { throw failed(assertion, key: key) }
    }
  }

  private func failed(
    _ assertion: MigrationAssertion, found: String? = nil, key: RecordKey? = nil
  ) -> StoreError {
    var error = StoreError(
      .assertionFailed, "an assertion does not hold: \(assertion)", path: path, found: found)
    error.recordKey = key
    return error
  }

  /// The number of records of a query.
  func count(_ query: BoundQuery) throws(StoreError) -> Int64 {
    guard
      case .integer(let count)? = try transaction.aggregate(AggregateRequest(query, [.count])).first
    else { return 0 }
    return count
  }

  private func none(of query: BoundQuery, _ assertion: MigrationAssertion) throws(StoreError) {
    var query = query
    query.limit = 1
    let cursor = try transaction.cursor(for: query)
    defer { cursor.close() }
    let row = RowBuffer(columns: query.layout.columns.count)
    guard try cursor.next(into: row) else { return }
    throw failed(assertion, key: query.layout.key(of: row))
  }

  private func checkUnique(
    _ properties: [String], _ layout: ModelLayout, _ assertion: MigrationAssertion
  ) throws(StoreError) {
    let columns = properties.compactMap { layout.index(of: $0) }
    // Sorted, equal values are neighbours.
    let order = columns + layout.keyColumns.filter { !columns.contains($0) }
    let cursor = try transaction.cursor(
      for: BoundQuery(layout: layout, order: order.map { BoundSortTerm(column: $0) }))
    defer { cursor.close() }
    let row = RowBuffer(columns: layout.columns.count)
    var last: [StoredValue] = []
    while try cursor.next(into: row) {
      try monitor.count()
      let values = columns.map { row.value(at: $0) }
      guard values != last || values.contains(where: \.isNull) else {
        throw failed(assertion, key: layout.key(of: row))
      }
      last = values
    }
  }
}
