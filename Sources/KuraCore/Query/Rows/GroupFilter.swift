/// A checked condition on groups: SQL's HAVING.
struct GroupFilter: Sendable {
  /// The numbers that the condition looks at.
  let functions: [AggregateRequest.Function]
  /// The condition on a row of the groups' columns and the numbers.
  let condition: BoundCondition
  /// The row's columns.
  let layout: ModelLayout

  /// Checks a condition on groups by some columns.
  init(_ condition: Condition, _ groups: [Int], _ binder: QueryBinder) throws(StoreError) {
    var finder = Finder(groups: groups, binder: binder)
    let found = try finder.found(condition, depth: 0)
    functions = finder.functions
    layout = ModelLayout(
      name: binder.layout.name, columns: groups.map(binder.described) + finder.columns,
      keyColumns: [], rowIDName: nil, isKuraModel: binder.layout.isKuraModel,
      // The names are in the query language already.
      storedCount: 0)
    self.condition = try QueryBinder(layout: layout).bind(found, depth: 0)
  }

  /// Looks for the groups and numbers that a condition names.
  private struct Finder {
    let groups: [Int]
    let binder: QueryBinder
    var functions: [AggregateRequest.Function] = []
    var columns: [ModelLayout.Column] = []

    /// The condition with the row's columns in the place of properties and numbers.
    mutating func found(_ condition: Condition, depth: Int) throws(StoreError) -> Condition {
      guard depth <= QueryParser.maximumDepth else {
        throw StoreError(
          .invalidQuery,
          "the condition is nested more than \(QueryParser.maximumDepth) levels deep")
      }
      switch condition {
      case .always, .never: return condition
      case .comparison(let left, let comparison, let right, let folding):
        return .comparison(
          try found(left, depth), comparison, try found(right, depth), folding)
      case .oneOf(let operand, let values, let folding):
        return .oneOf(try found(operand, depth), values, folding)
      case .between(let operand, let lower, let upper, let folding):
        return .between(try found(operand, depth), lower, upper, folding)
      case .text(let left, let match, let right, let folding):
        return .text(try found(left, depth), match, try found(right, depth), folding)
      case .matches(let operand, let pattern, let folding):
        return .matches(try found(operand, depth), pattern, folding)
      case .quantified(let quantifier, let list, let inner):
        throw binder.error(
          "\(quantifier.rawValue) is about the list of a record, and HAVING is about groups",
          list ?? inner.leafPaths.first, suggestion: "write the condition behind WHERE")
      case .all(let parts): return .all(try found(parts, depth))
      case .any(let parts): return .any(try found(parts, depth))
      case .not(let part): return .not(try found(part, depth: depth + 1))
      }
    }

    private mutating func found(_ parts: [Condition], _ depth: Int) throws(StoreError)
      -> [Condition]
    {
      var result: [Condition] = []
      for part in parts { result.append(try found(part, depth: depth + 1)) }
      return result
    }

    private mutating func found(_ operand: Condition.Operand, _ depth: Int) throws(StoreError)
      -> Condition.Operand
    {
      guard depth <= 2 * QueryParser.maximumDepth else {
        throw binder.error("an operand is nested too deeply", operand.firstPath)
      }
      switch operand {
      case .value: return operand
      case .property(let path):
        let place = groups.firstIndex(of: try binder.group(path, groups)) ?? 0
        return .property(path.bound(to: place))
      case .groupNumber(let column): return .property(try add(column))
      case .arithmetic(let left, let operation, let right):
        return .arithmetic(
          try found(left, depth + 1), operation, try found(right, depth + 1))
      case .count(let list, _), .listNumber(_, let list, _, _):
        throw binder.error(
          "a number over a list has more than one value in a group", list,
          suggestion: "write the condition behind WHERE")
      }
    }

    private mutating func add(_ column: QueryColumn) throws(StoreError) -> PropertyPath {
      let function = try binder.number(column)
      let path = column.path ?? PropertyPath([])
      var named = PropertyPath([column.description])
      named.location = path.location
      if let place = functions.firstIndex(of: function) {
        return named.bound(to: groups.count + place)
      }
      let type: ValueType =
        switch function {
        case .count: .integer
        case .average: .double
        case .minimum(let index), .maximum(let index), .sum(let index):
          binder.described(index).type
        }
      switch (function, type) {
      case (.sum, .integer), (.sum, .double), (.sum, .decimal), (.sum, .any): break
      case (.sum(let index), _), (.average(let index), _):
        let type = binder.described(index).type
        guard [.integer, .double, .decimal, .any].contains(type) else {
          throw binder.error(
            "\(column) needs numbers, and \"\(path)\" is \(type.rawValue)", path)
        }
      case (.count, _), (.minimum, _), (.maximum, _): break
      }
      functions.append(function)
      columns.append(
        ModelLayout.Column(
          name: column.description, type: type, isOptional: function != .count))
      return named.bound(to: groups.count + functions.count - 1)
    }
  }
}
