/// A checked query for rows of values: some columns of its records, or numbers over groups of them.
package struct BoundRows: Sendable {
  /// A column of the rows.
  enum Output: Sendable {
    /// The value that all records of a group have in a column.
    case column(Int)
    /// A number over a group.
    case function(AggregateRequest.Function)
  }

  /// The records, in the order of their groups; without a window when there are groups.
  var query: BoundQuery
  /// The columns by which records are grouped: none for one group of all; `nil` when each record is a
  /// row.
  var groups: [Int]?
  /// The columns of the rows.
  var outputs: [Output]
  /// The columns' names.
  package var columnNames: [String]
  /// What a group must fulfil.
  var filter: GroupFilter?
  /// The most groups to give.
  var limit: Int?
  /// The number of groups to skip first.
  var offset: Int

  /// Whether each record is a row.
  package var isOfRecords: Bool { groups == nil }

  /// The records whose rows these are, when each record is one.
  package var records: BoundQuery { query }

  var functions: [AggregateRequest.Function] {
    outputs.compactMap { output in
      if case .function(let function) = output { function } else { nil }
    }
  }
}

extension BoundRows {
  /// Begins to walk over the rows.
  ///
  /// Of groups only one is in memory at a time, and of it only its numbers.
  ///
  /// - Throws: As the transaction; ``StoreError/Code/notStorable``, when walking, for a sum of integers
  ///   beyond 64 bits.
  package func cursor(_ transaction: any EngineReadTransaction) throws(StoreError)
    -> any RecordCursor
  {
    guard let groups else { return try transaction.cursor(for: query) }
    guard !groups.isEmpty else {
      // One row, for which backends have short ways; one that is left out is not computed.
      guard limit != 0, offset == 0 else { return ValuesCursor(columnNames, []) }
      let values = try transaction.aggregate(AggregateRequest(query, allFunctions))
      guard filter?.condition.matches(row: filterRow(values)) ?? true else {
        return ValuesCursor(columnNames, [])
      }
      return ValuesCursor(columnNames, [Array(values.prefix(functions.count))])
    }
    return GroupCursor(self, groups, try transaction.cursor(for: walked.query))
  }

  /// How the backend would execute it, one step a line.
  package func explain(_ transaction: any EngineReadTransaction) throws(StoreError) -> [String] {
    guard let groups else { return try transaction.explain(query) }
    var lines = try transaction.explain(walked.query)
    let numbers = columnNames.joined(separator: ", ")
    if groups.isEmpty {
      lines.append("all as one group: \(numbers)")
    } else {
      let names = groups.map { query.rowLayout.nameInQuery($0) }.joined(separator: ", ")
      lines.append("group (\(names)), neighbours together: \(numbers)")
    }
    if let filter {
      lines.append("only groups with \(filter.condition.text(filter.layout))")
    }
    if offset > 0 { lines.append("skip \(offset) groups") }
    if let limit { lines.append("stop after \(limit) groups") }
    return lines
  }

  /// The numbers of the rows' columns, and those that the filter looks at.
  var allFunctions: [AggregateRequest.Function] { functions + (filter?.functions ?? []) }

  /// The row of a filter over one group of all records.
  private func filterRow(_ values: [StoredValue]) -> RowBuffer {
    let row = RowBuffer(columns: filter?.functions.count ?? 0)
    for (place, value) in values.dropFirst(functions.count).enumerated() {
      row.setValue(value, at: place)
    }
    return row
  }

  /// The query with the columns that groups and numbers need, and where each of them stands.
  var walked: (query: BoundQuery, places: [Int: Int]) {
    var columns = Set(groups ?? [])
    for function in allFunctions {
      if let column = function.column { columns.insert(column) }
    }
    var query = query
    query.columns = columns.sorted()
    let places = Dictionary(uniqueKeysWithValues: columns.sorted().enumerated().map { ($1, $0) })
    return (query, places)
  }
}

extension BoundRows {
  /// The rows of those records that fulfil a checked condition as well.
  package func filtered(by condition: BoundCondition) -> BoundRows {
    var rows = self
    rows.query.condition = .conjunction([query.condition, condition])
    return rows
  }
}
