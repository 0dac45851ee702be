import KuraCore

/// Turns checked queries into SELECT, UPDATE and DELETE statements.
struct QueryLowering {
  let query: BoundQuery
  private let table: DerivedLowering
  /// The columns with the derived ones.
  private var layout: ModelLayout { table.rowLayout }

  init(_ query: BoundQuery) {
    self.query = query
    table = DerivedLowering(query.layout, query.derived)
  }

  /// The statement that reads the query's columns.
  func select() throws(StoreError) -> SQLText {
    let columns = query.columns ?? Array(query.layout.columns.indices)
    var text = SQLText()
    text.append("SELECT ")
    text.append(columns.isEmpty ? "NULL" : columns.map(layout.quotedColumn).joined(separator: ", "))
    try appendSource(to: &text)
    appendOrder(to: &text)
    appendWindow(to: &text)
    return text
  }

  /// A statement over the records that the query selects, such as `SELECT count(*)`.
  ///
  /// - Parameter expressions: The results, made with the columns as the statement names them.
  func aggregate(_ expressions: (ModelLayout) -> [String]) throws(StoreError) -> SQLText {
    var text = SQLText()
    text.append("SELECT " + expressions(layout).joined(separator: ", "))
    guard query.limit != nil || query.offset > 0 else {
      try appendSource(to: &text)
      return text
    }
    text.append(" FROM (SELECT *")
    try appendSource(to: &text)
    appendOrder(to: &text)
    appendWindow(to: &text)
    text.append(")")
    return text
  }

  /// The end of an UPDATE or DELETE statement: which rows it concerns.
  func selection(into text: inout SQLText) throws(StoreError) {
    text.append(" WHERE ")
    guard
      query.limit != nil || query.offset > 0 || query.distinct != nil || !query.derived.isEmpty
    else {
      return try ConditionLowering(layout: layout).lower(query.condition, into: &text)
    }
    let keys = layout.keyExpressions
    guard !keys.isEmpty else {
      throw StoreError(
        .unsupportedQuery, "\"\(layout.name)\" has no key by which to limit a change")
    }
    let list = keys.joined(separator: ", ")
    text.append(keys.count == 1 ? "\(list) IN (SELECT \(list)" : "(\(list)) IN (SELECT \(list)")
    try appendSource(to: &text)
    appendOrder(to: &text)
    appendWindow(to: &text)
    text.append(")")
  }

  private func appendSource(to text: inout SQLText) throws(StoreError) {
    let lowering = ConditionLowering(layout: layout)
    guard let distinct = query.distinct, !distinct.isEmpty else {
      text.append(" FROM ")
      try table.appendTable(to: &text)
      if query.condition != .always {
        text.append(" WHERE ")
        try lowering.lower(query.condition, into: &text)
      }
      return
    }
    let keys = layout.keyExpressions
    let rowID =
      layout.keyColumns.isEmpty ? layout.rowIDName.map { ", " + SQLLiterals.quoted($0) } : nil
    text.append(" FROM (SELECT *\(rowID ?? ""), row_number() OVER (PARTITION BY ")
    text.append(distinct.map(layout.comparable).joined(separator: ", "))
    if !keys.isEmpty { text.append(" ORDER BY " + keys.joined(separator: ", ")) }
    text.append(") AS kura_rank FROM ")
    try table.appendTable(to: &text)
    text.append(" WHERE ")
    try lowering.lower(query.condition, into: &text)
    text.append(") WHERE kura_rank = 1")
  }

  private func appendOrder(to text: inout SQLText) {
    var terms: [String] = []
    var seen: Set<Int> = []
    for term in query.order where seen.insert(term.column).inserted {
      terms.append(layout.comparable(term.column) + (term.isDescending ? " DESC" : ""))
    }
    if layout.keyColumns.isEmpty, let rowID = layout.rowIDName {
      terms.append(SQLLiterals.quoted(rowID))
    }
    if !terms.isEmpty { text.append(" ORDER BY " + terms.joined(separator: ", ")) }
  }

  private func appendWindow(to text: inout SQLText) {
    guard query.limit != nil || query.offset > 0 else { return }
    text.append(" LIMIT ")
    text.append(value: .integer(query.limit.map { Int64($0) } ?? -1))
    if query.offset > 0 {
      text.append(" OFFSET ")
      text.append(value: .integer(Int64(query.offset)))
    }
  }
}
