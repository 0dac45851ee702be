/// Conditions that go through references and lists, which become conditions on keys.
extension QueryBinder {
  /// A comparison whose paths begin with one reference, as a condition on the reference; `nil` when
  /// its paths are plain.
  func bindThroughReference(_ condition: Condition, depth: Int) throws(StoreError)
    -> BoundCondition?
  {
    let paths = condition.leafPaths
    guard let first = paths.first(where: { $0.names.count > 1 }), let name = first.names.first
    else { return nil }
    guard let catalogue else {
      throw error(
        "paths through references need the store's own schema", first, code: .unsupportedQuery)
    }
    guard let target = catalogue.target(of: name, in: layout.name) else {
      if catalogue.list(name, of: layout.name) != nil {
        throw error(
          "\"\(name)\" is a list", first, suggestion: "write ANY, ALL or NONE before the path")
      }
      _ = try column(first.beginning)
      throw error("\"\(layout.name)\".\"\(name)\" is no reference", first)
    }
    // Properties of different records are looked up record by record.
    guard paths.allSatisfy({ $0.names.count > 1 && $0.names.first == name }),
      condition.hasPlainOperands
    else { return nil }
    let index = try column(first.beginning)
    let inner = condition.mappingLeafPaths { $0.rest }
    let binder = QueryBinder(layout: target, catalogue: catalogue)
    let found = try binder.bind(inner, depth: depth + 1)
    let isThere = BoundCondition.among(
      column: index,
      BoundSubquery(
        target, column: target.keyColumns.first ?? 0, where: found,
        derived: binder.derived.columns))
    // Without a record the path has no value.
    guard condition.holdsWithoutValue else { return isThere }
    return .disjunction([.compareValue(column: index, .equal, .null), isThere])
  }

  func bindQuantified(
    _ quantifier: Condition.Quantifier, _ list: PropertyPath?, _ condition: Condition, depth: Int
  ) throws(StoreError) -> BoundCondition {
    guard let list else {
      let (list, inner) = try splitAtList(condition)
      return try bindQuantified(quantifier, list, inner, depth: depth)
    }
    // A negation is one of the whole: where a reference leads nowhere there is no record in a list.
    let found = try throughReferences(list, depth: depth) {
      binder, name, path throws(StoreError) in
      try binder.anyElement(
        of: name, path, quantifier == .all ? .not(condition) : condition, depth: depth + 1)
    }
    return quantifier == .any ? found : .negation(found)
  }

  /// A comparison of a list's count with a number.
  func bindCount(
    _ list: PropertyPath, _ condition: Condition, _ comparison: Condition.ComparisonOperator,
    _ number: Int64, depth: Int
  ) throws(StoreError) -> BoundCondition {
    // A count beyond a reference to nothing has no value, which only differs from a number.
    try throughReferences(list, orNothing: comparison == .notEqual, depth: depth) {
      binder, name, path throws(StoreError) in
      let (keeper, elements) = try binder.elements(of: name, path, condition, depth: depth + 1)
      // No element is no record: what holds for zero holds where the opposite does not.
      let holdsForNone = QueryBinder.holds(.integer(0), comparison, .integer(number))
      let asked = holdsForNone ? comparison.negated : comparison
      let found = BoundCondition.among(
        column: binder.layout.keyColumns.first ?? 0,
        BoundSubquery(
          keeper, column: try QueryBinder.column(ListDescription.owner, of: keeper),
          where: elements, count: (asked, number)))
      return holdsForNone ? .negation(found) : found
    }
  }

  // MARK: Steps

  /// Follows references to the model that has a list.
  ///
  /// - Parameter orNothing: Whether records are meant as well where a reference leads nowhere.
  private func throughReferences(
    _ list: PropertyPath, orNothing: Bool = false, depth: Int,
    _ body: (QueryBinder, String, PropertyPath) throws(StoreError) -> BoundCondition
  ) throws(StoreError) -> BoundCondition {
    guard depth <= QueryParser.maximumDepth, let name = list.names.first else {
      throw error("a path is too long", list)
    }
    guard list.names.count > 1 else { return try body(self, name, list) }
    guard let target = catalogue?.target(of: name, in: layout.name) else {
      _ = try column(list.beginning)
      throw error("\"\(layout.name)\".\"\(name)\" is no reference", list)
    }
    let binder = QueryBinder(layout: target, catalogue: catalogue)
    let inner = try binder.throughReferences(
      list.rest, orNothing: orNothing, depth: depth + 1, body)
    let index = try column(list.beginning)
    let isThere = BoundCondition.among(
      column: index,
      BoundSubquery(
        target, column: target.keyColumns.first ?? 0, where: inner,
        derived: binder.derived.columns))
    guard orNothing else { return isThere }
    return .disjunction([.compareValue(column: index, .equal, .null), isThere])
  }

  private func anyElement(
    of name: String, _ path: PropertyPath, _ condition: Condition, depth: Int
  ) throws(StoreError) -> BoundCondition {
    let (keeper, elements) = try elements(of: name, path, condition, depth: depth)
    return .among(
      column: layout.keyColumns.first ?? 0,
      BoundSubquery(
        keeper, column: try QueryBinder.column(ListDescription.owner, of: keeper), where: elements))
  }

  /// The model that keeps a list, and the condition on its records that theirs fulfil one.
  private func elements(
    of name: String, _ path: PropertyPath, _ condition: Condition, depth: Int
  ) throws(StoreError) -> (ModelLayout, BoundCondition) {
    guard let (keeper, target) = catalogue?.list(name, of: layout.name) else {
      throw noList(name, path)
    }
    let binder = QueryBinder(layout: target, catalogue: catalogue)
    let inner = try binder.bind(condition, depth: depth)
    if inner == .always { return (keeper, .always) }
    let column = try QueryBinder.column(ListDescription.target, of: keeper)
    return (
      keeper,
      .among(
        column: column,
        BoundSubquery(
          target, column: target.keyColumns.first ?? 0, where: inner,
          derived: binder.derived.columns))
    )
  }

  private static func column(_ name: String, of keeper: ModelLayout) throws(StoreError) -> Int {
    try keeper.column(named: name)
  }

  /// The list that the paths of a comparison go through, and the comparison on its records.
  private func splitAtList(_ condition: Condition) throws(StoreError)
    -> (PropertyPath, Condition)
  {
    let paths = condition.pathsWithLists
    guard let first = paths.first else {
      throw error("ANY, ALL and NONE need a path through a list", nil)
    }
    var model = layout
    for (place, name) in first.names.enumerated() {
      if let (_, target) = catalogue?.list(name, of: model.name) {
        var list = PropertyPath(Array(first.names[...place]))
        list.location = first.location
        guard paths.allSatisfy({ $0.names.starts(with: list.names) }) else { break }
        let key = target.columns[target.keyColumns.first ?? 0].name
        return (
          list,
          condition.mappingLeafPaths(lists: true) { path in
            var rest = PropertyPath(Array(path.names.dropFirst(place + 1)))
            // The list itself stands for the keys of its records.
            if rest.names.isEmpty { rest.names = [key] }
            rest.location = path.location
            return rest
          }
        )
      }
      guard let next = catalogue?.target(of: name, in: model.name) else { break }
      model = next
    }
    throw error("\"\(first)\" does not go through a list", first)
  }
}

extension PropertyPath {
  /// The first name alone.
  var beginning: PropertyPath {
    var path = PropertyPath(Array(names.prefix(1)))
    path.location = location
    return path
  }

  /// The path without its first name.
  var rest: PropertyPath {
    var path = PropertyPath(Array(names.dropFirst()))
    path.location = location
    return path
  }
}

extension Condition.ComparisonOperator {
  /// The operator that holds for two numbers when this one does not.
  fileprivate var negated: Self {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }
}

extension Condition {
  /// The paths of a single comparison; empty for everything else.
  var leafPaths: [PropertyPath] {
    switch self {
    case .comparison(let left, _, let right, _), .text(let left, _, let right, _):
      left.paths + right.paths
    case .oneOf(let operand, _, _), .between(let operand, _, _, _), .matches(let operand, _, _):
      operand.paths
    case .always, .never, .quantified, .all, .any, .not: []
    }
  }

  /// The paths of a single comparison with those of the lists of which it takes numbers.
  fileprivate var pathsWithLists: [PropertyPath] {
    switch self {
    case .comparison(let left, _, let right, _), .text(let left, _, let right, _):
      left.pathsWithLists + right.pathsWithLists
    case .oneOf(let operand, _, _), .between(let operand, _, _, _), .matches(let operand, _, _):
      operand.pathsWithLists
    case .always, .never, .quantified, .all, .any, .not: []
    }
  }

  /// A comparison with other paths.
  ///
  /// - Parameter lists: Whether the paths of lists are changed as well.
  fileprivate func mappingLeafPaths(
    lists: Bool = false, _ change: (PropertyPath) -> PropertyPath
  ) -> Condition {
    switch self {
    case .comparison(let left, let comparison, let right, let folding):
      .comparison(
        left.mappingPaths(lists, change), comparison, right.mappingPaths(lists, change), folding)
    case .text(let left, let match, let right, let folding):
      .text(left.mappingPaths(lists, change), match, right.mappingPaths(lists, change), folding)
    case .oneOf(let operand, let values, let folding):
      .oneOf(operand.mappingPaths(lists, change), values, folding)
    case .between(let operand, let lower, let upper, let folding):
      .between(operand.mappingPaths(lists, change), lower, upper, folding)
    case .matches(let operand, let pattern, let folding):
      .matches(operand.mappingPaths(lists, change), pattern, folding)
    case .always, .never, .quantified, .all, .any, .not: self
    }
  }

  /// Whether a comparison of operands without a value is true.
  fileprivate var holdsWithoutValue: Bool {
    switch self {
    case .comparison(let left, let comparison, let right, _):
      let isNull = (left.isAlwaysNull ?? true, right.isAlwaysNull ?? true)
      switch comparison {
      case .equal: return isNull.0 && isNull.1
      case .notEqual: return isNull.0 != isNull.1
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return false
      }
    case .oneOf(_, let values, _): return values.contains(where: \.isNull)
    case .always, .never, .quantified, .all, .any, .not, .between, .text, .matches: return false
    }
  }
}

extension Condition.Operand {
  var paths: [PropertyPath] {
    switch self {
    case .property(let path): [path]
    case .value, .count, .listNumber, .groupNumber: []
    case .arithmetic(let left, _, let right): left.paths + right.paths
    }
  }

  fileprivate var pathsWithLists: [PropertyPath] {
    switch self {
    case .property(let path), .count(let path, _), .listNumber(_, let path, _, _): [path]
    case .value, .groupNumber: []
    case .arithmetic(let left, _, let right): left.pathsWithLists + right.pathsWithLists
    }
  }

  fileprivate func mappingPaths(_ lists: Bool, _ change: (PropertyPath) -> PropertyPath)
    -> Condition.Operand
  {
    switch self {
    case .property(let path): .property(change(path))
    case .count(let list, let condition) where lists: .count(list: change(list), condition)
    case .listNumber(let function, let list, let property, let condition) where lists:
      .listNumber(function, list: change(list), of: property, condition)
    case .value, .count, .listNumber, .groupNumber: self
    case .arithmetic(let left, let operation, let right):
      .arithmetic(left.mappingPaths(lists, change), operation, right.mappingPaths(lists, change))
    }
  }

  /// Whether a value is null; `nil` for what is computed of properties.
  fileprivate var isAlwaysNull: Bool? {
    switch self {
    case .value(let value): return value.isNull
    case .property, .count, .listNumber, .groupNumber: return nil
    case .arithmetic(let left, _, let right):
      // Without properties it is computed beforehand, and has a value when both sides have.
      guard paths.isEmpty else { return nil }
      return left.isAlwaysNull == true || right.isAlwaysNull == true
    }
  }
}
