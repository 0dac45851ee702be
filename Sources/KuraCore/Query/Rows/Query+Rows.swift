extension Query {
  /// Checks names and types against a model and gives what makes the query's rows.
  ///
  /// - Throws: As ``bound(to:)``; ``StoreError/Code/invalidQuery`` for a column that is no group, an
  ///   order by one, and DISTINCT beside groups.
  package func boundRows(to layout: ModelLayout, in catalogue: ModelCatalogue? = nil)
    throws(StoreError) -> BoundRows
  {
    var plain = self
    (plain.columns, plain.groups, plain.having) = (nil, nil, nil)
    let binder = QueryBinder(layout: layout, catalogue: catalogue)
    var query = try plain.bound(with: binder)
    guard let groups = try boundGroups(binder) else {
      guard having == nil else {
        throw StoreError(
          .invalidQuery, "HAVING is about groups, and there are none",
          suggestion: "write GROUP(…), or the condition behind WHERE")
      }
      return try recordRows(&query, binder)
    }
    guard distinct == nil else {
      throw StoreError(
        .invalidQuery, "DISTINCT and groups do not go together",
        suggestion: "group by the properties of DISTINCT as well, or leave it out")
    }
    let wanted =
      columns
      ?? groups.map { .property(PropertyPath([binder.described($0).name]).bound(to: $0)) } + [
        .count
      ]
    guard !wanted.isEmpty else { throw StoreError(.invalidQuery, "a query selects no column") }
    var outputs: [BoundRows.Output] = []
    for column in wanted { outputs.append(try output(column, groups, binder)) }
    let filter = try having.map { having throws(StoreError) in
      try GroupFilter(having, groups, binder)
    }
    query.order = try groupOrder(groups, binder)
    (query.limit, query.offset) = (nil, 0)
    query.derived = binder.derived.columns
    let rows = BoundRows(
      query: query, groups: groups, outputs: outputs, columnNames: wanted.map(\.description),
      filter: filter, limit: limit, offset: offset)
    try AggregateRequest(query, rows.functions + (filter?.functions ?? [])).check()
    return rows
  }

  /// The rows of which each is a record.
  private func recordRows(_ query: inout BoundQuery, _ binder: QueryBinder) throws(StoreError)
    -> BoundRows
  {
    let selected = try columns?.map { column throws(StoreError) in
      guard case .property(let path) = column else {
        throw binder.error(
          "\(column) beside a property needs groups", column.path,
          suggestion: "write GROUP(…) with the properties")
      }
      return try binder.column(path)
    }
    if let selected { query.columns = selected }
    query.derived = binder.derived.columns
    let read = selected ?? Array(query.layout.columns.indices)
    return BoundRows(
      query: query, groups: nil, outputs: read.map { .column($0) },
      columnNames: read.map { query.rowLayout.columns[$0].name }, limit: nil, offset: 0)
  }

  /// The columns of groups; none when all columns are numbers, `nil` when each record is a row.
  private func boundGroups(_ binder: QueryBinder) throws(StoreError) -> [Int]? {
    guard let groups else {
      guard let columns, !columns.isEmpty, !columns.contains(where: \.isProperty) else {
        return nil
      }
      return []
    }
    var bound: [Int] = []
    for path in groups {
      let column = try binder.column(path)
      if !bound.contains(column) { bound.append(column) }
    }
    guard !bound.isEmpty else {
      throw StoreError(.invalidQuery, "a query of groups names no property")
    }
    return bound
  }

  private func output(_ column: QueryColumn, _ groups: [Int], _ binder: QueryBinder)
    throws(StoreError) -> BoundRows.Output
  {
    guard case .property(let path) = column else { return .function(try binder.number(column)) }
    return .column(try binder.group(path, groups))
  }

  /// The groups in the query's order; within them the order of keys, so that sums of doubles are
  /// added in one order everywhere.
  private func groupOrder(_ groups: [Int], _ binder: QueryBinder) throws(StoreError)
    -> [BoundSortTerm]
  {
    guard !groups.isEmpty else { return [] }
    var terms: [BoundSortTerm] = []
    for term in order {
      let column = try binder.column(term.property)
      guard groups.contains(column) else {
        throw binder.error(
          "groups are ordered by what they are grouped by, and \"\(term.property)\" is none of it",
          term.property)
      }
      if terms.contains(where: { $0.column == column }) { continue }
      terms.append(BoundSortTerm(column: column, isDescending: term.isDescending))
    }
    for column in groups + binder.layout.keyColumns
    where !terms.contains(where: { $0.column == column }) {
      terms.append(BoundSortTerm(column: column))
    }
    return terms
  }

  /// Throws when the query's rows are no records.
  func checkHasRecords() throws(StoreError) {
    guard groups != nil || columns != nil || having != nil else { return }
    throw StoreError(
      .invalidQuery, "the query selects columns or groups, which are rows and no records",
      suggestion: "read its rows, or leave out SELECT and GROUP")
  }
}

extension QueryColumn {
  fileprivate var isProperty: Bool { if case .property = self { true } else { false } }

  var path: PropertyPath? {
    switch self {
    case .count: nil
    case .property(let path), .minimum(let path), .maximum(let path), .sum(let path),
      .average(let path):
      path
    }
  }
}

extension QueryBinder {
  /// The function of a number over groups; a property has none and counts.
  func number(_ column: QueryColumn) throws(StoreError) -> AggregateRequest.Function {
    switch column {
    case .property, .count: .count
    case .minimum(let path): .minimum(column: try self.column(path))
    case .maximum(let path): .maximum(column: try self.column(path))
    case .sum(let path): .sum(column: try self.column(path))
    case .average(let path): .average(column: try self.column(path))
    }
  }

  /// A column that is one of the groups'.
  func group(_ path: PropertyPath, _ groups: [Int]) throws(StoreError) -> Int {
    let index = try column(path)
    guard groups.contains(index) else {
      throw error(
        "\"\(path)\" has more than one value in a group", path,
        suggestion: "group by it as well, or take @min.\(path) or @max.\(path)")
    }
    return index
  }
}
