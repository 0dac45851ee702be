package import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Conditions whose sides are computed, or texts that are folded.
extension RandomCondition {
  static func operands(_ layout: ModelLayout, _ generator: inout RepeatableGenerator)
    -> BoundCondition?
  {
    Bool.random(using: &generator)
      ? folded(layout, &generator) : computed(layout, &generator)
  }

  private static func columns(_ layout: ModelLayout, _ types: [ValueType]) -> [Int] {
    layout.columns.indices.filter { types.contains(layout.columns[$0].type) }
  }

  // MARK: Folded texts

  /// Texts that options make equal to each other.
  private static let spellings = [
    "a", "A", "Ａ", "á", "Á", "a\u{301}", "ß", "SS", "ss", "ẞ", "Σ", "ς", "σ", "İ", "i", "ı", "I",
    "か", "が", "カ", "ガ", "ｶ", "ｶﾞ", "か\u{3099}", "っ", "つ", "ッ", "ｯ", "", "ab", "AB", "é",
    "日本", "\u{301}", "*", "？", "a\u{0}B",
  ]

  private static let expressions = [
    "", ".*", ".", "a.*", ".*[bB]", "[^a]*", "\\w+", "\\W*", "(a|b|ab)*", "\\p{Lu}.*",
    "(?i)a.*", "[a-z]{1,3}",
    "\\p{Hiragana}+", "カ.?", ".*\\b.*", "(?s).*\\x00.*", "[が-ん]*", "s+",
  ]

  package static func folded(_ layout: ModelLayout, _ generator: inout RepeatableGenerator)
    -> BoundCondition?
  {
    let columns = columns(layout, [.text, .json, .any])
    guard let column = columns.randomElement(using: &generator) else { return nil }
    let folding = TextComparison(rawValue: UInt8.random(in: 1...31, using: &generator))
    func text(_ generator: inout RepeatableGenerator) -> StoredValue {
      let edges = SampleValues.edges(.text)
      if Bool.random(using: &generator),
        case .text(let text)? = edges.randomElement(using: &generator)
      {
        return .text(Bool.random(using: &generator) ? text.uppercased() : text)
      }
      return .text(spellings.randomElement(using: &generator) ?? "")
    }
    func other(_ generator: inout RepeatableGenerator) -> BoundOperand {
      if Int.random(in: 0..<3, using: &generator) == 0,
        let other = columns.randomElement(using: &generator)
      {
        return .column(other)
      }
      return .value(text(&generator))
    }
    switch Int.random(in: 0..<4, using: &generator) {
    case 3:
      let options = Bool.random(using: &generator) ? folding : []
      return .matches(
        .column(column), expressions.randomElement(using: &generator) ?? "", options)
    case 0:
      let comparison = Condition.ComparisonOperator.allCases.randomElement(using: &generator)
      return .compare(.column(column), comparison ?? .equal, other(&generator), folding)
    case 1:
      var values = (0..<Int.random(in: 0...4, using: &generator)).map { _ in text(&generator) }
      if Bool.random(using: &generator) { values.append(.null) }
      return .contained(.column(column), values, folding)
    default:
      let match = Condition.TextOperator.allCases.randomElement(using: &generator) ?? .contains
      return .match(.column(column), match, other(&generator), folding)
    }
  }

  // MARK: Arithmetic

  package static func computed(_ layout: ModelLayout, _ generator: inout RepeatableGenerator)
    -> BoundCondition?
  {
    let isDecimal = Int.random(in: 0..<3, using: &generator) == 0
    let columns = columns(layout, isDecimal ? [.decimal, .integer] : [.integer, .double, .any])
    guard !columns.isEmpty else { return nil }
    func value(_ generator: inout RepeatableGenerator) -> StoredValue {
      if isDecimal {
        return SampleValues.edges(.decimal).randomElement(using: &generator) ?? .null
      }
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: return SampleValues.edges(.integer).randomElement(using: &generator) ?? 0
      case 1: return SampleValues.edges(.double).randomElement(using: &generator) ?? 0
      default: return .integer(Int64.random(in: -3...3, using: &generator))
      }
    }
    func operand(_ depth: Int, _ generator: inout RepeatableGenerator) -> BoundOperand {
      if depth > 0, Int.random(in: 0..<3, using: &generator) > 0 {
        let operation = Condition.ArithmeticOperator.allCases.randomElement(using: &generator)
        return .arithmetic(
          operand(depth - 1, &generator), operation ?? .add, operand(depth - 1, &generator))
      }
      if Bool.random(using: &generator), let column = columns.randomElement(using: &generator) {
        return .column(column)
      }
      return .value(value(&generator))
    }
    let left = BoundOperand.arithmetic(operand(1, &generator), .add, operand(1, &generator))
    // A decimal on each side, so that there is an order between them.
    let zero = BoundOperand.value(isDecimal ? .decimal(Decimal(0)) : 0)
    let side = BoundOperand.arithmetic(left, .subtract, zero)
    if Int.random(in: 0..<4, using: &generator) == 0 {
      return .contained(side, (0..<4).map { _ in value(&generator) }, [])
    }
    let comparison = Condition.ComparisonOperator.allCases.randomElement(using: &generator)
    let right =
      Bool.random(using: &generator)
      ? .value(value(&generator)) : BoundOperand.arithmetic(operand(1, &generator), .add, zero)
    return .compare(side, comparison ?? .less, right, [])
  }
}
