import KuraCore
import Testing

@testable import KuraSQLite

/// Indexes serve the conditions that they can serve, as SQLite's own EXPLAIN QUERY PLAN says.
@Suite("Query plans")
struct QueryPlanTests {
  private static let model = ModelDescription(
    "Book", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("title", .text, isOptional: true),
      PropertyDescription("pages", .integer, isOptional: true),
    ], indexes: [IndexDescription(["title"]), IndexDescription(["pages"])])

  private func plan(_ text: String) throws -> [String] {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(Self.model)
    let query = try Query(parsing: text, model: "Book").bound(to: ModelLayout(Self.model))
    return try engine.read { try $0.explain(query) }
  }

  @Test(
    "conditions are served by an index",
    arguments: [
      ("title == 'x'", "SEARCH Book USING INDEX kura_index_Book_title (title=?)"),
      (
        "title BEGINSWITH 'x'",
        "SEARCH Book USING INDEX kura_index_Book_title (title>? AND title<?)"
      ),
      ("title == NULL", "SEARCH Book USING INDEX kura_index_Book_title (title=?)"),
      ("pages IN {1, 2, 3}", "SEARCH Book USING INDEX kura_index_Book_pages (pages=?)"),
      ("pages > 5 SORT(pages)", "SEARCH Book USING INDEX kura_index_Book_pages (pages>?)"),
      (
        "pages BETWEEN 1 AND 9",
        "SEARCH Book USING INDEX kura_index_Book_pages (pages>? AND pages<?)"
      ),
      ("NOT pages < 5", nil),
      ("id == 7", "SEARCH Book USING INTEGER PRIMARY KEY (rowid=?)"),
      ("TRUEPREDICATE SORT(pages)", "SCAN Book USING INDEX kura_index_Book_pages"),
      ("title CONTAINS 'x'", "SCAN Book"),
    ] as [(String, String?)])
  func served(text: String, step: String?) throws {
    let lines = try plan(text)
    #expect(lines.first?.hasPrefix("SELECT ") == true)
    guard let step else { return }
    #expect(lines.dropFirst().contains(step), "\(lines)")
    // An order that an index gives needs no sorting.
    if text.contains("SORT") { #expect(!lines.contains { $0.contains("TEMP B-TREE") }, "\(lines)") }
  }

  @Test("the text after a prefix is the least that no text with the prefix reaches")
  func successors() {
    #expect(ConditionLowering.successor(of: "ab") == "ac")
    #expect(ConditionLowering.successor(of: "a\u{7F}") == "a\u{80}")
    #expect(ConditionLowering.successor(of: "\u{D7FF}") == "\u{E000}")
    #expect(ConditionLowering.successor(of: "a\u{10FFFF}") == "b")
    #expect(ConditionLowering.successor(of: "\u{10FFFF}") == nil)
    #expect(ConditionLowering.successor(of: "") == nil)
  }

  @Test("a thousand values and a thousand alternatives are no problem")
  func large() throws {
    let shop = try Workshop()
    defer { withExtendedLifetime(shop) {} }
    let engine = try shop.make(Self.model)
    let layout = ModelLayout(Self.model)
    try engine.write { transaction throws in
      for number in 0..<3000 as Range<Int64> {
        try transaction.put(layout, [.integer(number), .text("t\(number)"), .integer(-number)])
      }
    }
    try engine.read { transaction throws in
      let values = (1000..<29_000 as Range<Int64>).map { StoredValue.integer($0) }
      #expect(
        try transaction.rows(
          BoundQuery(layout: layout, condition: .oneOf(column: 0, values))
        ).count == 2000)
      let parts = (0..<1500 as Range<Int64>).map {
        BoundCondition.compareValue(column: 2, .equal, .integer(-$0 * 2))
      }
      #expect(
        try transaction.rows(BoundQuery(layout: layout, condition: .any(parts))).count == 1500)
      let negated = parts.map { BoundCondition.not($0) }
      #expect(
        try transaction.rows(BoundQuery(layout: layout, condition: .all(negated))).count == 1500)
    }
  }
}
