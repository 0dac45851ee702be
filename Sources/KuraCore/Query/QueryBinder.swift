extension Query {
  /// Checks names and types against a model and gives what backends execute.
  ///
  /// - Throws: ``StoreError/Code/unknownProperty``, ``StoreError/Code/invalidQuery`` for types that
  ///   do not fit and negative counts, ``StoreError/Code/unsupportedQuery``.
  ///
  /// - Parameter catalogue: The models that references and lists lead to; without it paths through
  ///   them are refused.
  public func bound(to layout: ModelLayout, in catalogue: ModelCatalogue? = nil)
    throws(StoreError) -> BoundQuery
  {
    try checkHasRecords()
    return try bound(with: QueryBinder(layout: layout, catalogue: catalogue))
  }

  /// The query with the columns that a binder derives.
  func bound(with binder: QueryBinder) throws(StoreError) -> BoundQuery {
    let layout = binder.layout
    for (name, count) in [("limit", limit ?? 0), ("offset", offset)] where count < 0 {
      throw StoreError(
        .invalidQuery, "the \(name) of a query is negative", found: "\(count)",
        expected: "0 or more")
    }
    var terms: [BoundSortTerm] = []
    var sorted: Set<Int> = []
    for term in order {
      let column = try binder.column(term.property)
      // Only the first term of a column decides.
      if sorted.insert(column).inserted {
        terms.append(BoundSortTerm(column: column, isDescending: term.isDescending))
      }
    }
    for column in layout.keyColumns where sorted.insert(column).inserted {
      terms.append(BoundSortTerm(column: column))
    }
    var distinctColumns: [Int]?
    if let distinct {
      guard !distinct.isEmpty else {
        throw StoreError(.invalidQuery, "a distinct query names no property")
      }
      var columns: [Int] = []
      for path in distinct {
        let column = try binder.column(path)
        if !columns.contains(column) { columns.append(column) }
      }
      distinctColumns = columns
    }
    let condition = try binder.bind(condition, depth: 0)
    return BoundQuery(
      layout: layout, condition: condition, order: terms, distinct: distinctColumns, limit: limit,
      offset: offset, derived: binder.derived.columns)
  }
}

extension Condition {
  /// Checks names and types against a model.
  ///
  /// - Throws: As ``Query/bound(to:)``.
  public func bound(to layout: ModelLayout) throws(StoreError) -> BoundCondition {
    try QueryBinder(layout: layout).bind(self, depth: 0)
  }
}

/// Turns conditions by name into conditions by column, with values of the columns' types.
struct QueryBinder {
  let layout: ModelLayout
  var catalogue: ModelCatalogue?
  /// The columns that other records give, in the order in which they were asked for.
  let derived = DerivedColumns()

  /// The columns that were derived so far.
  final class DerivedColumns {
    fileprivate(set) var columns: [DerivedColumn] = []
  }

  /// The most derived columns of one model in a query: each costs a look at other records for every
  /// record.
  static let maximumDerivedCount = 100

  /// The index of a derived column, which is added unless it is there.
  func add(_ column: DerivedColumn, _ path: PropertyPath) throws(StoreError) -> Int {
    if let place = derived.columns.firstIndex(of: column) { return layout.columns.count + place }
    guard derived.columns.count < QueryBinder.maximumDerivedCount else {
      throw error(
        "the query looks at more than \(QueryBinder.maximumDerivedCount) paths and numbers of lists",
        path, code: .limitReached)
    }
    derived.columns.append(column)
    return layout.columns.count + derived.columns.count - 1
  }

  /// A column of the layout or a derived one.
  func described(_ index: Int) -> ModelLayout.Column {
    guard index >= layout.columns.count else { return layout.columns[index] }
    let column = derived.columns[index - layout.columns.count]
    return ModelLayout.Column(name: column.name, type: column.type, isOptional: column.isOptional)
  }

  /// The column that a path names: by its exact name, else by the only one that differs in letter
  /// case; a path through references is a derived column.
  func column(_ path: PropertyPath) throws(StoreError) -> Int {
    if let column = path.boundColumn { return column }
    guard path.names.count == 1, let name = path.names.first else {
      return try derivedColumn(path)
    }
    if let index = layout.index(of: name) { return index }
    let folded = name.lowercased()
    let similar = layout.columns.indices.filter { layout.columns[$0].name.lowercased() == folded }
    if similar.count == 1 { return similar[0] }
    let names = layout.columns.map(\.name)
    let suggestion: String? =
      if similar.count > 1 {
        "names that differ in letter case: \(similar.map { names[$0] }.joined(separator: ", "))"
      } else if let hint = closestMatch(name, in: names) {
        "did you mean \(hint)?"
      } else {
        "known are \(names.prefix(12).joined(separator: ", "))\(names.count > 12 ? ", …" : "")"
      }
    throw error(
      "\"\(layout.name)\" has no property \"\(name.prefix(80))\"", path, suggestion: suggestion,
      code: .unknownProperty)
  }

  /// An error that shows the place in the text when the path came from one.
  func error(
    _ message: String, _ path: PropertyPath?, suggestion: String? = nil,
    code: StoreError.Code = .invalidQuery
  ) -> StoreError {
    guard let location = path?.location else {
      return StoreError(code, message, suggestion: suggestion)
    }
    return location.source.error(message, at: location.offset, suggestion: suggestion, code: code)
  }

  /// The bound form of a condition at a depth, which bounds the recursion of everything after.
  func bind(_ condition: Condition, depth: Int) throws(StoreError) -> BoundCondition {
    guard depth <= QueryParser.maximumDepth else {
      throw StoreError(
        .invalidQuery,
        "the condition is nested more than \(QueryParser.maximumDepth) levels deep",
        suggestion: "give lists of parts to all and any instead of nesting pairs")
    }
    if let bound = try bindThroughReference(condition, depth: depth) { return bound }
    switch try bindingOperands(of: condition, depth: depth) {
    case .always: return .always
    case .never: return .never
    case .quantified(let quantifier, let list, let inner):
      return try bindQuantified(quantifier, list, inner, depth: depth)
    case .comparison(
      .count(let list, let inner), let comparison, .value(.integer(let number)), _):
      return try bindCount(list, inner, comparison, number, depth: depth)
    case .comparison(
      .value(.integer(let number)), let comparison, .count(let list, let inner), _):
      return try bindCount(list, inner, comparison.flipped, number, depth: depth)
    case .comparison(let left, let comparison, let right, let folding):
      return try bindComparison(left, comparison, right, folding.normalized)
    case .oneOf(let operand, let values, let folding):
      return try bindList(operand, values, folding.normalized)
    case .between(let operand, let lower, let upper, let folding):
      return .conjunction([
        try bindComparison(operand, .greaterOrEqual, .value(lower), folding.normalized),
        try bindComparison(operand, .lessOrEqual, .value(upper), folding.normalized),
      ]).mergedRange
    case .text(let left, let match, let right, let folding):
      return try bindText(left, match, right, folding.normalized)
    case .matches(let operand, let pattern, let folding):
      return try bindPattern(operand, pattern, folding.normalized)
    case .all(let parts): return .conjunction(try bindAll(parts, depth))
    case .any(let parts): return .disjunction(try bindAll(parts, depth))
    case .not(let part): return .negation(try bind(part, depth: depth + 1))
    }
  }

  private func bindAll(_ parts: [Condition], _ depth: Int) throws(StoreError) -> [BoundCondition] {
    var bound: [BoundCondition] = []
    bound.reserveCapacity(parts.count)
    for part in parts { bound.append(try bind(part, depth: depth + 1)) }
    return bound
  }
}

extension BoundCondition {
  /// All of the parts, simplified: what always holds is left out, lists are flat.
  static func conjunction(_ parts: [BoundCondition]) -> BoundCondition {
    var kept: [BoundCondition] = []
    for part in parts {
      switch part {
      case .always: break
      case .never: return .never
      case .all(let inner): kept += inner
      default: kept.append(part)
      }
    }
    return kept.isEmpty ? .always : kept.count == 1 ? kept[0] : .all(kept)
  }

  /// Any of the parts, simplified: what never holds is left out, lists are flat, and equalities of one
  /// column are one list of values, which an index serves and which costs SQLite's planner nothing.
  static func disjunction(_ parts: [BoundCondition]) -> BoundCondition {
    var kept: [BoundCondition] = []
    for part in parts {
      switch part {
      case .never: break
      case .always: return .always
      case .any(let inner): kept += inner
      default: kept.append(part)
      }
    }
    kept = mergingEqualities(kept)
    return kept.isEmpty ? .never : kept.count == 1 ? kept[0] : .any(kept)
  }

  private static func mergingEqualities(_ parts: [BoundCondition]) -> [BoundCondition] {
    var merged: [BoundCondition] = []
    var lists: [Int: (place: Int, values: [StoredValue], seen: Set<StoredValue>)] = [:]
    for part in parts {
      let (column, values): (Int, [StoredValue])
      switch part {
      case .compareValue(let found, .equal, let value): (column, values) = (found, [value])
      case .oneOf(let found, let several): (column, values) = (found, several)
      default:
        merged.append(part)
        continue
      }
      if lists[column] == nil {
        lists[column] = (merged.count, [], [])
        merged.append(part)
      }
      for value in values where lists[column]?.seen.insert(value).inserted == true {
        lists[column]?.values.append(value)
      }
    }
    for (column, list) in lists where list.values.count > 1 {
      merged[list.place] = .oneOf(column: column, list.values)
    }
    return merged
  }

  /// The opposite, without double negation.
  static func negation(_ part: BoundCondition) -> BoundCondition {
    switch part {
    case .always: .never
    case .never: .always
    case .not(let inner): inner
    default: .not(part)
    }
  }

  /// Two bounds of one column as a range, which is empty when the lower one is greater.
  fileprivate var mergedRange: BoundCondition {
    guard case .all(let parts) = self, parts.count == 2,
      case .compareValue(let column, .greaterOrEqual, let lower) = parts[0],
      case .compareValue(column, .lessOrEqual, let upper) = parts[1]
    else { return self }
    let isEmpty = QueryBinder.holds(lower, .greater, upper)
    return isEmpty ? .never : .between(column: column, lower, upper)
  }
}
