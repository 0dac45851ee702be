import KuraCore

/// Turns checked conditions into SQL that is true exactly when the condition is.
///
/// SQL's third truth value is avoided where it would matter: what may be NULL is wrapped under a
/// NOT, and equality uses IS where null equals null. Plain comparisons stay plain, so that indexes
/// serve them.
struct ConditionLowering {
  let layout: ModelLayout

  /// Adds the condition; NULL in the result counts as false.
  func lower(_ condition: BoundCondition, into text: inout SQLText) throws(StoreError) {
    guard condition.parserCost <= ConditionLowering.maximumParserCost else {
      throw StoreError(
        .limitReached, "the condition is nested too deeply for SQLite",
        suggestion: "combine parts into flat lists of AND or OR")
    }
    try lowerCounted(condition, into: &text)
  }

  /// Adds a condition whose depth was counted with that of the whole.
  func lowerCounted(_ condition: BoundCondition, into text: inout SQLText) throws(StoreError) {
    try lower(condition, isNegated: false, into: &text)
  }

  /// Of the 100 places of SQLite's parser stack, what a condition may take; the rest is for the
  /// statement around it and for one comparison.
  static let maximumParserCost = 60

  /// Negations go down to the comparisons (De Morgan: conditions have two values), because each
  /// one in SQL would take several places of the parser's stack.
  private func lower(_ condition: BoundCondition, isNegated: Bool, into text: inout SQLText)
    throws(StoreError)
  {
    switch condition {
    case .all(let parts), .any(let parts):
      let isAll = if case .all = condition { !isNegated } else { isNegated }
      let nested = parts.filter(\.isNested) + parts.filter { !$0.isNested }
      return try join(
        nested[...], isAll ? " AND " : " OR ", empty: isAll ? "1" : "0", isNegated, &text)
    case .not(let part): return try lower(part, isNegated: !isNegated, into: &text)
    case .compareValue(let column, .equal, let value) where isNegated:
      return compare(column, .notEqual, value, &text)
    case .compareValue(let column, .notEqual, let value) where isNegated:
      return compare(column, .equal, value, &text)
    default: break
    }
    if isNegated { text.append("NOT ifnull(") }
    try lowerLeaf(condition, into: &text)
    if isNegated { text.append(", 0)") }
  }

  private func lowerLeaf(_ condition: BoundCondition, into text: inout SQLText) throws(StoreError) {
    switch condition {
    case .always: text.append("1")
    case .never: text.append("0")
    case .compareValue(let column, let comparison, let value):
      compare(column, comparison, value, &text)
    case .compareColumns(let left, let comparison, let right):
      text.append(layout.comparable(left))
      text.append(" \(ConditionLowering.columnOperator(comparison)) ")
      text.append(layout.comparable(right))
    case .oneOf(let column, let values): try oneOf(column, values, &text)
    case .between(let column, let lower, let upper):
      text.append(comparable(column, with: [lower, upper]) + " BETWEEN ")
      text.append(value: lower)
      text.append(" AND ")
      text.append(value: upper)
    case .textValue(let column, let function, let value):
      match(column, function, value, &text)
    case .textColumns(let left, let function, let right):
      text.append("\(TextFunctions.name(function))(")
      text.append(layout.quotedColumn(left) + ", " + layout.quotedColumn(right) + ")")
    case .compare(let left, let comparison, let right, let folding):
      append(left, folding, to: &text)
      text.append(" \(ConditionLowering.columnOperator(comparison)) ")
      append(right, folding, to: &text)
    case .contained(let operand, let values, let folding):
      try contained(operand, values, folding, &text)
    case .match(let left, let function, let right, let folding):
      text.append("\(TextFunctions.name(function))(")
      append(left, folding, to: &text)
      text.append(", ")
      append(right, folding, isPattern: function == .like, to: &text)
      text.append(")")
    case .matches(let operand, let pattern, let folding):
      text.append("\(TextFunctions.matches)(")
      append(operand, [], to: &text)
      text.append(", ")
      text.append(value: .text(pattern))
      text.append(", \(folding.rawValue))")
    case .among(let column, let subquery): try among(column, subquery, &text)
    case .all, .any, .not: try lower(condition, isNegated: false, into: &text)
    }
  }

  private func among(_ column: Int, _ subquery: BoundSubquery, _ text: inout SQLText)
    throws(StoreError)
  {
    let name = subquery.layout.quotedColumn(subquery.column)
    text.append("\(layout.quotedColumn(column)) IN (SELECT \(name) FROM ")
    let table = DerivedLowering(subquery.layout, subquery.derived)
    try table.appendTable(to: &text)
    text.append(" WHERE ")
    // The depth was counted with that of the whole.
    try ConditionLowering(layout: table.rowLayout).lowerCounted(subquery.condition, into: &text)
    if let count = subquery.count {
      text.append(" GROUP BY \(name) HAVING count(*) \(count.comparison.rawValue) ")
      text.append(value: .integer(count.value))
    }
    text.append(")")
  }

  /// Joins parts; long lists are halved, because SQLite's parser makes a chain as deep as it is
  /// long and allows a depth of 1,000.
  private func join(
    _ parts: ArraySlice<BoundCondition>, _ separator: String, empty: String, _ isNegated: Bool,
    _ text: inout SQLText
  ) throws(StoreError) {
    guard !parts.isEmpty else { return text.append(empty) }
    text.append("(")
    if parts.count > 50 {
      let middle = parts.startIndex + parts.count / 2
      try join(parts[..<middle], separator, empty: empty, isNegated, &text)
      text.append(separator)
      try join(parts[middle...], separator, empty: empty, isNegated, &text)
    } else {
      for (position, part) in parts.enumerated() {
        if position > 0 { text.append(separator) }
        try lower(part, isNegated: isNegated, into: &text)
      }
    }
    text.append(")")
  }

  private func compare(
    _ column: Int, _ comparison: Condition.ComparisonOperator, _ value: StoredValue,
    _ text: inout SQLText
  ) {
    switch (comparison, value.isNull) {
    case (.equal, true): text.append(layout.quotedColumn(column) + " IS NULL")
    case (.notEqual, true): text.append(layout.quotedColumn(column) + " IS NOT NULL")
    case (_, true): text.append("0")
    case (.equal, false):
      text.append(comparable(column, with: [value]) + " = ")
      text.append(value: value)
    case (.notEqual, false):
      text.append(comparable(column, with: [value]) + " IS NOT ")
      text.append(value: value)
    case (_, false):
      text.append(comparable(column, with: [value]) + " \(comparison.rawValue) ")
      text.append(value: value)
    }
  }

  /// A column for a comparison with values.
  ///
  /// SQLite turns a text that looks like a number into one before it compares it with a column of
  /// numeric affinity, and that is every column declared `DATE`: no date would be before `1910`.
  /// The plus sign takes the affinity away, and an index with it, so it is set only where needed.
  private func comparable(_ column: Int, with values: [StoredValue]) -> String {
    let name = layout.comparable(column)
    guard !layout.isKuraModel, layout.columns.indices.contains(column),
      !layout.columns[column].isDeclaredNumeric, values.contains(where: \.looksNumeric)
    else { return name }
    return "+" + name
  }

  private static func columnOperator(_ comparison: Condition.ComparisonOperator) -> String {
    switch comparison {
    case .equal: "IS"
    case .notEqual: "IS NOT"
    case .less, .lessOrEqual, .greater, .greaterOrEqual: comparison.rawValue
    }
  }

  private func oneOf(_ column: Int, _ values: [StoredValue], _ text: inout SQLText)
    throws(StoreError)
  {
    let present = values.filter { !$0.isNull }
    guard !values.isEmpty else { return text.append("0") }
    text.append("(" + comparable(column, with: present))
    try appendList(present, to: &text)
    if present.count < values.count {
      text.append(" OR " + layout.quotedColumn(column) + " IS NULL")
    }
    text.append(")")
  }

  /// ` IN (…)`.
  func appendList(_ values: [StoredValue], to text: inout SQLText) throws(StoreError) {
    guard values.count <= 30_000 else {
      throw StoreError(
        .limitReached, "a list has too many values", found: "\(values.count)",
        expected: "at most 30,000", suggestion: "split the query")
    }
    text.append(" IN (")
    for (position, value) in values.enumerated() {
      if position > 0 { text.append(", ") }
      text.append(value: value)
    }
    text.append(")")
  }

  private func match(
    _ column: Int, _ function: Condition.TextOperator, _ value: StoredValue,
    _ text: inout SQLText
  ) {
    text.append("(")
    if function == .beginsWith, case .text(let prefix) = value, !prefix.isEmpty,
      layout.columns.indices.contains(column), layout.columns[column].type == .text
    {
      // The range lets an index find the records; the function decides.
      text.append(layout.comparable(column) + " >= ")
      text.append(value: value)
      if let end = ConditionLowering.successor(of: prefix) {
        text.append(" AND " + layout.comparable(column) + " < ")
        text.append(value: .text(end))
      }
      text.append(" AND ")
    }
    text.append("\(TextFunctions.name(function))(" + layout.quotedColumn(column) + ", ")
    text.append(value: value)
    text.append("))")
  }

  /// The least text that is greater than every text with a prefix, by UTF-8 bytes; `nil` if none is.
  static func successor(of prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      // Bytes order like scalars; U+D800 to U+DFFF are no scalars.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        var view = String.UnicodeScalarView(scalars)
        view.append(scalar)
        return String(view)
      }
    }
    return nil
  }
}

extension StoredValue {
  /// Whether this is a text that SQLite would take for a number.
  fileprivate var looksNumeric: Bool {
    guard case .text(let text) = self else { return false }
    let trimmed = text.utf8.drop { $0 <= 0x20 }
    var last = trimmed.endIndex
    while last > trimmed.startIndex, trimmed[trimmed.index(before: last)] <= 0x20 {
      last = trimmed.index(before: last)
    }
    return Double(String(trimmed[..<last]) ?? "") != nil
  }
}
