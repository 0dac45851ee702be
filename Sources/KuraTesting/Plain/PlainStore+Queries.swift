package import Kura

/// Queries over several models, by names and paths.
extension PlainStore {
  /// The records of a query, all properties.
  package func records(_ query: Query) -> [[StoredValue]] {
    guard let model = schema.model(named: query.model), let evaluator = evaluators[model.name]
    else { return [] }
    let layout = evaluator.layout
    let keyOrder = layout.keyColumns.map { BoundSortTerm(column: $0) }
    var found = (tables[model.name] ?? []).filter { holds(query.condition, $0, model) }
    found.sort { evaluator.isBefore($0, $1, keyOrder) }
    if let distinct = query.distinct?.compactMap({ model.place(of: $0.description) }) {
      var kept: [[StoredValue]] = []
      for row in found
      where !kept.contains(where: { other in distinct.allSatisfy { isEqual(row[$0], other[$0]) } })
      {
        kept.append(row)
      }
      found = kept
    }
    let terms = self.terms(query.order, model)
    found.sort { evaluator.isBefore($0, $1, terms + keyOrder) }
    return Array(found.dropFirst(query.offset).prefix(query.limit ?? .max))
  }

  private func terms(_ order: [SortTerm], _ model: ModelDescription) -> [BoundSortTerm] {
    order.compactMap { term in
      model.place(of: term.property.description)
        .map { BoundSortTerm(column: $0, isDescending: term.isDescending) }
    }
  }

  /// The rows of a query with columns or groups; `nil` when one of its numbers is an error.
  package func rows(_ query: Query) -> [[StoredValue]]? {
    guard let model = schema.model(named: query.model), let evaluator = evaluators[model.name]
    else { return nil }
    let isOfNumbers =
      query.columns?.allSatisfy { column in
        if case .property = column { false } else { true }
      } ?? false
    guard query.groups != nil || isOfNumbers else {
      let columns = query.columns ?? model.properties.map { .property(PropertyPath([$0.name])) }
      return records(query).map { row in
        columns.map { column in
          if case .property(let path) = column { value(path.names[...], row, model) } else { .null }
        }
      }
    }
    let groups = (query.groups ?? []).compactMap { model.place(of: $0.description) }
    let columns =
      query.columns ?? (query.groups ?? []).map { .property($0) } + [.count]
    var all = Query(query.model, where: query.condition)
    all.order = query.order
    let order =
      terms(query.order, model)
      + (groups + evaluator.layout.keyColumns).map { BoundSortTerm(column: $0) }
    let found = records(all).sorted { evaluator.isBefore($0, $1, order) }
    var parts: [[[StoredValue]]] = groups.isEmpty ? [[]] : []
    for row in found {
      if let first = parts.last?.first, groups.allSatisfy({ isEqual(row[$0], first[$0]) }) {
        parts[parts.count - 1].append(row)
      } else if groups.isEmpty {
        parts[0].append(row)
      } else {
        parts.append([row])
      }
    }
    var rows: [[StoredValue]] = []
    for part in parts.dropFirst(query.offset).prefix(query.limit ?? .max) {
      var row: [StoredValue] = []
      for column in columns {
        guard let value = number(column, part, model, evaluator) else { return nil }
        row.append(value)
      }
      rows.append(row)
    }
    return rows
  }

  private func number(
    _ column: QueryColumn, _ rows: [[StoredValue]], _ model: ModelDescription,
    _ evaluator: PlainEvaluator
  ) -> StoredValue? {
    func place(_ path: PropertyPath) -> Int { model.place(of: path.description) ?? 0 }
    switch column {
    case .property(let path): return rows.first.map { $0[place(path)] } ?? .null
    case .count: return evaluator.aggregate(.count, over: rows)
    case .minimum(let path):
      return evaluator.aggregate(.minimum(column: place(path)), over: rows)
    case .maximum(let path):
      return evaluator.aggregate(.maximum(column: place(path)), over: rows)
    case .sum(let path): return evaluator.aggregate(.sum(column: place(path)), over: rows)
    case .average(let path): return evaluator.aggregate(.average(column: place(path)), over: rows)
    }
  }

  // MARK: Conditions

  /// Whether a record fulfils a condition.
  package func holds(_ condition: Condition, _ row: [StoredValue], _ model: ModelDescription)
    -> Bool
  {
    guard let evaluator = evaluators[model.name] else { return false }
    func side(_ operand: Condition.Operand, _ folding: TextComparison, isPattern: Bool = false)
      -> StoredValue
    {
      value(operand, row, model, evaluator).folded(folding, isPattern: isPattern)
    }
    switch condition {
    case .always: return true
    case .never: return false
    case .comparison(let left, let comparison, let right, let folding):
      return evaluator.holds(side(left, folding), comparison, side(right, folding))
    case .oneOf(let operand, let values, let folding):
      return values.contains { evaluator.holds(side(operand, folding), .equal, $0.folded(folding)) }
    case .between(let operand, let lower, let upper, let folding):
      let value = side(operand, folding)
      return evaluator.holds(value, .greaterOrEqual, lower.folded(folding))
        && evaluator.holds(value, .lessOrEqual, upper.folded(folding))
    case .text(let left, let match, let right, let folding):
      return evaluator.holds(
        side(left, folding), match, side(right, folding, isPattern: match == .like))
    case .matches(let operand, let pattern, let folding):
      return evaluator.fits(side(operand, []), pattern, folding)
    case .quantified(let quantifier, let list, let inner):
      return holds(quantifier, list, inner, row, model)
    case .all(let parts): return parts.allSatisfy { holds($0, row, model) }
    case .any(let parts): return parts.contains { holds($0, row, model) }
    case .not(let part): return !holds(part, row, model)
    }
  }

  private func holds(
    _ quantifier: Condition.Quantifier, _ list: PropertyPath?, _ inner: Condition,
    _ row: [StoredValue], _ model: ModelDescription
  ) -> Bool {
    var (path, inner) = (list?.names ?? [], inner)
    if list == nil {
      guard let names = inner.firstPath, let place = listPlace(names, model) else { return false }
      path = Array(names[...place])
      inner = inner.mappingPaths { Array($0.dropFirst(place + 1)) }
    }
    // Where a reference leads nowhere there is no record that could fulfil anything, or not.
    let (target, rows) = elements(path[...], row, model) ?? (model, [])
    let condition = inner.mappingPaths { $0.isEmpty ? target.primaryKey : $0 }
    switch quantifier {
    case .any: return rows.contains { holds(condition, $0, target) }
    case .all: return rows.allSatisfy { holds(condition, $0, target) }
    case .none: return !rows.contains { holds(condition, $0, target) }
    }
  }

  /// Which of the names of a path is a list.
  private func listPlace(_ names: [String], _ model: ModelDescription) -> Int? {
    var model = model
    for (place, name) in names.enumerated() {
      if listModel(name, of: model) != nil { return place }
      guard let target = model.reference(name).flatMap({ schema.model(named: $0.target) }) else {
        return nil
      }
      model = target
    }
    return nil
  }

  private func listModel(_ list: String, of model: ModelDescription) -> ModelDescription? {
    schema.models.first {
      $0.list?.property == list && $0.reference(ListDescription.owner)?.target == model.name
    }
  }

  /// The records that a list holds; `nil` when a reference before it leads nowhere.
  private func elements(
    _ names: ArraySlice<String>, _ row: [StoredValue], _ model: ModelDescription
  ) -> (ModelDescription, [[StoredValue]])? {
    guard let name = names.first else { return nil }
    guard names.count == 1 else {
      return referred(name, row, model).flatMap { elements(names.dropFirst(), $1, $0) }
    }
    let found = listModel(name, of: model)
    guard let found, let owner = found.place(of: ListDescription.owner),
      let column = found.place(of: ListDescription.target),
      let targetName = found.reference(ListDescription.target)?.target,
      let target = schema.model(named: targetName)
    else { return nil }
    let own = key(row, model)
    var rows: [[StoredValue]] = []
    for element in tables[found.name] ?? [] where isEqual(element[owner], own[0]) {
      if let place = self.place([element[column]], target), let all = tables[target.name] {
        rows.append(all[place])
      }
    }
    return (target, rows)
  }

  private func referred(_ name: String, _ row: [StoredValue], _ model: ModelDescription)
    -> (ModelDescription, [StoredValue])?
  {
    guard let column = model.place(of: name),
      let target = model.properties[column].reference.flatMap({ schema.model(named: $0.target) }),
      let place = self.place([row[column]], target), let found = tables[target.name]?[place]
    else { return nil }
    return (target, found)
  }

  private func value(
    _ names: ArraySlice<String>, _ row: [StoredValue], _ model: ModelDescription
  ) -> StoredValue {
    guard let name = names.first else { return .null }
    if names.count == 1 { return model.place(of: name).map { row[$0] } ?? .null }
    return referred(name, row, model).map { value(names.dropFirst(), $1, $0) } ?? .null
  }

  private func value(
    _ operand: Condition.Operand, _ row: [StoredValue], _ model: ModelDescription,
    _ evaluator: PlainEvaluator
  ) -> StoredValue {
    switch operand {
    case .property(let path): return value(path.names[...], row, model)
    case .value(let value): return value
    case .arithmetic(let left, let operation, let right):
      return evaluator.compute(
        value(left, row, model, evaluator), operation, value(right, row, model, evaluator))
    case .count(let list, let inner):
      guard let (target, rows) = elements(list.names[...], row, model) else { return .null }
      return .integer(Int64(rows.count { holds(inner, $0, target) }))
    case .listNumber(let function, let list, let property, let inner):
      guard let (target, rows) = elements(list.names[...], row, model),
        let column = target.place(of: property.description), let plain = evaluators[target.name]
      else { return .null }
      let number: AggregateRequest.Function =
        switch function {
        case .minimum: .minimum(column: column)
        case .maximum: .maximum(column: column)
        case .sum: .sum(column: column)
        case .average: .average(column: column)
        }
      return plain.aggregate(number, over: rows.filter { holds(inner, $0, target) }) ?? .null
    case .groupNumber: return .null
    }
  }
}

extension Condition {
  /// The names of the first property of a single comparison.
  var firstPath: [String]? {
    var first: [String]?
    _ = mappingPaths { names in
      if first == nil { first = names }
      return names
    }
    return first
  }

  /// A single comparison with other paths.
  func mappingPaths(_ change: ([String]) -> [String]) -> Condition {
    switch self {
    case .comparison(let left, let comparison, let right, let folding):
      .comparison(left.mapping(change), comparison, right.mapping(change), folding)
    case .text(let left, let match, let right, let folding):
      .text(left.mapping(change), match, right.mapping(change), folding)
    case .oneOf(let operand, let values, let folding):
      .oneOf(operand.mapping(change), values, folding)
    case .between(let operand, let lower, let upper, let folding):
      .between(operand.mapping(change), lower, upper, folding)
    case .matches(let operand, let pattern, let folding):
      .matches(operand.mapping(change), pattern, folding)
    case .always, .never, .quantified, .all, .any, .not: self
    }
  }
}

extension Condition.Operand {
  fileprivate func mapping(_ change: ([String]) -> [String]) -> Condition.Operand {
    switch self {
    case .property(let path): .property(PropertyPath(change(path.names)))
    case .value, .count, .listNumber, .groupNumber: self
    case .arithmetic(let left, let operation, let right):
      .arithmetic(left.mapping(change), operation, right.mapping(change))
    }
  }
}
