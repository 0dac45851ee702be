import KuraTesting
import Testing

@testable import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct QueryParserTests {
  private func condition(_ text: String, _ arguments: QueryArguments = []) throws -> Condition {
    try Condition(parsing: text, arguments: arguments)
  }

  private func equal(_ name: String, _ value: StoredValue) -> Condition {
    .comparison(.property(PropertyPath([name])), .equal, .value(value))
  }

  @Test("a whole query has model, condition, order, distinct, limit and offset")
  func wholeQuery() throws {
    let query = try Query(
      parsing: "Dog where age > 3 and name beginswith 'R' "
        + "sort(name desc, age) distinct(name) limit(10) offset(5)")
    #expect(
      query
        == Query(
          "Dog",
          where: .all([
            .comparison(.property("age"), .greater, .value(3)),
            .text(.property("name"), .beginsWith, .value("R")),
          ]),
          order: [SortTerm("name", isDescending: true), SortTerm("age")], distinct: ["name"],
          limit: 10, offset: 5))
    #expect(try Query(parsing: "Dog") == Query("Dog"))
    #expect(try Query(parsing: " `Order Details` LIMIT(1)") == Query("Order Details", limit: 1))
    #expect(try Query(parsing: "", model: "Dog") == Query("Dog"))
    #expect(
      try Query(parsing: "SORT(a ASCENDING, b DESCENDING)", model: "Dog")
        == Query("Dog", order: [SortTerm("a"), SortTerm("b", isDescending: true)]))
    #expect(try Query(parsing: "sort == 1", model: "Dog") == Query("Dog", where: equal("sort", 1)))
  }

  @Test("columns and groups are read, with their numbers in any letter case")
  func columnsAndGroups() throws {
    #expect(
      try Query(parsing: "Dog WHERE age > 3 GROUP(breed, team) SELECT(breed, @COUNT, @avg.age)")
        == Query(
          "Dog", where: .comparison(.property("age"), .greater, .value(3)),
          groups: ["breed", "team"], columns: [.property("breed"), .count, .average("age")]))
    #expect(
      try Query(parsing: "select(@min.a, @max.b, @Sum.`c d`, count)", model: "Dog").columns
        == [.minimum("a"), .maximum("b"), .sum("c d"), .property("count")])
    #expect(try Query(parsing: "Dog GROUP(a) LIMIT(1)").groups == ["a"])
    #expect(try Query(parsing: "group == 1 AND select == 2", model: "Dog").groups == nil)
  }

  @Test(
    "every spelling of an operator is read",
    arguments: [
      ("a = 1", Condition.ComparisonOperator.equal), ("a == 1", .equal), ("a==1", .equal),
      ("a != 1", .notEqual), ("a <> 1", .notEqual), ("a < 1", .less), ("a <= 1", .lessOrEqual),
      ("a =< 1", .lessOrEqual), ("a > 1", .greater), ("a >= 1", .greaterOrEqual),
      ("a => 1", .greaterOrEqual),
    ])
  func comparisonOperators(text: String, expected: Condition.ComparisonOperator) throws {
    #expect(try condition(text) == .comparison(.property("a"), expected, .value(1)))
  }

  @Test("AND binds tighter than OR, NOT tighter than AND, parentheses tightest")
  func precedence() throws {
    let (a, b, c) = (equal("a", 1), equal("b", 2), equal("c", 3))
    #expect(try condition("a=1 OR b=2 AND c=3") == .any([a, .all([b, c])]))
    #expect(try condition("a=1 || b=2 && c=3") == .any([a, .all([b, c])]))
    #expect(try condition("(a=1 OR b=2) AND c=3") == .all([.any([a, b]), c]))
    #expect(try condition("NOT a=1 AND b=2") == .all([.not(a), b]))
    #expect(try condition("!(a=1 AND b=2)") == .not(.all([a, b])))
    #expect(try condition("NOT NOT a=1") == a)
    #expect(try condition("a=1 and b=2 And c=3") == .all([a, b, c]))
    #expect(try condition("TRUEPREDICATE OR falsepredicate") == .any([.always, .never]))
  }

  @Test("lists, ranges and text operators are read")
  func wordOperators() throws {
    #expect(try condition("a IN {1, 'x', nil}") == .oneOf(.property("a"), [1, "x", .null]))
    #expect(try condition("a IN (1)") == .oneOf(.property("a"), [1]))
    #expect(try condition("a IN {}") == .oneOf(.property("a"), []))
    #expect(try condition("a NOT IN {1}") == .not(.oneOf(.property("a"), [1])))
    #expect(try condition("a BETWEEN {1, 5}") == .between(.property("a"), 1, 5))
    #expect(
      try condition("a BETWEEN 1 AND 5 AND b = 2")
        == .all([.between(.property("a"), 1, 5), equal("b", 2)]))
    #expect(try condition("a LIKE 'x*'") == .text(.property("a"), .like, .value("x*")))
    #expect(try condition("a contains b") == .text(.property("a"), .contains, .property("b")))
    #expect(try condition("a ENDSWITH \"x\"") == .text(.property("a"), .endsWith, .value("x")))
    #expect(try condition("a IS NULL") == equal("a", .null))
    #expect(try condition("a IS NOT NULL") == .comparison(.property("a"), .notEqual, .value(.null)))
    #expect(try condition("5 < a") == .comparison(.value(5), .less, .property("a")))
    #expect(
      try condition("owner.name == 'x'")
        == .comparison(.property(PropertyPath(["owner", "name"])), .equal, .value("x")))
  }

  @Test("literals have their values")
  func literals() throws {
    let oid = try #require(ObjectID("507f1f77bcf86cd799439011"))
    let uuid = try #require(UUID(uuidString: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"))
    let decimal = try #require(Decimal(string: "1.2"))
    let date = try #require(Timestamp(seconds: 1_795_996_800))
    let expected: [(String, StoredValue)] = [
      ("0", 0), ("-5", -5), ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)), ("1.5", 1.5), ("-.5", -0.5), (".5", 0.5),
      ("1e3", 1000.0), ("1E-3", 0.001),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
      ("'a'", "a"), ("\"a\"", "a"), ("''", ""), ("'it''s'", "it's"), (#"'it\'s'"#, "it's"),
      (#""a""b""#, "a\"b"), (#"'\\ \n\t\r\0'"#, "\\ \n\t\r\u{0}"), (#"'\u{1F95A}\u00e9'"#, "🥚é"),
      (#"'\*\?'"#, #"\*\?"#), ("'日本語'", "日本語"), ("null", .null), ("NIL", .null), ("true", true),
      ("False", false), ("X'00fF'", .data([0, 255])), ("x''", .data([])),
      ("date'2026-11-30'", .date(date)), ("DATE\"2026-11-30T00:00:00Z\"", .date(date)),
      ("uuid'F81D4FAE-7dec-11d0-a765-00a0c91e6bf6'", .uuid(uuid)),
      ("oid'507f1f77bcf86cd799439011'", .objectID(oid)), ("decimal'1.20'", .decimal(decimal)),
    ]
    for (text, value) in expected {
      #expect(try condition("a == \(text)") == equal("a", value), "\(text)")
      #expect(StoredValue(queryLiteral: text) == value, "\(text)")
    }
    #expect(StoredValue(queryLiteral: "a") == nil)
    #expect(StoredValue(queryLiteral: "1 2") == nil)
    #expect(StoredValue(queryLiteral: "") == nil)
  }

  @Test("names may be of any script, and backquotes make a name of anything")
  func names() throws {
    for (text, name) in [
      ("日付", "日付"), ("été", "été"), ("_a1", "_a1"), ("`a b`", "a b"), ("`a``b`", "a`b"),
      ("`not`", "not"), ("`1st`", "1st"), ("in", "in"), ("like", "like"), ("date", "date"),
      ("क्षेत्र", "क्षेत्र"), ("`owner.name`", "owner.name"),
    ] {
      #expect(try condition("\(text) == 1") == equal(name, 1), "\(text)")
    }
    #expect(try condition("\u{3000}a\u{A0}==\n1\t") == equal("a", 1))
  }

  @Test("arguments stand for values by order, number and name")
  func arguments() throws {
    #expect(
      try condition("a == %@ AND b == %@", [1, "x' OR 1=1"])
        == .all([equal("a", 1), equal("b", "x' OR 1=1")]))
    #expect(
      try condition("a == $1 AND b == $0 AND c == $0", [1, 2])
        == .all([equal("a", 2), equal("b", 1), equal("c", 1)]))
    #expect(
      try condition("a IN {:x, :y}", ["x": 1, "y": .null]) == .oneOf(.property("a"), [1, .null]))
    #expect(try Query(parsing: "Dog LIMIT(%@)", arguments: [3]).limit == 3)
  }

  /// Columns counted by hand.
  @Test(
    "errors name the column and help",
    arguments: [
      ("", 1, ""), ("Dog WERE a = 1", 5, "did you mean WHERE?"), ("Dog WHERE", 10, ""),
      ("Dog WHERE a", 12, "known are"), ("Dog WHERE a = ", 15, ""),
      ("Dog WHERE a = 1 ADN b = 2", 17, "did you mean AND?"),
      ("Dog WHERE a CONTIANS 'x'", 13, "did you mean CONTAINS?"),
      ("Dog WHERE (a = 1", 17, ""), ("Dog WHERE a = 1)", 16, ""),
      ("Dog WHERE a = 'x", 15, "close it with '"), ("Dog WHERE `a = 1", 11, "close it with `"),
      ("Dog WHERE a = ‘x’", 15, "straight quotes"), ("Dog WHERE a = '\\q'", 16, "known are"),
      ("Dog WHERE a = '\\u{110000}'", 16, "\\u"), ("Dog WHERE a = '\\ud800'", 16, "\\u"),
      ("Dog WHERE a = 9223372036854775808", 15, "write a point"),
      ("Dog WHERE a = 1e999", 15, ""), ("Dog WHERE 2nd = 1", 11, "backquotes"),
      ("Dog WHERE a = 1.2.3", 15, ""), ("Dog WHERE a = X'0'", 15, "hexadecimal"),
      ("Dog WHERE a = date'2026-02-30'", 15, "write date'"),
      ("Dog WHERE a = dat'2026'", 15, "did you mean date'"),
      ("Dog WHERE a = oid'1'", 15, "24"), ("Dog WHERE a = uuid'1'", 15, "uuid'"),
      ("Dog WHERE a = decimal'x'", 15, "decimal'"), ("Dog WHERE a = %@", 15, "0 arguments"),
      ("Dog WHERE a = $3", 15, "0 arguments"), ("Dog WHERE a = :x", 15, ""),
      ("Dog WHERE a = $x", 15, "$0"), ("Dog WHERE a = %d", 15, "%@"),
      ("Dog WHERE a IN 5", 16, "IN {1, 2}"), ("Dog WHERE a IN {1,}", 19, "values"),
      ("Dog WHERE a IN {b}", 17, "values"), ("Dog WHERE a IN {1 2}", 19, ""),
      ("Dog WHERE a BETWEEN {1}", 21, "BETWEEN {1, 5}"),
      ("Dog WHERE a BETWEEN 1 OR 2", 23, ""), ("Dog WHERE and = 1", 11, "`and`"),
      ("Dog WHERE a IS 5", 16, "=="), ("Dog WHERE a & b", 13, "AND"),
      ("Dog WHERE a ≤ 5", 13, "<="), ("Dog SORT(a DSC)", 12, "did you mean DESC?"),
      ("Dog SORT()", 10, ""), ("Dog SORT(a", 11, ""), ("Dog ORDER BY a", 5, "SORT"),
      ("Dog LIMIT 10", 5, "LIMIT(10)"),
      ("Dog GROUP BY a", 5, "GROUP(name)"), ("Dog SELECT(@cuont)", 13, "did you mean @count?"),
      ("Dog SELECT(@sum)", 16, ""), ("Dog SELECT(@)", 13, "known are"), ("Dog SELECT()", 12, ""),
      ("Dog GROUP(@count)", 11, ""), ("Dog SELECT(a) SELECT(b)", 15, ""),
      ("Dog LIMIT(-1)", 11, "LIMIT(10)"),
      ("Dog LIMIT('1')", 11, "LIMIT(10)"), ("Dog LIMIT(1) LIMIT(2)", 14, ""),
      ("日本 WHERE 犬 = = 1", 14, ""),
    ])
  func errorColumns(text: String, column: Int, suggestion: String) {
    let error = #expect(throws: StoreError.self) { try Query(parsing: text) }
    #expect(error?.code == .invalidQuery)
    let message = error?.message ?? ""
    #expect(message.contains(" at column \(column)\n"), "\(text): \(message)")
    if !suggestion.isEmpty {
      #expect(
        error?.suggestion?.contains(suggestion) == true, "\(text): \(String(describing: error))")
    }
  }

  @Test("the caret stands below the place, in long texts, on later lines and after wide characters")
  func caret() {
    func lines(_ text: String) -> [Substring] {
      do {
        _ = try Condition(parsing: text)
        return []
      } catch { return error.message.split(separator: "\n") }
    }
    #expect(
      lines("a = 1 AND\n  b ? 2 AND\nc = 3")
        == [
          "the character \"?\" means nothing here at line 2, column 5", "    b ? 2 AND", "      ^",
        ])
    #expect(lines("犬 ? 1")[1...] == ["  犬 ? 1", "     ^"])
    let long = lines(String(repeating: "a = 1 AND ", count: 1000) + "? = 1")
    #expect(long.count == 3 && long[0].hasSuffix("at column 10001"))
    #expect(long[1].count < 120 && long[1].contains("?"))
  }

  @Test("numbers of lists are written in two ways, and of the records of a subquery")
  func listNumbers() throws {
    func number(_ text: String) throws -> Condition.Operand? {
      guard case .comparison(let left, .greater, .value(1), []) = try Condition(parsing: text)
      else {
        return nil
      }
      return left
    }
    let path = PropertyPath(["a", "b"])
    #expect(
      try number("a.b.@MAX > 1")
        == .listNumber(.maximum, list: path, of: PropertyPath([]), .always))
    #expect(try number("a.@max.b > 1") == .listNumber(.maximum, list: "a", of: "b", .always))
    #expect(
      try number("SUBQUERY(a, $x, $x.b == 1).@avg.c > 1")
        == .listNumber(
          .average, list: "a", of: "c", .comparison(.property("b"), .equal, .value(1))))
    #expect(
      try number("subquery(a, $x, SUBQUERY($x.b, $y, $y.c == 1).@count > 1).@count > 1")
        == .count(
          list: "a",
          .comparison(
            .count(list: "b", .comparison(.property("c"), .equal, .value(1))), .greater, .value(1)))
    )
    let query = try Query(parsing: "A GROUP(b) HAVING(@count > 1 AND b.c == 2) DISTINCT(b.c)")
    #expect(query.distinct == [PropertyPath(["b", "c"])])
    #expect(
      query.having
        == .all([
          .comparison(.groupNumber(.count), .greater, .value(1)),
          .comparison(.property(PropertyPath(["b", "c"])), .equal, .value(2)),
        ]))
  }

  @Test(
    "what is to come is refused by its name, at its place",
    arguments: [
      ("lower(a) == 'x'", 6), ("a[0] == 1", 2),
    ])
  func unsupported(text: String, column: Int) {
    let error = #expect(throws: StoreError.self) { try Condition(parsing: text) }
    #expect(error?.code == .unsupportedQuery)
    #expect(
      error?.message.contains("not supported yet at column \(column)\n") == true,
      "\(String(describing: error))")
  }

  @Test("arguments that are missing or not used are errors")
  func argumentErrors() {
    for (text, arguments) in [
      ("a == 1", QueryArguments([5])), ("a == %@", [1, 2]), ("a == :x", ["y": 1]),
      ("a == :x", ["x": 1, "y": 1]), ("a == %@ AND b == %@", [1]),
    ] {
      let error = #expect(throws: StoreError.self) {
        try Condition(parsing: text, arguments: arguments)
      }
      #expect(error?.code == .invalidQuery)
    }
  }

  @Test("parentheses nest 200 deep and no deeper; negations and lists have no depth")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "a = 1" + String(repeating: ")", count: depth)
    }
    #expect(try condition(nested(200)) == equal("a", 1))
    for depth in [201, 10_000, 400_000] {
      let error = #expect(throws: StoreError.self) { try condition(nested(depth)) }
      #expect(error?.message.contains("at column 201\n") == true)
    }
    #expect(throws: StoreError.self) { try condition(String(repeating: "(", count: 1 << 20)) }
    #expect(try condition(String(repeating: "!", count: 100_001) + "a = 1") == .not(equal("a", 1)))
    let chain = Array(repeating: "a = 1", count: 50_000).joined(separator: " OR ")
    guard case .any(let parts) = try condition(chain) else {
      Issue.record("not a flat list")
      return
    }
    #expect(parts.count == 50_000)
  }

  @Test("a text over 1 MB is refused, one of 1 MB is read")
  func size() throws {
    let longest = "a == '" + String(repeating: "x", count: (1 << 20) - 7) + "'"
    #expect(longest.utf8.count == 1 << 20)
    _ = try condition(longest)
    let error = #expect(throws: StoreError.self) { try condition(longest + " ") }
    #expect(error?.code == .invalidQuery)
  }

  @Test("any run of tokens is a query or an error")
  func fuzz() {
    let pool = [
      "Dog", "WHERE", "a", "b", "`c d`", "AND", "OR", "NOT", "!", "&&", "||", "(", ")", "{", "}",
      ",", ".", "==", "!=", "<", "<=", ">", ">=", "=", "IN", "BETWEEN", "LIKE", "CONTAINS",
      "BEGINSWITH", "ENDSWITH", "IS", "NULL", "nil", "true", "TRUEPREDICATE", "SORT", "DISTINCT",
      "LIMIT", "OFFSET", "DESC", "1", "-1", "1.5", "'x'", "\"y\"", "'", "\"", "`", "%@", "$0", ":n",
      "X'00'", "date'2026-01-01'", "oid'", "[", "]", "[cd]", "@", "+", "-", "*", "/", "ANY", "日",
      "\\", "\u{0}", "🥚", "\n", "SORT(a)", "a == 1", "(a IN {1})", "\u{301}", "9999999999999999999",
    ]
    var random = RepeatableGenerator(seed: 30_112_026)
    var parsed = 0
    for _ in 0..<100_000 {
      let count = Int.random(in: 1...12, using: &random)
      var text = Bool.random(using: &random) ? "Dog WHERE a == 1 " : ""
      for _ in 0..<count {
        text += pool[Int.random(in: 0..<pool.count, using: &random)]
        if Int.random(in: 0..<4, using: &random) > 0 { text += " " }
      }
      do {
        let usesArgument = text.contains("%@") || text.contains("$0")
        _ = try Query(parsing: text, arguments: usesArgument ? [1] : [])
        parsed += 1
      } catch {
        if error.code != .invalidQuery, error.code != .unsupportedQuery {
          Issue.record("\(text): \(error)")
        }
      }
    }
    // Some are queries, or the pool tests nothing but the first token.
    #expect(parsed > 50)
  }
}
