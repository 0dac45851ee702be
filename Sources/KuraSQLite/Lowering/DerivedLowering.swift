import KuraCore

/// Turns derived columns into columns of a subquery around their table, so that all else names them
/// as it names columns of tables.
struct DerivedLowering {
  /// The columns with the derived ones, as SQL names them.
  let rowLayout: ModelLayout
  private let layout: ModelLayout
  private let derived: [DerivedColumn]

  init(_ layout: ModelLayout, _ derived: [DerivedColumn]) {
    self.layout = layout
    self.derived = derived
    rowLayout = layout.extended(
      by: derived.enumerated().map { number, column in
        var column = column
        column.name = "kura_derived_\(number)"
        return column
      })
  }

  /// Adds the table, or the subquery that stands for it.
  ///
  /// SQLite takes a subquery without limit and grouping apart (optoverview.html, "Subquery
  /// Flattening"), so that indexes of the table still serve.
  func appendTable(to text: inout SQLText) throws(StoreError) {
    let table = SQLLiterals.quoted(layout.name)
    guard !derived.isEmpty else { return text.append(table) }
    guard derived.parserCost <= ConditionLowering.maximumParserCost else {
      throw StoreError(
        .limitReached, "the numbers over lists are nested too deeply for SQLite",
        suggestion: "nest fewer subqueries")
    }
    let alias = text.makeAlias()
    text.append("(SELECT \(alias).*")
    for (number, column) in derived.enumerated() {
      text.append(", ")
      try append(column, of: alias, to: &text)
      text.append(" AS " + rowLayout.quotedColumn(layout.columns.count + number))
    }
    text.append(" FROM \(table) AS \(alias))")
  }

  private func append(_ column: DerivedColumn, of alias: String, to text: inout SQLText)
    throws(StoreError)
  {
    switch column.content {
    case .column(let last): appendPath(column.steps[...], last, of: alias, to: &text)
    case .list(let number):
      guard let last = column.steps.last else {
        let key = layout.quotedColumn(layout.keyColumns.first ?? 0)
        return try append(number, owner: { $0.append("\(alias).\(key)") }, to: &text)
      }
      // No record at the end of the references has no list, not an empty one.
      let owner = { (text: inout SQLText) in
        self.appendPath(column.steps.dropLast(), last.column, of: alias, to: &text)
      }
      text.append("CASE WHEN ")
      owner(&text)
      text.append(" IS NOT NULL THEN ")
      try append(number, owner: owner, to: &text)
      text.append(" END")
    case .membership:
      throw StoreError(.internalError, "a query for key-value backends came to SQLite")
    }
  }

  /// A column of the record at the end of references.
  private func appendPath(
    _ steps: ArraySlice<DerivedColumn.Step>, _ last: Int, of alias: String, to text: inout SQLText
  ) {
    guard let first = steps.first else {
      return text.append("\(alias).\(layout.quotedColumn(last))")
    }
    var tables = ""
    var (model, name) = (first.target, text.makeAlias())
    let start = model.quotedColumn(model.keyColumns.first ?? 0)
    let condition = "\(name).\(start) = \(alias).\(layout.quotedColumn(first.column))"
    tables = "\(SQLLiterals.quoted(model.name)) AS \(name)"
    for step in steps.dropFirst() {
      let next = text.makeAlias()
      let key = step.target.quotedColumn(step.target.keyColumns.first ?? 0)
      tables += " JOIN \(SQLLiterals.quoted(step.target.name)) AS \(next) ON "
      tables += "\(next).\(key) = \(name).\(model.quotedColumn(step.column))"
      (model, name) = (step.target, next)
    }
    text.append("(SELECT \(name).\(model.quotedColumn(last)) FROM \(tables) WHERE \(condition))")
  }

  /// A number over the list of an owner.
  private func append(
    _ number: BoundListNumber, owner: (inout SQLText) -> Void, to text: inout SQLText
  ) throws(StoreError) {
    let table = DerivedLowering(number.target, number.derived)
    text.append("(SELECT \(NumberFunctions.expression(number.function, table.rowLayout)) FROM ")
    text.append("(SELECT \(SQLLiterals.quoted(ListDescription.target)) AS kura_target FROM ")
    text.append(SQLLiterals.quoted(number.keeper.name) + " WHERE ")
    text.append(SQLLiterals.quoted(ListDescription.owner) + " = ")
    owner(&text)
    text.append(")")
    if !number.countsElements {
      // The elements come first, in their order, because sums of doubles depend on it.
      text.append(" CROSS JOIN ")
      try table.appendTable(to: &text)
      let alias = text.makeAlias()
      let key = number.target.quotedColumn(number.target.keyColumns.first ?? 0)
      text.append(" AS \(alias) ON \(alias).\(key) = kura_target")
      if number.condition != .always {
        text.append(" WHERE ")
        try ConditionLowering(layout: table.rowLayout).lowerCounted(number.condition, into: &text)
      }
    }
    text.append(")")
  }
}
