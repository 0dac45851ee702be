import Testing

@testable import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Arithmetic and the options in brackets, from the text to what a record fulfils.
@Suite struct QueryOperandTests {
  private static let layout = ModelLayout(
    ModelDescription(
      "Item", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription("a", .integer, isOptional: true),
        PropertyDescription("b", .integer, isOptional: true),
        PropertyDescription("x", .double, isOptional: true),
        PropertyDescription("price", .decimal, isOptional: true),
        PropertyDescription("name", .text, isOptional: true),
        PropertyDescription("note", .text, isOptional: true),
        PropertyDescription("flag", .bool, isOptional: true),
        PropertyDescription("bytes", .data, isOptional: true),
        PropertyDescription("free", .any, isOptional: true),
      ]))

  /// Whether a record with some values fulfils a condition.
  private func holds(_ text: String, _ values: [String: StoredValue] = [:]) throws -> Bool {
    let bound = try Condition(parsing: text).bound(to: Self.layout)
    let row = RowBuffer(columns: Self.layout.columns.count)
    for (name, value) in values {
      row.setValue(value, at: try #require(Self.layout.index(of: name)))
    }
    return bound.matches(row: row)
  }

  private func error(_ text: String) -> StoreError? {
    do {
      _ = try Condition(parsing: text).bound(to: Self.layout)
      return nil
    } catch { return error }
  }

  @Test("products bind tighter than sums, and both from left to right")
  func precedence() throws {
    let (a, b) = (Condition.Operand.property("a"), Condition.Operand.property("b"))
    func parsed(_ text: String) throws -> Condition.Operand {
      guard case .comparison(let left, _, _, _) = try Condition(parsing: text + " == 1") else {
        throw StoreError(.invalidQuery, "no comparison")
      }
      return left
    }
    #expect(try parsed("a + b * 2") == .arithmetic(a, .add, .arithmetic(b, .multiply, .value(2))))
    #expect(try parsed("(a + b) * 2") == .arithmetic(.arithmetic(a, .add, b), .multiply, .value(2)))
    #expect(
      try parsed("a - b - 2") == .arithmetic(.arithmetic(a, .subtract, b), .subtract, .value(2)))
    #expect(
      try parsed("a - (b - 2)") == .arithmetic(a, .subtract, .arithmetic(b, .subtract, .value(2))))
    #expect(try parsed("a / b / 2") == .arithmetic(.arithmetic(a, .divide, b), .divide, .value(2)))
    #expect(try parsed("-a") == .arithmetic(.value(0), .subtract, a))
    #expect(try parsed("- -a") == a)
    #expect(try parsed("a -1") == .arithmetic(a, .add, .value(-1)))
    #expect(try parsed("a-1-b") == .arithmetic(.arithmetic(a, .add, .value(-1)), .subtract, b))
    #expect(try parsed("a*-1") == .arithmetic(a, .multiply, .value(-1)))
    #expect(try parsed("((a))") == a)
    #expect(
      try Condition(parsing: "((a + 1) * 2 > b AND (a == 1))")
        == .all([
          .comparison(
            .arithmetic(.arithmetic(a, .add, .value(1)), .multiply, .value(2)), .greater, b),
          .comparison(a, .equal, .value(1)),
        ]))
    #expect(
      try Condition(parsing: "1 < (a) AND a BETWEEN -1 AND -0.5 AND a IN {-1}")
        == .all([
          .comparison(.value(1), .less, a), .between(a, -1, -0.5), .oneOf(a, [-1]),
        ]))
  }

  @Test(
    "arithmetic has the results computed by hand",
    arguments: [
      ("a + 1 == 8", true), ("a - 1 == 6", true), ("a * 2 == 14", true), ("a / 2 == 3", true),
      ("-a / 2 == -3", true), ("(0 - a) / 2 == -3", true), ("a / 2.0 == 3.5", true),
      ("a / b == 2", true), ("x / 2 == 1.25", true), ("a + x == 9.5", true),
      ("2 + 3 * 4 == 14", true), ("7 / 2 == 3", true), ("7 / 2.0 == 3.5", true),
      ("a + b > 9", true), ("a + b > 10", false), ("12 > a + b", true), ("a > b * 2", true),
      ("a + b IN {9, 10}", true), ("a + b NOT IN {9, 10}", false),
      ("a + b BETWEEN {10, 11}", true), ("a + b BETWEEN 11 AND 12", false),
      ("price * a == 8.75", true), ("price * 2 == 2.5", true), ("price + 0.1 == 1.35", true),
      ("price + a > b", true), ("price / 0 == 1", false), ("free + 1 == 6", true),
      // No value: not equal to any, and equal to null.
      ("a / 0 == 0", false), ("a / 0 != 0", true), ("a / 0 == NULL", true), ("x / 0 > 0", false),
      ("a / (a - 7) IS NULL", true), ("a + 9223372036854775807 > 0", false),
      ("a + 9223372036854775807 < 0", false), ("a * 9223372036854775807 IS NULL", true),
      ("-9223372036854775808 - a IS NULL", true),
      ("a + 9223372036854775800 == 9223372036854775807", true),
      ("x * 1e308 * 1e308 > 1e308", true), ("missing + 1 == 8", nil),
      ("a + b + x / 0 IS NULL", true),
      ("a - 7 - 9223372036854775807 - 1 == -9223372036854775808", true),
      ("(a - 8) * -9223372036854775808 IS NULL", true),
      ("(0 * a - 9223372036854775807 - 1) / -1 IS NULL", true),
    ] as [(String, Bool?)])
  func results(text: String, expected: Bool?) throws {
    let price = try #require(Decimal(string: "1.25"))
    let values: [String: StoredValue] = [
      "a": 7, "b": 3, "x": 2.5, "price": .decimal(price), "free": 5,
    ]
    guard let expected else {
      #expect(error(text)?.code == .unknownProperty)
      return
    }
    #expect(try holds(text, values) == expected, "\(text)")
  }

  @Test("arithmetic with what is missing or no number has no value")
  func missing() throws {
    for text in ["a + 1 == 1", "a + 1 < 5", "a + 1 > 5", "a * 0 == 0", "a + b == 3"] {
      #expect(try !holds(text, ["b": 3]), "\(text)")
      #expect(try holds("NOT \(text)", ["b": 3]))
    }
    #expect(try holds("a + 1 != 5", ["b": 3]))
    #expect(try holds("a + 1 == b + a", ["b": 3]))
    #expect(try holds("free * 1 IS NULL", ["free": "5"]))
    #expect(try holds("a + NULL IS NULL", ["a": 5]))
  }

  /// Columns counted by hand.
  @Test(
    "wrong arithmetic is an error that shows the place",
    arguments: [
      ("name + 1 == 2", "needs numbers", 1), ("1 + name == 2", "needs numbers", 5),
      ("flag * 2 == 2", "needs numbers", 1), ("a + 'x' == 2", "needs numbers", nil),
      ("a + b == 'x'", "cannot be compared", 1), ("a + == 2", "property or a value", 5),
      ("a + b", "an operator", 6), ("(a + b", "an operator", 7),
      ("(a + b) AND a == 1", "an operator", 9),
      ("a * (b + == 1", "property or a value", 10), ("a + b CONTAINS 'x'", "must be a property", 1),
      ("price + x == 1", "computed together", 1), ("1 / 0 == a", "has no value", nil),
      ("9223372036854775807 + 1 == a", "has no value", nil), ("* a == 1", "property or a value", 1),
      ("name CONTAINS a + 1", "must be a text", 1), ("a ==[c] b", "works on text", 1),
      ("name ==[c] 5", "got integer", nil), ("flag ==[c] 'x'", "works on text", 1),
      ("a + 1 ==[c] name", "works on text", 1), ("bytes CONTAINS[c] 'x'", "works on text", 1),
      ("name ==[x] 'a'", "no option", 9), ("name ==[cx] 'a'", "no option", 10),
      ("name ==[n] 'a'", "no option", 9), ("name ==[] 'a'", "letters such as cd", 9),
      ("name ==[c 'a'", "not closed", 8), ("name [c]== 'a'", "after a property", 6),
      ("name IN[cd {'a'}", "not closed", 8),
    ] as [(String, String, Int?)])
  func errors(text: String, message: String, column: Int?) {
    let found = error(text)
    #expect(found != nil, "\(text)")
    #expect(found?.message.contains(message) == true, "\(text): \(String(describing: found))")
    if let column {
      #expect(
        found?.message.contains(" at column \(column)\n") == true,
        "\(text): \(String(describing: found))")
    }
  }

  @Test("operands and parentheses have a limit, and a text of nothing else is refused at once")
  func limits() throws {
    let longest = "a" + String(repeating: " + 1", count: 99)
    #expect(try holds("\(longest) == 106", ["a": 7]))
    for text in [
      longest + " + 1 == 1", String(repeating: "a + ", count: 250_000) + "a == 1",
      String(repeating: "-(", count: 10_000) + "a" + String(repeating: ")", count: 10_000)
        + " == 1",
      String(repeating: "(", count: 10_000) + "a" + String(repeating: ")", count: 10_000) + " == 1",
      String(repeating: "a * (", count: 10_000), String(repeating: "(", count: 1 << 20),
      String(repeating: "- ", count: 500_000), String(repeating: "a == 1 + ", count: 100_000),
      "a ==[" + String(repeating: "cd", count: 500_000) + "z] 'x'",
    ] {
      let clock = ContinuousClock()
      let start = clock.now
      #expect(error(text)?.code == .invalidQuery)
      #expect(clock.now - start < .seconds(1))
    }
    #expect(
      try holds(
        String(repeating: "(", count: 199) + "a" + String(repeating: ")", count: 199) + " == 7",
        ["a": 7]))
    let deep = (0..<10_000).reduce(Condition.Operand.property("a")) { inner, _ in
      .arithmetic(.value(1), .add, inner)
    }
    let refused = #expect(throws: StoreError.self) {
      try Condition.comparison(deep, .equal, .value(1)).bound(to: Self.layout)
    }
    #expect(refused?.code == .invalidQuery)
  }

  @Test(
    "operators with options compare folded texts",
    arguments: [
      ("name ==[c] 'STRASSE'", true), ("name == 'STRASSE'", false), ("name !=[c] 'strasse'", false),
      ("name CONTAINS[c] 'ASS'", true), ("name CONTAINS[cd] 'äss'", true),
      ("name BEGINSWITH[c] 'STRAS'", true), ("name ENDSWITH[c] 'SSE'", true),
      ("name LIKE[c] 'str?sse'", true), ("name LIKE[c] 'STR*'", true), ("name LIKE[c] 'x*'", false),
      ("name IN[c] {'x', 'STRASSE'}", true), ("name NOT IN[c] {'STRASSE'}", false),
      ("name BETWEEN[c] {'STRASSD', 'STRASSF'}", true), ("name <[c] 'STRASSF'", true),
      ("name >=[c] 'STRASSF'", false), ("'STRASSE' ==[c] name", true), ("name ==[c] note", true),
      ("name CONTAINS[c] note", true), ("note LIKE[c] name", true), ("name ==[c] NULL", false),
      ("name !=[c] NULL", true), ("'ß' ==[c] 'SS'", true), ("free CONTAINS[kw] 'ｶﾞ'", true),
      ("free CONTAINS[kw] 'か'", false), ("name ==[CD] 'STRASSE'", true), ("name IN[c] {}", false),
    ])
  func folding(text: String, expected: Bool) throws {
    let values: [String: StoredValue] = ["name": "Straße", "note": "STRASSE", "free": "がく"]
    #expect(try holds(text, values) == expected, "\(text)")
  }

  @Test("a value that is missing is unlike every folded text, and a number is no text")
  func foldedMissing() throws {
    #expect(try !holds("name ==[c] 'a'"))
    #expect(try holds("name !=[c] 'a'"))
    #expect(try !holds("name CONTAINS[c] ''"))
    #expect(try holds("NOT name <[c] 'a'"))
    #expect(try holds("name ==[c] note"))
    #expect(try holds("name IN[c] {'a', NULL}"))
    #expect(try !holds("free ==[c] '5'", ["free": 5]))
  }

  @Test("a plan shows arithmetic with the parentheses that it needs, and options in brackets")
  func explanation() throws {
    for text in [
      "(a + b) * 2 > 5", "a - (b - 1) == a * b / 2", "name CONTAINS[cd] 'rex'",
      "name IN[c] {'a', 'b'}", "name <=[cdwks] note", "a + b IN {1, 2}",
    ] {
      let bound = try Condition(parsing: text).bound(to: Self.layout)
      #expect(bound.text(Self.layout) == text)
    }
  }
}
