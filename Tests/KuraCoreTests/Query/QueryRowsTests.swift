import Testing

@testable import KuraCore

/// What a query of columns or groups may ask for.
@Suite struct QueryRowsTests {
  private static let layout = ModelLayout(
    ModelDescription(
      "Egg", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription("team", .text, isOptional: true),
        PropertyDescription("size", .integer, isOptional: true),
      ]))

  private func rows(_ text: String) throws(StoreError) -> BoundRows {
    try Query(parsing: text, model: "Egg").boundRows(to: Self.layout)
  }

  @Test("columns have the names that the text gives them")
  func names() throws {
    #expect(try rows("").columnNames == ["id", "team", "size"])
    #expect(try rows("SELECT(size, TEAM)").columnNames == ["size", "team"])
    #expect(try rows("GROUP(team)").columnNames == ["team", "@count"])
    #expect(
      try rows("GROUP(team) SELECT(@avg.size, team, @COUNT)").columnNames
        == ["@avg.size", "team", "@count"])
  }

  /// Columns counted by hand.
  @Test(
    "what has no meaning for groups is refused at its place",
    arguments: [
      ("GROUP(team) SELECT(size)", "more than one value in a group", 20),
      ("GROUP(team) SORT(size)", "ordered by what they are grouped by", 18),
      ("GROUP(team) DISTINCT(size)", "DISTINCT and groups", nil),
      ("SELECT(team, @count)", "needs groups", nil), ("SELECT(@sum.team)", "is no number", nil),
      ("GROUP(taem)", "no property", 7), ("GROUP(team) SELECT(@max.sise)", "no property", 25),
      ("GROUP(a.b)", "paths through references", 7),
    ] as [(String, String, Int?)])
  func refusals(text: String, message: String, column: Int?) {
    let error = #expect(throws: StoreError.self) { try rows(text) }
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    if let column {
      #expect(error?.message.contains(" at column \(column)\n") == true, "\(text)")
    }
  }

  @Test("rows are no records")
  func records() throws {
    for text in ["GROUP(team)", "SELECT(team)", "SELECT(@count)"] {
      let query = try Query(parsing: text, model: "Egg")
      let error = #expect(throws: StoreError.self) { try query.bound(to: Self.layout) }
      #expect(error?.code == .invalidQuery)
    }
  }

  @Test("groups are walked in their order, with the columns that are needed only")
  func walk() throws {
    let rows = try rows("size > 1 GROUP(team) SORT(team DESC) SELECT(team, @sum.size) LIMIT(3)")
    let (query, places) = rows.walked
    #expect(query.columns == [1, 2] && places == [1: 0, 2: 1])
    #expect(
      query.order == [BoundSortTerm(column: 1, isDescending: true), BoundSortTerm(column: 0)])
    #expect(query.limit == nil && rows.limit == 3)
  }
}
