import Kura

/// Makes conditions of a type out of conditions by names, with the operators of its properties.
struct TypedForm<Root: Model> {
  private var leaves: [String: (Condition) -> TypedCondition<Root>?] = [:]
  private var lists: [String: (Condition) -> TypedCondition<Root>?] = [:]

  /// A property, or one behind references.
  mutating func add<Value: PropertyValue>(
    _ path: String, _ property: @escaping (Root.Properties) -> Property<Root, Value>
  ) {
    leaves[path] = { TypedForm.compared(property(Root.modelProperties), $0) }
  }

  /// A text, which has more operators.
  mutating func addText<Value: PropertyValue & TextValue>(
    _ path: String, _ property: @escaping (Root.Properties) -> Property<Root, Value>
  ) {
    leaves[path] = { condition in
      let property = property(Root.modelProperties)
      guard case .text(_, let match, .value(.text(let text)), []) = condition else {
        return TypedForm.compared(property, condition)
      }
      switch match {
      case .contains: return property.contains(text)
      case .beginsWith: return property.hasPrefix(text)
      case .endsWith: return property.hasSuffix(text)
      case .like: return property.like(text)
      }
    }
  }

  /// A reference.
  mutating func addReference<Target: Model>(
    _ name: String,
    _ property: @escaping (Root.Properties) -> ReferenceProperty<Root, Target>
  ) where Target.Key: PropertyValue {
    leaves[name] = { condition in
      let property = property(Root.modelProperties)
      guard case .comparison(_, let comparison, .value(let value), []) = condition,
        let key = TypedForm.read(Target.Key?.self, value)
      else { return nil }
      switch comparison {
      case .equal: return property == key.map { Reference<Target>($0) }
      case .notEqual: return property != key.map { Reference<Target>($0) }
      default: return nil
      }
    }
  }

  /// A list, and how conditions on its records are made.
  mutating func addList<Target: Model>(
    _ name: String, _ property: @escaping (Root.Properties) -> ListProperty<Root, Target>,
    _ inner: @escaping (Condition) -> TypedCondition<Target>?
  ) {
    lists[name] = { condition in
      let property = property(Root.modelProperties)
      switch condition {
      case .quantified(let quantifier, _?, let condition):
        guard let found = inner(condition) else { return nil }
        switch quantifier {
        case .any: return property.any { _ in found }
        case .all: return property.all { _ in found }
        case .none: return property.none { _ in found }
        }
      case .comparison(.count(_, let condition), let comparison, .value(.integer(let number)), _):
        let isOfAll = condition == .always
        guard let found = inner(condition) else { return nil }
        let count = isOfAll ? property.count : property.count { _ in found }
        switch comparison {
        case .equal: return count == Int(number)
        case .notEqual: return count != Int(number)
        case .less: return count < Int(number)
        case .lessOrEqual: return count <= Int(number)
        case .greater: return count > Int(number)
        case .greaterOrEqual: return count >= Int(number)
        }
      default: return nil
      }
    }
  }

  /// A condition of the type; `nil` when a part has no form.
  func condition(_ condition: Condition) -> TypedCondition<Root>? {
    switch condition {
    case .always: return .always
    case .never: return .never
    case .all(let parts): return joined(parts, .always) { $0 && $1 }
    case .any(let parts): return joined(parts, .never) { $0 || $1 }
    case .not(let part): return self.condition(part).map { !$0 }
    case .quantified(_, let list?, _): return lists[list.description]?(condition)
    case .quantified(let quantifier, nil, let inner):
      guard let path = inner.leafPath, path.names.count > 1, let make = lists[path.names[0]] else {
        return nil
      }
      let rest = inner.withLeafPath(PropertyPath(Array(path.names.dropFirst())))
      return make(.quantified(quantifier, list: PropertyPath([path.names[0]]), rest))
    case .comparison(.count(let list, _), _, _, _): return lists[list.description]?(condition)
    default:
      guard let path = condition.leafPath else { return nil }
      // Comparisons of two properties need both of one type, which a table by names does not tell.
      return leaves[path.description]?(condition)
    }
  }

  private func joined(
    _ parts: [Condition], _ empty: TypedCondition<Root>,
    _ join: (TypedCondition<Root>, TypedCondition<Root>) -> TypedCondition<Root>
  ) -> TypedCondition<Root>? {
    var result: TypedCondition<Root>?
    for part in parts {
      guard let next = condition(part) else { return nil }
      result = result.map { join($0, next) } ?? next
    }
    return result ?? empty
  }

  // MARK: Values

  private static func read<Value: PropertyValue>(_ type: Value.Type, _ value: StoredValue)
    -> Value?
  {
    let row = RowBuffer(columns: 1)
    row.setValue(value, at: 0)
    return Value(slot: row[0])
  }

  private static func compared<Value: PropertyValue>(
    _ property: Property<Root, Value>, _ condition: Condition
  ) -> TypedCondition<Root>? {
    switch condition {
    case .comparison(_, let comparison, .value(let stored), []):
      guard let value = read(Value.self, stored) else { return nil }
      switch comparison {
      case .equal: return property == value
      case .notEqual: return property != value
      case .less: return property < value
      case .lessOrEqual: return property <= value
      case .greater: return property > value
      case .greaterOrEqual: return property >= value
      }
    case .oneOf(_, let stored, []):
      var values: [Value] = []
      for value in stored {
        guard let value = read(Value.self, value) else { return nil }
        values.append(value)
      }
      return property.isIn(values)
    case .between(_, let lower, let upper, []):
      guard let lower = read(Value.self, lower), let upper = read(Value.self, upper) else {
        return nil
      }
      return property.isBetween(lower, and: upper)
    default: return nil
    }
  }
}

extension Condition {
  /// The property on the left of a single comparison.
  fileprivate var leafPath: PropertyPath? {
    switch self {
    case .comparison(.property(let path), _, _, _), .text(.property(let path), _, _, _),
      .oneOf(.property(let path), _, _), .between(.property(let path), _, _, _):
      path
    default: nil
    }
  }

  /// A single comparison with another property on its left.
  fileprivate func withLeafPath(_ path: PropertyPath) -> Condition {
    switch self {
    case .comparison(_, let comparison, let right, let folding):
      .comparison(.property(path), comparison, right, folding)
    case .text(_, let match, let right, let folding): .text(.property(path), match, right, folding)
    case .oneOf(_, let values, let folding): .oneOf(.property(path), values, folding)
    case .between(_, let lower, let upper, let folding):
      .between(.property(path), lower, upper, folding)
    default: self
    }
  }
}
