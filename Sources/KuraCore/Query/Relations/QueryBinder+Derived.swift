/// Columns that other records give: paths through references and numbers over lists.
extension QueryBinder {
  /// A comparison of which the operands that are more than a column are derived columns; the number
  /// of a list's elements beside an integer stays, because keys can be looked up for it.
  func bindingOperands(of condition: Condition, depth: Int) throws(StoreError) -> Condition {
    switch condition {
    case .comparison(.count(let list, let inner), _, .value(.integer), _),
      .comparison(.value(.integer), _, .count(let list, let inner), _):
      if let place = placeOfList(in: list), place < list.names.count - 1 {
        throw error(
          inner == .always
            ? "@count counts a list's elements, not a property of them"
            : "a condition on the records of a list needs the list alone", list)
      }
      return condition
    case .comparison(let left, let comparison, let right, let folding):
      return .comparison(
        try columned(left, depth), comparison, try columned(right, depth), folding)
    case .text(let left, let match, let right, let folding):
      return .text(try columned(left, depth), match, try columned(right, depth), folding)
    case .oneOf(let operand, let values, let folding):
      return .oneOf(try columned(operand, depth), values, folding)
    case .between(let operand, let lower, let upper, let folding):
      return .between(try columned(operand, depth), lower, upper, folding)
    case .matches(let operand, let pattern, let folding):
      return .matches(try columned(operand, depth), pattern, folding)
    case .always, .never, .quantified, .all, .any, .not: return condition
    }
  }

  private func columned(_ operand: Condition.Operand, _ depth: Int) throws(StoreError)
    -> Condition.Operand
  {
    guard depth <= QueryParser.maximumDepth else {
      throw error("an operand is nested too deeply", operand.firstPath)
    }
    switch operand {
    case .property(let path):
      guard path.names.count > 1 else { return operand }
      return .property(path.bound(to: try column(path)))
    case .value: return operand
    case .arithmetic(let left, let operation, let right):
      return .arithmetic(
        try columned(left, depth + 1), operation, try columned(right, depth + 1))
    case .count(let list, let condition):
      return .property(list.bound(to: try listColumn(nil, list, nil, condition, depth)))
    case .listNumber(let function, let list, let property, let condition):
      return .property(
        list.bound(to: try listColumn(function, list, property, condition, depth)))
    case .groupNumber(let column): throw groupNumberOutside(column)
    }
  }

  func groupNumberOutside(_ column: QueryColumn) -> StoreError {
    error(
      "\(column) is a number over a group, and this is a condition on records", column.path,
      suggestion: "write HAVING(\(column) > 3), or name the list: items.\(column)")
  }

  func noList(_ name: String, _ path: PropertyPath) -> StoreError {
    let hint = closestMatch(name, in: catalogue?.lists(of: layout.name) ?? [])
    return error(
      "\"\(layout.name)\" has no list \"\(name.prefix(80))\"", path,
      suggestion: hint.map { "did you mean \($0)?" }, code: .unknownProperty)
  }

  // MARK: Paths

  /// The column of a path through references.
  func derivedColumn(_ path: PropertyPath) throws(StoreError) -> Int {
    let (steps, last) = try steps(along: path.without(last: 1), of: path)
    guard let name = path.names.last else { throw error("a path names no property", path) }
    let index = try last.column(path.only(name))
    let found = last.described(index)
    return try add(
      DerivedColumn(
        name: path.description, type: found.type, steps: steps, content: .column(index)), path)
  }

  /// The references that a path consists of, and what binds at their end.
  private func steps(along references: PropertyPath, of path: PropertyPath) throws(StoreError)
    -> (steps: [DerivedColumn.Step], last: QueryBinder)
  {
    guard references.names.count <= QueryParser.maximumDepth else {
      throw error("a path is too long", path)
    }
    guard let catalogue else {
      throw error(
        "paths through references need the store's own schema", path, code: .unsupportedQuery)
    }
    var binder = self
    var steps: [DerivedColumn.Step] = []
    for name in references.names {
      if catalogue.list(name, of: binder.layout.name) != nil {
        throw error(
          "\"\(name)\" is a list, whose records have more than one value", path,
          suggestion: "take a number, such as \(name).@count or @min, @max, @sum, @avg")
      }
      let index = try binder.column(path.only(name))
      let column = binder.layout.columns[index].name
      guard let target = catalogue.target(of: column, in: binder.layout.name) else {
        throw error("\"\(binder.layout.name)\".\"\(column)\" is no reference", path)
      }
      steps.append(DerivedColumn.Step(column: index, target: target))
      binder = QueryBinder(layout: target, catalogue: catalogue)
    }
    return (steps, binder)
  }

  // MARK: Lists

  /// The column of a number over a list; without a function of the number of its elements.
  private func listColumn(
    _ function: Condition.ListFunction?, _ list: PropertyPath, _ property: PropertyPath?,
    _ condition: Condition, _ depth: Int
  ) throws(StoreError) -> Int {
    let whole = list.followed(by: property)
    guard let place = placeOfList(in: whole) else {
      throw error(
        "\"\(whole)\" does not go through a list", list,
        suggestion: "\((function?.rawValue ?? "@count")) is about the records of a list",
        code: try listError(whole))
    }
    let (steps, owner) = try steps(along: whole.without(last: whole.names.count - place), of: list)
    let name = whole.names[place]
    guard let (keeper, target) = catalogue?.list(name, of: owner.layout.name) else {
      throw owner.noList(name, list)
    }
    if condition != .always, place != list.names.count - 1 {
      throw error("a condition on the records of a list needs the list alone", list)
    }
    let inner = QueryBinder(layout: target, catalogue: catalogue)
    var path = PropertyPath(Array(whole.names.dropFirst(place + 1)))
    path.location = list.location
    let (number, type) = try inner.number(function, path, list)
    let bound = try inner.bind(condition, depth: depth + 1)
    let label = function?.rawValue ?? "@count"
    let shown =
      bound == .always
      ? "\(whole).\(label)"
      : "SUBQUERY(\(PropertyPath(Array(whole.names[...place]))), $x, "
        + "\(bound.text(target.extended(by: inner.derived.columns)))).\(label)"
        + (path.names.isEmpty ? "" : ".\(path)")
    return try add(
      DerivedColumn(
        name: shown, type: type, isOptional: function != nil || !steps.isEmpty, steps: steps,
        content: .list(
          BoundListNumber(
            keeper: keeper, target: target, function: number, condition: bound,
            derived: inner.derived.columns))), list)
  }

  /// Where in a path the first list stands.
  private func placeOfList(in path: PropertyPath) -> Int? {
    var model = layout
    for (place, name) in path.names.enumerated() {
      if catalogue?.list(name, of: model.name) != nil { return place }
      guard let next = catalogue?.target(of: name, in: model.name) else { return nil }
      model = next
    }
    return nil
  }

  /// Throws what is wrong with the names of a path that goes through no list, if they are.
  private func listError(_ path: PropertyPath) throws(StoreError) -> StoreError.Code {
    guard let catalogue else { return .unsupportedQuery }
    var binder = self
    for name in path.names {
      guard let next = catalogue.target(of: name, in: binder.layout.name) else {
        if binder.layout.index(of: name) == nil { throw binder.noList(name, path) }
        return .invalidQuery
      }
      binder = QueryBinder(layout: next, catalogue: catalogue)
    }
    return .invalidQuery
  }

  /// A function over a property of a list's records with the type of its result.
  private func number(
    _ function: Condition.ListFunction?, _ path: PropertyPath, _ list: PropertyPath
  ) throws(StoreError) -> (AggregateRequest.Function, ValueType) {
    guard let function else {
      guard path.names.isEmpty else {
        throw error("@count counts a list's elements, not a property of them", list)
      }
      return (.count, .integer)
    }
    guard !path.names.isEmpty else {
      throw error(
        "\(function.rawValue) needs a property of the list's records", list,
        suggestion: "write \(list).property.\(function.rawValue)")
    }
    let index = try column(path)
    let type = described(index).type
    switch function {
    case .minimum: return (.minimum(column: index), type)
    case .maximum: return (.maximum(column: index), type)
    case .sum, .average: break
    }
    switch type {
    case .integer, .double, .decimal, .any: break
    case .bool, .date, .text, .data, .uuid, .objectID, .json:
      throw error(
        "\(function.rawValue) needs numbers, and \"\(path)\" is \(type.rawValue)", list)
    }
    return function == .sum
      ? (.sum(column: index), type) : (.average(column: index), .double)
  }
}

extension PropertyPath {
  /// The path with the column that it was found to name.
  func bound(to column: Int) -> PropertyPath {
    var path = PropertyPath([description])
    path.location = location
    path.boundColumn = column
    return path
  }

  /// The path without its last names.
  fileprivate func without(last count: Int) -> PropertyPath {
    var path = PropertyPath(Array(names.dropLast(count)))
    path.location = location
    return path
  }

  /// One name at the path's place.
  fileprivate func only(_ name: String) -> PropertyPath {
    var path = PropertyPath([name])
    path.location = location
    return path
  }

  fileprivate func followed(by other: PropertyPath?) -> PropertyPath {
    var path = PropertyPath(names + (other?.names ?? []))
    path.location = location
    return path
  }
}

extension Condition {
  /// Whether the operands of a comparison are properties, values and arithmetic of them.
  var hasPlainOperands: Bool {
    switch self {
    case .comparison(let left, _, let right, _), .text(let left, _, let right, _):
      left.isPlain && right.isPlain
    case .oneOf(let operand, _, _), .between(let operand, _, _, _), .matches(let operand, _, _):
      operand.isPlain
    case .always, .never, .quantified, .all, .any, .not: true
    }
  }
}

extension Condition.Operand {
  fileprivate var isPlain: Bool {
    switch self {
    case .property, .value: true
    case .arithmetic(let left, _, let right): left.isPlain && right.isPlain
    case .count, .listNumber, .groupNumber: false
    }
  }
}
