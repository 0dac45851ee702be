import KuraTesting
import Testing

@testable import KuraCore

@Suite struct ConditionMatcherTests {
  private static let layout = ModelLayout(
    name: "Dog",
    columns: [
      .init(name: "a", type: .integer), .init(name: "b", type: .integer),
      .init(name: "s", type: .text), .init(name: "any", type: .any),
    ], keyColumns: [], rowIDName: nil, isKuraModel: true)

  private func matches(_ text: String, _ values: [StoredValue]) throws -> Bool {
    let row = RowBuffer(columns: 4)
    for (column, value) in values.enumerated() { row.setValue(value, at: column) }
    return try Condition(parsing: text).bound(to: Self.layout).matches(row: row)
  }

  @Test("the truth of conditions over 1, null, 'abc', 2.5 is as worked out by hand")
  func truth() throws {
    let row: [StoredValue] = [1, .null, "abc", 2.5]
    let expected: [(String, Bool)] = [
      ("a == 1", true), ("a != 1", false), ("a < 1", false), ("a <= 1", true), ("a >= 1", true),
      ("b == 1", false), ("b != 1", true), ("b < 1", false), ("NOT b < 1", true),
      ("b == NULL", true), ("b != NULL", false), ("a == b", false), ("a != b", true),
      ("a < b", false), ("b <= b", false), ("b == b", true), ("a IN {1, 2}", true),
      ("a IN {3, NULL}", false), ("b IN {3, NULL}", true), ("b IN {3, 4}", false),
      ("NOT b IN {3, 4}", true), ("a BETWEEN {1, 1}", true), ("b BETWEEN {0, 9}", false),
      ("any > 2", true), ("any < 3", true), ("any == 2.5", true), ("any < 'a'", true),
      ("any > a", true), ("any == s", false), ("s CONTAINS 'b'", true), ("s CONTAINS ''", true),
      ("s CONTAINS 'ac'", false), ("s BEGINSWITH 'ab'", true), ("s BEGINSWITH 'b'", false),
      ("s ENDSWITH 'bc'", true), ("s ENDSWITH 'abcd'", false), ("s LIKE 'a*'", true),
      ("s LIKE 'A*'", false), ("any CONTAINS '2'", false), ("NOT any LIKE '*'", true),
      ("a == 1 AND b == 1", false), ("a == 1 OR b == 1", true),
      ("NOT (a == 1 AND s == 'abc')", false), ("TRUEPREDICATE", true), ("FALSEPREDICATE", false),
    ]
    for (text, isTrue) in expected { #expect(try matches(text, row) == isTrue, "\(text)") }
  }

  @Test(
    "patterns fit as worked out by hand",
    arguments: [
      ("", "", true), ("", "*", true), ("", "?", false), ("a", "?", true), ("é", "?", true),
      ("🥚", "?", true), ("🥚", "??", false), ("日本", "日?", true), ("abc", "a*c", true),
      ("abc", "*b*", true), ("abc", "a*b", false), ("abc", "***", true), ("abc", "????", false),
      ("a*c", "a\\*c", true), ("abc", "a\\*c", false), ("a?c", "a\\?c", true),
      ("a\\c", "a\\\\c", true),
      ("aab", "*ab", true), ("aaaa", "*a*a*a*a*", true), ("aaa", "*a*a*a*a*", false),
      ("a%b", "a%b", true), ("axb", "a_b", false), ("a\u{0}b", "a?b", true), ("A", "a", false),
      ("mississippi", "m*iss*ip*i", true), ("mississippi", "m*iss*ipp", false),
    ])
  func patterns(text: String, pattern: String, fits: Bool) {
    let result = Array(text.utf8).withUnsafeBytes { text in
      Array(pattern.utf8).withUnsafeBytes { TextMatching.matches(text, .like, $0) }
    }
    #expect(result == fits)
  }

  @Test("a pattern that goes wrong late takes no exponential time")
  func hostilePattern() {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 5000)
    let pattern = Array((String(repeating: "*a", count: 500) + "b").utf8)
    let result = text.withUnsafeBytes { text in
      pattern.withUnsafeBytes { TextMatching.matches(text, .like, $0) }
    }
    #expect(!result)
  }

  @Test("random conditions hold exactly where a plain reading of the definition says so")
  func randomConditions() throws {
    var random = RepeatableGenerator(seed: 99)
    let values: [StoredValue] = [.null, 0, 1, 2, 3]
    for _ in 0..<3000 {
      let condition = randomCondition(4, &random)
      let bound = try condition.bound(to: Self.layout)
      for a in values {
        for b in values {
          let row = RowBuffer(columns: 4)
          row.setValue(a, at: 0)
          row.setValue(b, at: 1)
          #expect(bound.matches(row: row) == holds(condition, a, b), "\(condition) \(a) \(b)")
        }
      }
    }
  }

  private func randomCondition(_ depth: Int, _ random: inout RepeatableGenerator) -> Condition {
    func operand() -> Condition.Operand {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: .property("a")
      case 1: .property("b")
      default: .value(value())
      }
    }
    func value() -> StoredValue {
      [.null, 0, 1, 2, 3, 0.5, 1.5, 2.0][Int.random(in: 0..<8, using: &random)]
    }
    let choice =
      depth == 0 ? Int.random(in: 0..<3, using: &random) : Int.random(in: 0..<6, using: &random)
    switch choice {
    case 0, 1:
      let operators = Condition.ComparisonOperator.allCases
      return .comparison(operand(), operators[Int.random(in: 0..<6, using: &random)], operand())
    case 2:
      return Bool.random(using: &random)
        ? .oneOf(operand(), [value(), value()]) : .between(operand(), value(), value())
    case 3: return .not(randomCondition(depth - 1, &random))
    case 4: return .all([randomCondition(depth - 1, &random), randomCondition(depth - 1, &random)])
    default:
      return .any([randomCondition(depth - 1, &random), randomCondition(depth - 1, &random)])
    }
  }

  /// The definition, over doubles and nil: small numbers are exact.
  private func holds(_ condition: Condition, _ a: StoredValue, _ b: StoredValue) -> Bool {
    func number(_ value: StoredValue) -> Double? {
      switch value {
      case .integer(let value): Double(value)
      case .double(let value): value
      default: nil
      }
    }
    func number(_ operand: Condition.Operand) -> Double? {
      switch operand {
      case .property(let path): number(path.description == "a" ? a : b)
      case .value(let value): number(value)
      case .arithmetic, .count, .listNumber, .groupNumber: nil
      }
    }
    func compare(_ left: Double?, _ comparison: Condition.ComparisonOperator, _ right: Double?)
      -> Bool
    {
      switch comparison {
      case .equal: return left == right
      case .notEqual: return left != right
      default: break
      }
      guard let left, let right else { return false }
      switch comparison {
      case .less: return left < right
      case .lessOrEqual: return left <= right
      case .greater: return left > right
      default: return left >= right
      }
    }
    switch condition {
    case .comparison(let left, let comparison, let right, _):
      return compare(number(left), comparison, number(right))
    case .oneOf(let operand, let values, _):
      return values.contains { compare(number(operand), .equal, number($0)) }
    case .between(let operand, let lower, let upper, _):
      return compare(number(operand), .greaterOrEqual, number(lower))
        && compare(number(operand), .lessOrEqual, number(upper))
    case .not(let part): return !holds(part, a, b)
    case .all(let parts): return parts.allSatisfy { holds($0, a, b) }
    case .any(let parts): return parts.contains { holds($0, a, b) }
    case .always: return true
    case .never, .text, .matches, .quantified: return false
    }
  }
}
