package import Kura

/// Conditions of all forms over the columns of a layout, for comparing backends with the definition.
package enum RandomCondition {
  package static func make(
    _ layout: ModelLayout, depth: Int, _ generator: inout RepeatableGenerator
  ) -> BoundCondition {
    if Int.random(in: 0..<5, using: &generator) == 0, let operands = operands(layout, &generator) {
      return operands
    }
    let kinds = depth > 0 ? 12 : 8
    switch Int.random(in: 0..<kinds, using: &generator) {
    case 0, 1, 2:
      let column = column(layout, &generator)
      return .compareValue(
        column: column, comparison(&generator), value(layout, column, &generator))
    case 3:
      let left = column(layout, &generator)
      let same = layout.columns.indices.filter {
        layout.columns[$0].type == layout.columns[left].type
      }
      return .compareColumns(
        left, comparison(&generator), same.randomElement(using: &generator) ?? left)
    case 4:
      let column = column(layout, &generator)
      let count = Int.random(in: 0..<6, using: &generator)
      return .oneOf(
        column: column, (0..<count).map { _ in value(layout, column, &generator) })
    case 5:
      let column = column(layout, &generator)
      return .between(
        column: column, value(layout, column, &generator), value(layout, column, &generator))
    case 6, 7: return text(layout, &generator)
    case 8: return .not(make(layout, depth: depth - 1, &generator))
    case 9:
      return Bool.random(using: &generator)
        ? .always : .never
    default:
      let count = Int.random(in: 0..<4, using: &generator)
      let parts = (0..<count).map { _ in make(layout, depth: depth - 1, &generator) }
      return Bool.random(using: &generator) ? .all(parts) : .any(parts)
    }
  }

  private static func column(_ layout: ModelLayout, _ generator: inout RepeatableGenerator) -> Int {
    Int.random(in: layout.columns.indices, using: &generator)
  }

  private static func comparison(_ generator: inout RepeatableGenerator)
    -> Condition.ComparisonOperator
  {
    Condition.ComparisonOperator.allCases.randomElement(using: &generator) ?? .equal
  }

  private static func value(
    _ layout: ModelLayout, _ column: Int, _ generator: inout RepeatableGenerator
  ) -> StoredValue {
    if Int.random(in: 0..<8, using: &generator) == 0 { return .null }
    return SampleValues.edges(layout.columns[column].type).randomElement(using: &generator) ?? .null
  }

  private static let patterns: [String] = [
    "", "*", "?", "a*", "*b", "a?", "?*?", "*a*b*", "\\*", "\u{0}*", "é", "??", "[a]", "%", "A*",
  ]

  static func text(_ layout: ModelLayout, _ generator: inout RepeatableGenerator)
    -> BoundCondition
  {
    let columns = layout.columns.indices.filter {
      [.text, .json, .data, .any].contains(layout.columns[$0].type)
    }
    guard let column = columns.randomElement(using: &generator),
      let match = Condition.TextOperator.allCases.randomElement(using: &generator)
    else { return .always }
    if match == .like, layout.columns[column].type != .data {
      return .textValue(
        column: column, .like, .text(patterns.randomElement(using: &generator) ?? ""))
    }
    if Int.random(in: 0..<4, using: &generator) == 0,
      let other = columns.randomElement(using: &generator)
    {
      return .textColumns(column, match, other)
    }
    // A piece of a sample, so that matches are frequent.
    switch SampleValues.edges(layout.columns[column].type).randomElement(using: &generator) {
    case .text(let text):
      let scalars = Array(text.unicodeScalars)
      var view = String.UnicodeScalarView()
      let start = Int.random(in: 0...scalars.count, using: &generator)
      let end = Int.random(in: start...scalars.count, using: &generator)
      view.append(contentsOf: scalars[start..<end])
      return .textValue(column: column, match, .text(String(view)))
    case .data(let bytes):
      let start = Int.random(in: 0...bytes.count, using: &generator)
      let end = Int.random(in: start...bytes.count, using: &generator)
      return .textValue(column: column, match, .data(Array(bytes[start..<end])))
    default: return .textValue(column: column, match, .text(""))
    }
  }
}
