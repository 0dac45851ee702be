package import Kura

/// What is asked of a store.
package struct RelationQuestion: Sendable {
  /// The query.
  package var query: Query
  /// Numbers over its records; none for a query of rows.
  package var aggregates: [ReadTransaction.Aggregate]

  /// Whether the answer is whole records.
  var isOfRecords: Bool { aggregates.isEmpty && query.columns == nil && query.groups == nil }

  /// Makes a question.
  package init(_ query: Query, _ aggregates: [ReadTransaction.Aggregate] = []) {
    self.query = query
    self.aggregates = aggregates
  }
}

extension GeneratedRelations {
  /// A random question.
  package func question(_ random: inout RepeatableGenerator) -> RelationQuestion {
    let model = schema.models.randomElement(using: &random) ?? schema.models[0]
    var query = Query(model.name, where: condition(model, depth: 2, &random))
    if Bool.random(using: &random) { query.order = order(model.properties, &random) }
    if Int.random(in: 0..<4, using: &random) == 0 {
      query.limit = Int.random(in: 0...6, using: &random)
    }
    if Int.random(in: 0..<5, using: &random) == 0 {
      query.offset = Int.random(in: 0...3, using: &random)
    }
    let numbers = model.properties.filter { [.integer, .double, .decimal].contains($0.type) }
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      // Groups, and mostly numbers over each.
      let groups = Array(
        model.properties.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
      query.groups = groups.map { PropertyPath([$0.name]) }
      query.order = Bool.random(using: &random) ? order(groups, &random) : []
      var columns = groups.map { QueryColumn.property(PropertyPath([$0.name])) }
      columns += numberColumns(model, numbers, &random)
      if Int.random(in: 0..<4, using: &random) > 0 { query.columns = columns }
    case 1:
      query.columns = numberColumns(model, numbers, &random)
      if query.columns?.isEmpty == true { query.columns = nil }
    case 2:
      query.columns = model.properties.shuffled(using: &random).prefix(2)
        .map { .property(PropertyPath([$0.name])) }
    case 3:
      if Bool.random(using: &random) {
        query.distinct = model.properties.shuffled(using: &random).prefix(2)
          .map { PropertyPath([$0.name]) }
      }
      let name = model.properties.randomElement(using: &random)?.name ?? ""
      var aggregates: [ReadTransaction.Aggregate] = [.count, .minimum(name), .maximum(name)]
      if let number = numbers.randomElement(using: &random)?.name {
        aggregates += [.sum(number), .average(number)]
      }
      return RelationQuestion(query, aggregates)
    default:
      if Int.random(in: 0..<4, using: &random) == 0 {
        query.distinct = model.properties.shuffled(using: &random).prefix(2)
          .map { PropertyPath([$0.name]) }
      }
    }
    return RelationQuestion(query)
  }

  private func order(_ properties: [PropertyDescription], _ random: inout RepeatableGenerator)
    -> [SortTerm]
  {
    properties.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)).map {
      SortTerm(PropertyPath([$0.name]), isDescending: Bool.random(using: &random))
    }
  }

  private func numberColumns(
    _ model: ModelDescription, _ numbers: [PropertyDescription],
    _ random: inout RepeatableGenerator
  ) -> [QueryColumn] {
    var columns: [QueryColumn] = [.count]
    if let name = model.properties.randomElement(using: &random)?.name {
      columns += [.minimum(PropertyPath([name])), .maximum(PropertyPath([name]))]
    }
    if let name = numbers.randomElement(using: &random)?.name {
      columns += [.sum(PropertyPath([name])), .average(PropertyPath([name]))]
    }
    return Array(columns.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)))
  }

  // MARK: Conditions

  /// A random condition on the records of a model.
  package func condition(
    _ model: ModelDescription, depth: Int, _ random: inout RepeatableGenerator
  ) -> Condition {
    switch Int.random(in: 0..<(depth > 0 ? 14 : 8), using: &random) {
    case 0: return Int.random(in: 0..<4, using: &random) == 0 ? .never : .always
    case 1, 2, 3, 4: return leaf(model, [], &random)
    case 5, 6, 7: return throughReference(model, [], &random) ?? leaf(model, [], &random)
    case 8, 9: return throughList(model, depth, &random) ?? leaf(model, [], &random)
    case 10: return .not(condition(model, depth: depth - 1, &random))
    default:
      let count = Int.random(in: 1...3, using: &random)
      let parts = (0..<count).map { _ in condition(model, depth: depth - 1, &random) }
      return Bool.random(using: &random) ? .all(parts) : .any(parts)
    }
  }

  private func throughReference(
    _ model: ModelDescription, _ prefix: [String], _ random: inout RepeatableGenerator
  ) -> Condition? {
    guard
      let reference = model.properties.filter({ $0.reference != nil })
        .randomElement(using: &random),
      let target = reference.reference.flatMap({ schema.model(named: $0.target) })
    else { return nil }
    let prefix = prefix + [reference.name]
    if prefix.count < 3, Int.random(in: 0..<3, using: &random) == 0,
      let further = throughReference(target, prefix, &random)
    {
      return further
    }
    return leaf(target, prefix, &random)
  }

  private func throughList(
    _ model: ModelDescription, _ depth: Int, _ random: inout RepeatableGenerator
  ) -> Condition? {
    var (path, model) = ([] as [String], model)
    // Now and then the list of a record that this one refers to.
    if Int.random(in: 0..<3, using: &random) == 0,
      let reference = model.properties.filter({ $0.reference != nil })
        .randomElement(using: &random),
      let target = reference.reference.flatMap({ schema.model(named: $0.target) })
    {
      (path, model) = ([reference.name], target)
    }
    let keepers = schema.models.filter {
      $0.list != nil && $0.reference(ListDescription.owner)?.target == model.name
    }
    guard let keeper = keepers.randomElement(using: &random), let name = keeper.list?.property,
      let target = keeper.reference(ListDescription.target)
        .flatMap({ schema.model(named: $0.target) })
    else { return nil }
    path.append(name)
    let quantifier = Condition.Quantifier.allCases.randomElement(using: &random) ?? .any
    switch Int.random(in: 0..<5, using: &random) {
    case 4: return listNumber(path, target, depth, &random)
    case 0:
      let comparison = Condition.ComparisonOperator.allCases.randomElement(using: &random)
      let number = Condition.Operand.value(.integer(Int64.random(in: -1...3, using: &random)))
      let inner: Condition =
        Bool.random(using: &random) ? .always : condition(target, depth: depth - 1, &random)
      let count = Condition.Operand.count(list: PropertyPath(path), inner)
      return Bool.random(using: &random)
        ? .comparison(count, comparison ?? .equal, number)
        : .comparison(number, comparison ?? .equal, count)
    case 1:
      return .quantified(
        quantifier, list: PropertyPath(path), condition(target, depth: depth - 1, &random))
    default:
      // The form of `ANY list.name == 5`; the list itself stands for its records' keys.
      if Int.random(in: 0..<5, using: &random) == 0,
        let key = target.property(named: target.primaryKey[0])
      {
        return .quantified(
          quantifier, list: nil,
          .comparison(
            .property(PropertyPath(path)), .equal, .value(value(key, target, &random))))
      }
      return .quantified(quantifier, list: nil, leaf(target, path, &random))
    }
  }

  /// A comparison of a number over a list.
  private func listNumber(
    _ path: [String], _ target: ModelDescription, _ depth: Int,
    _ random: inout RepeatableGenerator
  ) -> Condition? {
    let function = Condition.ListFunction.allCases.randomElement(using: &random) ?? .minimum
    let isOfAnyType = function == .minimum || function == .maximum
    let properties = target.properties.filter {
      isOfAnyType || [.integer, .double, .decimal].contains($0.type)
    }
    guard let property = properties.randomElement(using: &random) else { return nil }
    let inner: Condition =
      Bool.random(using: &random) ? .always : condition(target, depth: depth - 1, &random)
    let number = Condition.Operand.listNumber(
      function, list: PropertyPath(path), of: PropertyPath([property.name]), inner)
    let comparison = Condition.ComparisonOperator.allCases.randomElement(using: &random) ?? .equal
    // An average is a double, which no decimal compares with.
    let literal =
      function == .average && property.type == .decimal
      ? .double(Double(Int64.random(in: -8...8, using: &random)) / 4)
      : value(property, target, &random)
    let other = Condition.Operand.value(literal)
    return Bool.random(using: &random)
      ? .comparison(number, comparison, other) : .comparison(other, comparison, number)
  }

  private func value(
    _ property: PropertyDescription, _ model: ModelDescription,
    _ random: inout RepeatableGenerator
  ) -> StoredValue {
    if Int.random(in: 0..<10, using: &random) == 0 { return .null }
    if Int.random(in: 0..<4, using: &random) > 0, let column = model.place(of: property.name),
      let row = (sample.tables[model.name] ?? []).randomElement(using: &random)
    {
      return row[column]
    }
    var property = property
    property.isOptional = false
    return GeneratedStore.value(of: property, isLong: false, &random)
  }

  /// A single comparison of properties of one model, which a path leads to.
  private func leaf(
    _ model: ModelDescription, _ prefix: [String], _ random: inout RepeatableGenerator
  ) -> Condition {
    func operand(_ property: PropertyDescription) -> Condition.Operand {
      .property(PropertyPath(prefix + [property.name]))
    }
    let property = model.properties.randomElement(using: &random) ?? model.properties[0]
    let comparison = Condition.ComparisonOperator.allCases.randomElement(using: &random) ?? .equal
    func literal(_ random: inout RepeatableGenerator) -> StoredValue {
      value(property, model, &random)
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      return .oneOf(
        operand(property), (0..<Int.random(in: 0...4, using: &random)).map { _ in literal(&random) }
      )
    case 1:
      return .between(operand(property), literal(&random), literal(&random))
    case 2:
      // One property with another of the same record.
      let same = model.properties.filter { $0.type == property.type }
      let other = same.randomElement(using: &random) ?? property
      return .comparison(operand(property), comparison, operand(other))
    case 3:
      return arithmetic(model, prefix, &random)
        ?? .comparison(operand(property), comparison, .value(literal(&random)))
    case 4, 5:
      return text(model, prefix, &random)
        ?? .comparison(operand(property), comparison, .value(literal(&random)))
    case 6:
      return .comparison(.value(literal(&random)), comparison, operand(property))
    default: return .comparison(operand(property), comparison, .value(literal(&random)))
    }
  }

  private func text(
    _ model: ModelDescription, _ prefix: [String], _ random: inout RepeatableGenerator
  ) -> Condition? {
    let layout = ModelLayout(model)
    let condition =
      Bool.random(using: &random)
      ? RandomCondition.folded(layout, &random) : RandomCondition.text(layout, &random)
    return condition.flatMap { named($0, layout, prefix) }
  }

  private func arithmetic(
    _ model: ModelDescription, _ prefix: [String], _ random: inout RepeatableGenerator
  ) -> Condition? {
    let numbers = model.properties.filter { [.integer, .double].contains($0.type) }
    guard let first = numbers.randomElement(using: &random) else { return nil }
    func side(_ random: inout RepeatableGenerator) -> Condition.Operand {
      if Bool.random(using: &random), let other = numbers.randomElement(using: &random) {
        return .property(PropertyPath(prefix + [other.name]))
      }
      return .value(.integer(Int64.random(in: -2...3, using: &random)))
    }
    let operation = Condition.ArithmeticOperator.allCases.randomElement(using: &random) ?? .add
    let comparison = Condition.ComparisonOperator.allCases.randomElement(using: &random) ?? .less
    let computed = Condition.Operand.arithmetic(
      .property(PropertyPath(prefix + [first.name])), operation, side(&random))
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .comparison(computed, comparison, .value(.null))
    case 1:
      // Values alone, which are computed before anything is read.
      let known = Condition.Operand.arithmetic(
        .value(1), .add, .value(.integer(Int64.random(in: -2...2, using: &random))))
      return .comparison(
        .property(PropertyPath(prefix + [first.name])), comparison, known)
    case 2: return .comparison(side(&random), comparison, computed)
    default: return .comparison(computed, comparison, side(&random))
    }
  }

  /// A condition on columns as one on properties.
  private func named(_ condition: BoundCondition, _ layout: ModelLayout, _ prefix: [String])
    -> Condition?
  {
    func property(_ column: Int) -> Condition.Operand {
      .property(PropertyPath(prefix + [layout.columns[column].name]))
    }
    func operand(_ operand: BoundOperand) -> Condition.Operand {
      switch operand {
      case .column(let column): property(column)
      case .value(let value): .value(value)
      case .arithmetic(let left, let operation, let right):
        .arithmetic(named(left), operation, named(right))
      }
    }
    func named(_ side: BoundOperand) -> Condition.Operand { operand(side) }
    switch condition {
    case .compare(let left, let comparison, let right, let folding):
      return .comparison(operand(left), comparison, operand(right), folding)
    case .contained(let side, let values, let folding):
      return .oneOf(operand(side), values, folding)
    case .match(let left, let match, let right, let folding):
      return .text(operand(left), match, operand(right), folding)
    case .matches(let side, let pattern, let folding):
      return .matches(operand(side), pattern, folding)
    case .textValue(let column, let match, let value):
      if case .data = value, match == .like { return nil }
      return .text(property(column), match, .value(value))
    case .textColumns(let left, let match, let right):
      let types = (layout.columns[left].type, layout.columns[right].type)
      guard (types.0 == .data) == (types.1 == .data), match != .like || types.0 != .data else {
        return nil
      }
      return .text(property(left), match, property(right))
    default: return nil
    }
  }
}
