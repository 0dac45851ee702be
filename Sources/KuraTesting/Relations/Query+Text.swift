import Kura

extension Query {
  /// The query as a text of the query language with its arguments; `nil` when it has no such form.
  var text: (String, [StoredValue])? {
    var writer = QueryWriter()
    guard let condition = writer.text(condition) else { return nil }
    var text = "\(model) WHERE \(condition)"
    func list(_ paths: [PropertyPath]) -> String {
      paths.map(\.description).joined(separator: ", ")
    }
    if let columns { text += " SELECT(\(columns.map(\.description).joined(separator: ", ")))" }
    if let groups { text += " GROUP(\(list(groups)))" }
    if !order.isEmpty {
      let terms = order.map { "\($0.property)\($0.isDescending ? " DESC" : "")" }
      text += " SORT(\(terms.joined(separator: ", ")))"
    }
    if let distinct { text += " DISTINCT(\(distinct.map(\.description).joined(separator: ", ")))" }
    if let limit { text += " LIMIT(\(limit))" }
    if offset > 0 { text += " OFFSET(\(offset))" }
    return (text, writer.arguments)
  }
}

/// Writes conditions whose values are arguments.
private struct QueryWriter {
  var arguments: [StoredValue] = []

  mutating func text(_ condition: Condition) -> String? {
    switch condition {
    case .always: return "TRUEPREDICATE"
    case .never: return "FALSEPREDICATE"
    case .comparison(let left, let comparison, let right, let folding):
      guard let one = text(left), let other = text(right) else { return nil }
      return "\(one) \(comparison.rawValue)\(folding.suffix) \(other)"
    case .oneOf(let operand, let values, let folding):
      guard let side = text(operand) else { return nil }
      let list = values.map { argument($0) }
      return "\(side) IN\(folding.suffix) {\(list.joined(separator: ", "))}"
    case .between(let operand, let lower, let upper, let folding):
      guard let side = text(operand) else { return nil }
      return "\(side) BETWEEN\(folding.suffix) {\(argument(lower)), \(argument(upper))}"
    case .text(let left, let match, let right, let folding):
      guard let one = text(left), let other = text(right) else { return nil }
      return "\(one) \(match.rawValue)\(folding.suffix) \(other)"
    case .matches(let operand, let pattern, let folding):
      guard let side = text(operand) else { return nil }
      return "\(side) MATCHES\(folding.suffix) \(argument(.text(pattern)))"
    case .quantified(let quantifier, nil, let inner):
      return text(inner).map { "\(quantifier.rawValue) \($0)" }
    case .quantified: return nil
    case .all(let parts): return joined(parts, " AND ", none: "TRUEPREDICATE")
    case .any(let parts): return joined(parts, " OR ", none: "FALSEPREDICATE")
    case .not(let part): return text(part).map { "NOT (\($0))" }
    }
  }

  private mutating func joined(_ parts: [Condition], _ word: String, none: String) -> String? {
    guard !parts.isEmpty else { return none }
    var texts: [String] = []
    for part in parts {
      guard let text = text(part) else { return nil }
      texts.append("(\(text))")
    }
    return texts.joined(separator: word)
  }

  private mutating func argument(_ value: StoredValue) -> String {
    arguments.append(value)
    return "$\(arguments.count - 1)"
  }

  private mutating func text(_ operand: Condition.Operand) -> String? {
    switch operand {
    case .property(let path): return path.description
    case .value(let value): return argument(value)
    case .arithmetic(let left, let operation, let right):
      guard let one = text(left), let other = text(right) else { return nil }
      return "(\(one) \(operation.rawValue) \(other))"
    case .count(let list, .always): return "\(list).@count"
    case .listNumber(let function, let list, let property, .always):
      return "\(list).\(function.rawValue).\(property)"
    case .count, .listNumber, .groupNumber: return nil
    }
  }
}
