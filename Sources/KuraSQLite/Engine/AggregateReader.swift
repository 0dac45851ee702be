import CSQLite
import KuraCore

/// Computes aggregates: in SQL where SQL has the same meaning, in a walk for decimals.
struct AggregateReader {
  let request: AggregateRequest
  let transaction: SQLiteTransaction
  private var layout: ModelLayout { request.query.rowLayout }

  init(_ request: AggregateRequest, _ transaction: SQLiteTransaction) {
    self.request = request
    self.transaction = transaction
  }

  func read() throws(StoreError) -> [StoredValue] {
    try request.check()
    var walked = try walk(request.functions.filter(isDecimal)).makeIterator()
    var counted = try select(request.functions.filter { !isDecimal($0) }).makeIterator()
    return request.functions.map { (isDecimal($0) ? walked.next() : counted.next()) ?? .null }
  }

  /// The functions that SQL has.
  private func select(_ functions: [AggregateRequest.Function]) throws(StoreError) -> [StoredValue]
  {
    // Without any the statement would be no aggregate, and give a row for each record.
    guard !functions.isEmpty else { return [] }
    let text = try QueryLowering(request.query).aggregate { layout in
      functions.map { expression($0, layout) }
    }
    do {
      return try transaction.firstRow(text) { statement throws(StoreError) in
        var values: [StoredValue] = []
        for (index, function) in functions.enumerated() {
          values.append(try value(statement, Int32(truncatingIfNeeded: index), function))
        }
        return values
      } ?? []
    } catch {
      guard error.code == .invalidSQL, error.message.hasSuffix("integer overflow") else {
        throw error
      }
      // SQLite gives up when a part is beyond 64 bits, even when the whole is not.
      if layout.isKuraModel { return try walk(functions) }
      throw StoreError(
        .notStorable, "the sum of the integers is beyond 64 bits",
        path: transaction.connection.path, suggestion: "sum a part, or use an average")
    }
  }

  private func expression(_ function: AggregateRequest.Function, _ layout: ModelLayout) -> String {
    switch function {
    case .count: "count(*)"
    case .minimum(let column): "min(\(layout.comparable(column)))"
    case .maximum(let column): "max(\(layout.comparable(column)))"
    case .sum(let column):
      // SQLite's sum is null without values, and for infinities of both signs, which stay without one.
      layout.columns[column].type == .double
        ? "total(\(layout.quotedColumn(column)))"
        : "iif(count(\(number(column, layout))) = 0, 0, sum(\(number(column, layout))))"
    case .average(let column): "avg(\(number(column, layout)))"
    }
  }

  /// A column's number; SQLite would take a text or blob of a column of any type for one.
  private func number(_ column: Int, _ layout: ModelLayout) -> String {
    let name = layout.quotedColumn(column)
    guard layout.isKuraModel, layout.columns[column].type == .any else { return name }
    return "CASE WHEN typeof(\(name)) IN ('integer', 'real') THEN \(name) END"
  }

  private func value(
    _ statement: SQLiteStatement, _ index: Int32, _ function: AggregateRequest.Function
  ) throws(StoreError) -> StoredValue {
    let row = RowBuffer(columns: 1)
    switch function {
    case .minimum(let column), .maximum(let column):
      let codec = ColumnCodec(layout.columns[column].type, isKuraModel: layout.isKuraModel)
      guard let slot = codec.read(statement, index) else {
        throw StoreError(
          .undecodable, "a stored value of \"\(layout.columns[column].name)\" is not of its type",
          path: transaction.connection.path)
      }
      row[0] = slot
    case .count, .sum, .average: row[0] = statement.slot(index)
    }
    return row.value(at: 0)
  }

  private func isDecimal(_ function: AggregateRequest.Function) -> Bool {
    switch function {
    case .sum(let column), .average(let column):
      layout.isKuraModel && layout.columns[column].type == .decimal
    case .count, .minimum, .maximum: false
    }
  }

  /// Exact sums of decimals and of large integers; SQLite knows neither.
  private func walk(_ functions: [AggregateRequest.Function]) throws(StoreError) -> [StoredValue] {
    guard !functions.isEmpty else { return [] }
    do {
      return try Accumulator.results(of: functions, over: request.query) {
        query throws(StoreError) in try transaction.cursor(for: query)
      }
    } catch {
      throw error.at(transaction.connection.path)
    }
  }
}
