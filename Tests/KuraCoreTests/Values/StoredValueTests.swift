import Testing

@testable import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct StoredValueTests {
  private static func time(_ seconds: Int64, _ nanoseconds: UInt32) -> StoredValue {
    Timestamp(seconds: seconds, nanoseconds: nanoseconds).map { .date($0) } ?? .null
  }

  /// One value of every kind and the edges, ascending by hand.
  static let ascending: [StoredValue] = [
    .null, .bool(false), .bool(true),
    .double(-.infinity), .double(-1e300), .integer(.min), .double(-9_223_372_036_854_774_784),
    .integer(-1), .double(-0.5), .integer(0), .double(0.5), .integer(1), .double(1), .double(1.5),
    .integer(2), .double(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
    .double(9_007_199_254_740_994), .integer(.max), .double(0x1p63), .double(.infinity),
    .double(.nan),
    .decimal(-1), .decimal(0), .decimal(1),
    time(-1, 5), time(0, 0), time(0, 1),
    .text(""), .text("\u{0}"), .text("A"), .text("a"), .text("a\u{0}"), .text("aa"),
    .malformedText([0xC3]),
    .text("é"), .text("日"), .text("🥚"), .malformedText([0xFF]),
    .data([]), .data([0]), .data([0, 0]), .data([1]), .data([0xFF]),
    .uuid(UUID(high: 1, low: 2)), .uuid(UUID(high: 1, low: .max)), .uuid(UUID(high: .max, low: 0)),
    .objectID(ObjectID(high: 1, low: 2)), .objectID(ObjectID(high: 2, low: 0)),
  ]

  @Test("the order of all values is total and as written down")
  func totalOrder() {
    for (place, left) in Self.ascending.enumerated() {
      for (other, right) in Self.ascending.enumerated() {
        #expect(left.precedes(right) == (place < other), "\(left) \(right)")
        #expect((left == right) == (place == other), "\(left) \(right)")
      }
    }
  }

  @Test("rows compare like values, except that an integer equals the double of its number")
  func slotOrder() {
    let row = RowBuffer(columns: Self.ascending.count)
    for (column, value) in Self.ascending.enumerated() { row.setValue(value, at: column) }
    for left in 1..<row.count {
      for right in 1..<row.count {
        let same: Set<StoredValue> = [Self.ascending[left], Self.ascending[right]]
        if same == [.integer(1), .double(1)] {
          #expect(row[left].compares(.equal, to: row[right]))
          continue
        }
        #expect(row[left].compares(.less, to: row[right]) == (left < right))
        #expect(row[left].compares(.lessOrEqual, to: row[right]) == (left <= right))
        #expect(row[left].compares(.greater, to: row[right]) == (left > right))
        #expect(row[left].compares(.greaterOrEqual, to: row[right]) == (left >= right))
        #expect(row[left].compares(.equal, to: row[right]) == (left == right))
        #expect(row[left].compares(.notEqual, to: row[right]) == (left != right))
      }
    }
  }

  @Test("values come back from a row buffer, which grows")
  func rowBuffer() {
    let values = Self.ascending + [.text(String(repeating: "卵", count: 10_000)), .double(-0.0)]
    let row = RowBuffer(columns: values.count)
    for round in 0..<3 {
      for (column, value) in values.enumerated() { row.setValue(value, at: column) }
      for (column, value) in values.enumerated() { #expect(row.value(at: column) == value) }
      if case .double(let zero) = row.value(at: values.count - 1) { #expect(zero.sign == .minus) }
      if round == 1 { row.reset() }
    }
    row.reset()
    #expect(row.value(at: 0) == .null)
    #expect(row.value(at: -1) == .null && row.value(at: 9999) == .null)
  }

  @Test("every value comes back from JSON")
  func json() throws {
    for value in Self.ascending + [
      .double(-0.0), .double(.leastNonzeroMagnitude), .text("a\"\\\n\u{2028}"),
    ] {
      let data = try JSONEncoder().encode([value])
      let decoded = try JSONDecoder().decode([StoredValue].self, from: data)
      #expect(decoded == [value])
      if case .double(let before) = value, case .double(let after)? = decoded.first {
        #expect(before.isNaN || before.bitPattern == after.bitPattern)
      }
    }
  }

  @Test(
    "malformed JSON values are refused",
    arguments: [
      "[{}]", #"[{"integer":5}]"#, #"[{"integer":"9223372036854775808"}]"#, #"[{"data":"abc"}]"#,
      #"[{"text":"a","data":"00"}]"#, #"[{"unknown":"a"}]"#, #"[{"text":"a","unknown":1}]"#,
      #"[{"date":"2026-13-01"}]"#, #"[{"uuid":"x"}]"#, "[5]", #"["a"]"#, #"[{"decimal":"NaN"}]"#,
    ])
  func malformedJSON(text: String) {
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode([StoredValue].self, from: Data(text.utf8))
    }
  }

  @Test("a type takes its own values, and nothing is changed on the way")
  func coercion() throws {
    #expect(try StoredValue.integer(5).coerced(to: .double, isOptional: false) == .double(5))
    #expect(try StoredValue.null.coerced(to: .date, isOptional: true) == .null)
    #expect(try StoredValue.text("{}").coerced(to: .json, isOptional: false) == .text("{}"))
    let refused: [(StoredValue, ValueType, StoreError.Code)] = [
      (.null, .integer, .missingValue), (.double(.nan), .double, .notStorable),
      (.malformedText([0xFF]), .text, .notStorable), (.integer(1), .bool, .wrongType),
      (.double(1), .integer, .wrongType), (.text("1"), .integer, .wrongType),
      (.integer(9_007_199_254_740_993), .double, .notStorable), (.text("a"), .data, .wrongType),
      (.decimal(.nan), .decimal, .notStorable), (.bool(true), .any, .wrongType),
    ]
    for (value, type, code) in refused {
      let error = #expect(throws: StoreError.self) {
        try value.coerced(to: type, isOptional: false)
      }
      #expect(error?.code == code, "\(value) \(type)")
    }
  }

  @Test("the nearest candidate is found, letter case and swapped letters forgiven")
  func spelling() {
    let names = ["name", "age", "weight", "playedAt", "goldenEggs"]
    #expect(closestMatch("nmae", in: names) == "name")
    #expect(closestMatch("AGE", in: names) == "age")
    #expect(closestMatch("goldenEgg", in: names) == "goldenEggs")
    #expect(closestMatch("playdAt", in: names) == "playedAt")
    #expect(closestMatch("colour", in: names) == nil)
    #expect(closestMatch("", in: names) == nil)
    #expect(closestMatch(String(repeating: "x", count: 100_000), in: names) == nil)
  }
}
