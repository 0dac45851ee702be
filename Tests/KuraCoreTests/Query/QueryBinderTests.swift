import Testing

@testable import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct QueryBinderTests {
  /// One column of every type; the even ones are required.
  static let layout = ModelLayout(
    name: "Dog",
    columns: [
      .init(name: "id", type: .integer, isOptional: false),
      .init(name: "age", type: .integer), .init(name: "weight", type: .double),
      .init(name: "name", type: .text), .init(name: "born", type: .date),
      .init(name: "price", type: .decimal), .init(name: "chip", type: .uuid),
      .init(name: "oid", type: .objectID), .init(name: "photo", type: .data),
      .init(name: "good", type: .bool), .init(name: "tags", type: .json),
      .init(name: "extra", type: .any), .init(name: "Name2", type: .text),
      .init(name: "name2", type: .text),
    ], keyColumns: [0], rowIDName: nil, isKuraModel: true)

  private func bind(_ text: String) throws -> BoundCondition {
    try Condition(parsing: text).bound(to: Self.layout)
  }

  @Test("integers compare exactly with numbers that are no integers")
  func integerColumn() throws {
    let expected: [(String, BoundCondition)] = [
      ("age < 2.5", .compareValue(column: 1, .lessOrEqual, 2)),
      ("age <= 2.5", .compareValue(column: 1, .lessOrEqual, 2)),
      ("age > 2.5", .compareValue(column: 1, .greaterOrEqual, 3)),
      ("age > -2.5", .compareValue(column: 1, .greaterOrEqual, -2)),
      ("age < -2.5", .compareValue(column: 1, .lessOrEqual, -3)),
      ("age == 2.5", .never), ("age != 2.5", .always),
      ("age == 2.0", .compareValue(column: 1, .equal, 2)),
      ("2.5 > age", .compareValue(column: 1, .lessOrEqual, 2)),
      ("age < 1e300", .compareValue(column: 1, .lessOrEqual, .integer(.max))),
      ("age > 1e300", .never), ("age < -1e300", .never),
      ("age > -1e300", .compareValue(column: 1, .greaterOrEqual, .integer(.min))),
      ("age < 9223372036854775808.0", .compareValue(column: 1, .lessOrEqual, .integer(.max))),
      ("age >= -9223372036854775808.0", .compareValue(column: 1, .greaterOrEqual, .integer(.min))),
      ("age IN {1, 2.5, 2.0, 1}", .oneOf(column: 1, [1, 2])),
      ("age IN {2.5}", .never), ("age IN {2.0}", .compareValue(column: 1, .equal, 2)),
      ("age BETWEEN {1.5, 3.5}", .between(column: 1, 2, 3)),
      ("age BETWEEN {3, 2}", .never), ("age BETWEEN {2, 2}", .between(column: 1, 2, 2)),
      ("age BETWEEN {2.1, 2.9}", .never),
      ("age < decimal'2.5'", .compareValue(column: 1, .lessOrEqual, 2)),
      ("age > decimal'-2.5'", .compareValue(column: 1, .greaterOrEqual, -2)),
      ("age > decimal'-0.5'", .compareValue(column: 1, .greaterOrEqual, 0)),
      ("age < decimal'1e30'", .compareValue(column: 1, .lessOrEqual, .integer(.max))),
    ]
    for (text, condition) in expected { #expect(try bind(text) == condition, "\(text)") }
  }

  @Test("doubles compare exactly with integers that no double has")
  func doubleColumn() throws {
    // 2^53 + 1 lies between the doubles 2^53 and 2^53 + 2.
    let expected: [(String, BoundCondition)] = [
      ("weight == 5", .compareValue(column: 2, .equal, 5.0)),
      ("weight == 9007199254740993", .never), ("weight != 9007199254740993", .always),
      (
        "weight < 9007199254740993",
        .compareValue(column: 2, .lessOrEqual, 9_007_199_254_740_992.0)
      ),
      (
        "weight >= 9007199254740993",
        .compareValue(column: 2, .greaterOrEqual, 9_007_199_254_740_994.0)
      ),
      (
        "weight > 9223372036854775807",
        .compareValue(column: 2, .greaterOrEqual, .double(0x1p63))
      ),
      (
        "weight < 9223372036854775807",
        .compareValue(column: 2, .lessOrEqual, 9_223_372_036_854_774_784.0)
      ),
    ]
    for (text, condition) in expected { #expect(try bind(text) == condition, "\(text)") }
  }

  @Test("texts become the dates, identifiers and decimals of their columns")
  func textLiterals() throws {
    let date = try #require(Timestamp(seconds: 1_795_996_800))
    let uuid = try #require(UUID(uuidString: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"))
    let oid = try #require(ObjectID("507f1f77bcf86cd799439011"))
    let price = try #require(Decimal(string: "1.2"))
    let expected: [(String, BoundCondition)] = [
      ("born >= '2026-11-30'", .compareValue(column: 4, .greaterOrEqual, .date(date))),
      ("born == date'2026-11-30'", .compareValue(column: 4, .equal, .date(date))),
      ("price == '1.20'", .compareValue(column: 5, .equal, .decimal(price))),
      ("price == 1.2", .compareValue(column: 5, .equal, .decimal(price))),
      ("price == 2", .compareValue(column: 5, .equal, .decimal(2))),
      (
        "chip == 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'",
        .compareValue(column: 6, .equal, .uuid(uuid))
      ),
      ("oid == '507f1f77bcf86cd799439011'", .compareValue(column: 7, .equal, .objectID(oid))),
      ("photo == X'00'", .compareValue(column: 8, .equal, .data([0]))),
      ("good == true", .compareValue(column: 9, .equal, true)),
      ("tags CONTAINS 'x'", .textValue(column: 10, .contains, "x")),
      ("extra == true", .compareValue(column: 11, .equal, 1)),
      ("extra == '5'", .compareValue(column: 11, .equal, "5")),
      ("extra < 2.5", .compareValue(column: 11, .less, 2.5)),
      ("photo BEGINSWITH X'ff'", .textValue(column: 8, .beginsWith, .data([255]))),
    ]
    for (text, condition) in expected { #expect(try bind(text) == condition, "\(text)") }
  }

  @Test("null is a value of optional columns only, and orders with nothing")
  func null() throws {
    let expected: [(String, BoundCondition)] = [
      ("age == NULL", .compareValue(column: 1, .equal, .null)),
      ("NULL != age", .compareValue(column: 1, .notEqual, .null)),
      ("id == NULL", .never), ("id != NULL", .always), ("age < NULL", .never),
      ("age >= NULL", .never), ("NOT age < NULL", .always),
      ("age IN {1, NULL}", .oneOf(column: 1, [1, .null])),
      ("age IN {NULL}", .compareValue(column: 1, .equal, .null)),
      ("id IN {1, NULL}", .compareValue(column: 0, .equal, 1)),
      ("age BETWEEN {NULL, 5}", .never), ("name CONTAINS NULL", .never),
    ]
    for (text, condition) in expected { #expect(try bind(text) == condition, "\(text)") }
  }

  @Test("two values fold, and what always or never holds disappears")
  func folding() throws {
    let age = BoundCondition.compareValue(column: 1, .equal, 1)
    let expected: [(String, BoundCondition)] = [
      ("1 < 2", .always), ("1 == 1.0", .always), ("9007199254740993 == 9007199254740992.0", .never),
      ("'a' < 'B'", .never), ("NULL == NULL", .always), ("NULL == 1", .never),
      ("1 != NULL", .always),
      ("5 IN {1, 5}", .always), ("5 BETWEEN {1, 4}", .never),
      ("age == 1 AND TRUEPREDICATE", age), ("age == 1 OR FALSEPREDICATE", age),
      ("age == 1 AND FALSEPREDICATE", .never), ("age == 1 OR 1 == 1", .always),
      ("NOT NOT age == 1", age), ("NOT (1 == 1)", .never),
      ("age == 1 AND (age == 1 AND age == 1)", .all([age, age, age])),
      ("age < weight", .compareColumns(1, .less, 2)),
      ("name ENDSWITH tags", .textColumns(3, .endsWith, 10)),
    ]
    for (text, condition) in expected { #expect(try bind(text) == condition, "\(text)") }
    #expect(try Condition.all([]).bound(to: Self.layout) == .always)
    #expect(try Condition.any([]).bound(to: Self.layout) == .never)
  }

  @Test("equalities of one column are one list")
  func equalities() throws {
    let expected: [(String, BoundCondition)] = [
      ("age == 1 OR age == 2", .oneOf(column: 1, [1, 2])),
      ("age == 1 OR age == 1", .compareValue(column: 1, .equal, 1)),
      ("age == 1 OR age IN {3, 1} OR age == NULL", .oneOf(column: 1, [1, 3, .null])),
      (
        "age == 1 OR id == 2 OR age == 5 OR age > 7",
        .any([
          .oneOf(column: 1, [1, 5]), .compareValue(column: 0, .equal, 2),
          .compareValue(column: 1, .greater, 7),
        ])
      ),
    ]
    for (text, condition) in expected { #expect(try bind(text) == condition, "\(text)") }
  }

  @Test("names are found exactly, else by the only one of another letter case")
  func names() throws {
    #expect(try bind("AGE == 1") == .compareValue(column: 1, .equal, 1))
    #expect(try bind("Name2 == 'x'") == .compareValue(column: 12, .equal, "x"))
    #expect(try bind("name2 == 'x'") == .compareValue(column: 13, .equal, "x"))
    let unknown = #expect(throws: StoreError.self) { try bind("nmae == 1") }
    #expect(unknown?.code == .unknownProperty)
    #expect(unknown?.suggestion == "did you mean name?")
    #expect(unknown?.message.contains("at column 1\n") == true)
    let ambiguous = #expect(throws: StoreError.self) { try bind("age == 1 AND NAME2 == 'x'") }
    #expect(ambiguous?.suggestion?.contains("Name2, name2") == true)
    #expect(ambiguous?.message.contains("at column 14\n") == true)
  }

  @Test(
    "types that do not fit are errors at the property's place",
    arguments: [
      ("age == 'x'", 1, "number"), ("name == 5", 1, "quotes"),
      ("id == 1 AND good == 1", 13, "true"),
      ("born == 5", 1, "date'"), ("born == 'today'", 1, "date'"), ("chip == 'x'", 1, "uuid'"),
      ("oid == X'00'", 1, "oid'"), ("photo == 'x'", 1, "X'"), ("price == 1e300", 1, "decimal'"),
      ("5 == name", 6, "quotes"), ("age IN {1, 'x'}", 1, ""), ("age BETWEEN {1, 'x'}", 1, ""),
      ("age CONTAINS 'x'", 1, ""), ("name CONTAINS 5", 1, ""), ("photo CONTAINS 'x'", 1, ""),
      ("photo LIKE 'x'", 1, ""), ("'x' CONTAINS name", 14, ""), ("name LIKE 'x\\\\'", 1, "\\\\"),
      ("age == name", 1, ""), ("born < price", 1, ""), ("extra == date'2026-11-30'", 1, "stored"),
    ])
  func typeErrors(text: String, column: Int, suggestion: String) {
    let error = #expect(throws: StoreError.self) { try bind(text) }
    #expect(error?.code == .invalidQuery)
    #expect(
      error?.message.contains("at column \(column)\n") == true, "\(String(describing: error))")
    if !suggestion.isEmpty {
      #expect(error?.suggestion?.contains(suggestion) == true, "\(String(describing: error))")
    }
  }

  @Test("values that mean nothing together, paths and not-a-number are errors")
  func otherErrors() {
    #expect(throws: StoreError.self) { try bind("1 == 'x'") }
    #expect(throws: StoreError.self) {
      try Condition.comparison(.property("weight"), .less, .value(.double(.nan)))
        .bound(to: Self.layout)
    }
    let path = #expect(throws: StoreError.self) { try bind("owner.name == 'x'") }
    #expect(path?.code == .unsupportedQuery)
    let empty = Condition.comparison(.property(PropertyPath([])), .equal, .value(1))
    #expect(throws: StoreError.self) { try empty.bound(to: Self.layout) }
  }

  @Test("a foreign file's columns take numbers, texts and data as they are")
  func foreign() throws {
    let layout = ModelLayout(
      name: "t", columns: [.init(name: "n", type: .integer, isOptional: false)], keyColumns: [],
      rowIDName: "rowid", isKuraModel: false)
    func bind(_ text: String) throws -> BoundCondition {
      try Condition(parsing: text).bound(to: layout)
    }
    #expect(try bind("n == 'x'") == .compareValue(column: 0, .equal, "x"))
    #expect(try bind("n == 2.5") == .compareValue(column: 0, .equal, 2.5))
    #expect(try bind("n == true") == .compareValue(column: 0, .equal, 1))
    #expect(try bind("n == NULL") == .compareValue(column: 0, .equal, .null))
    #expect(try bind("n LIKE 'x'") == .textValue(column: 0, .like, "x"))
    #expect(throws: StoreError.self) { try bind("n == uuid'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'") }
    #expect(try Query(parsing: "t").bound(to: layout).order == [])
  }

  @Test("the order ends with the key and names a column once")
  func order() throws {
    func order(_ text: String) throws -> [BoundSortTerm] {
      try Query(parsing: text, model: "Dog").bound(to: Self.layout).order
    }
    #expect(try order("") == [BoundSortTerm(column: 0)])
    #expect(
      try order("SORT(age DESC, AGE, name)")
        == [
          BoundSortTerm(column: 1, isDescending: true), BoundSortTerm(column: 3),
          BoundSortTerm(column: 0),
        ])
    #expect(try order("SORT(id DESC)") == [BoundSortTerm(column: 0, isDescending: true)])
    let query = try Query(parsing: "DISTINCT(age, name, age) LIMIT(5) OFFSET(2)", model: "Dog")
      .bound(to: Self.layout)
    #expect(query.distinct == [1, 3] && query.limit == 5 && query.offset == 2)
    #expect(throws: StoreError.self) { try order("SORT(agee)") }
    #expect(throws: StoreError.self) { try order("DISTINCT(nothing)") }
    #expect(throws: StoreError.self) { try Query("Dog", limit: -1).bound(to: Self.layout) }
    #expect(throws: StoreError.self) { try Query("Dog", offset: -1).bound(to: Self.layout) }
    #expect(throws: StoreError.self) { try Query("Dog", distinct: []).bound(to: Self.layout) }
  }

  @Test("conditions made by a program nest 200 levels and no deeper")
  func depth() throws {
    func nested(_ depth: Int) -> Condition {
      (0..<depth).reduce(.comparison(.property("age"), .equal, .value(1))) { inner, level in
        level % 2 == 0 ? .all([inner, .always]) : .not(.not(inner))
      }
    }
    _ = try nested(130).bound(to: Self.layout)
    let error = #expect(throws: StoreError.self) { try nested(5000).bound(to: Self.layout) }
    #expect(error?.code == .invalidQuery)
  }

  @Test("keys are checked and read as the key columns hold them")
  func keys() throws {
    let uuid = try #require(UUID(uuidString: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"))
    #expect(try Self.layout.checkKey(5) == [5])
    #expect(try Self.layout.checkKey(RecordKey(5.0)) == [5])
    let pair = ModelLayout(
      name: "Pair",
      columns: [
        .init(name: "team", type: .text, isOptional: false),
        .init(name: "chip", type: .uuid, isOptional: false),
      ], keyColumns: [1, 0], rowIDName: nil, isKuraModel: true)
    let key = try #require(RecordKey(["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "red"]))
    #expect(try pair.checkKey(key) == [.uuid(uuid), "red"])
    let foreign = ModelLayout(
      name: "t", columns: [.init(name: "a", type: .text)], keyColumns: [], rowIDName: "rowid",
      isKuraModel: false)
    #expect(try foreign.checkKey(7) == [7])
    let keyless = ModelLayout(
      name: "v", columns: [.init(name: "a", type: .text)], keyColumns: [], rowIDName: nil,
      isKuraModel: false)
    let wrong: [(ModelLayout, RecordKey)] = [
      (Self.layout, "x"), (Self.layout, RecordKey(.null)), (Self.layout, RecordKey(2.5)),
      (Self.layout, RecordKey(.double(.nan))), (pair, 5), (pair, "red"), (foreign, "x"),
      (keyless, 1),
    ]
    for (layout, key) in wrong {
      let error = #expect(throws: StoreError.self) { try layout.checkKey(key) }
      #expect(error?.code == .wrongKey)
    }
  }
}
