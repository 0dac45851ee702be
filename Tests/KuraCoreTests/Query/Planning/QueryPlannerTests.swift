import Testing

@testable import KuraCore

/// Which walks the planner chooses, as `explain` says it.
@Suite struct QueryPlannerTests {
  private static let layout = ModelLayout(
    name: "Book",
    columns: [
      .init(name: "id", type: .integer, isOptional: false), .init(name: "title", type: .text),
      .init(name: "pages", type: .integer), .init(name: "city", type: .text),
      .init(name: "isbn", type: .text), .init(name: "isOld", type: .bool),
      .init(name: "price", type: .double), .init(name: "note", type: .text),
    ], keyColumns: [0], rowIDName: nil, isKuraModel: true)

  private static func offer(count: Int64 = 10_000, isOrderTrusted: Bool = true) -> SourceOffer {
    func index(_ columns: [Int], isUnique: Bool = false) -> IndexOffer {
      IndexOffer(
        name: columns.map { layout.columns[$0].name }.joined(separator: ", "),
        components: columns, isUnique: isUnique, isOrderTrusted: isOrderTrusted,
        estimatedCount: count)
    }
    return SourceOffer(
      layout: layout,
      indexes: [
        index([1]), index([2]), index([3, 2]), index([4], isUnique: true), index([6]),
      ], estimatedCount: count)
  }

  private func explain(
    _ text: String, _ offer: SourceOffer = Self.offer(), columns: [Int]? = nil
  ) throws -> [String] {
    var query = try Query(parsing: text, model: "Book").bound(to: offer.layout)
    query.columns = columns
    return QueryPlanner.plan(query, over: offer).explanation
  }

  @Test(
    "indexes and the primary key serve what they can serve",
    arguments: [
      ("id == 7", ["search Book by primary key: id == 7"]),
      ("id IN {7, 9}", ["search Book by primary key: id IN {7, 9}", "order: as found"]),
      (
        "id > 7 AND id <= 9", ["search Book by primary key: id > 7 AND id <= 9", "order: as found"]
      ),
      ("title == 'x'", ["search Book by index (title): title == 'x'", "order: as found"]),
      ("title == NULL", ["search Book by index (title): title == NULL", "order: as found"]),
      (
        "title BEGINSWITH 'x'",
        ["search Book by index (title): title BEGINSWITH 'x'", "sort by id"]
      ),
      (
        "title LIKE 'x*y'",
        [
          "search Book by index (title): title LIKE 'x*y'", "  filter: title LIKE 'x*y'",
          "sort by id",
        ]
      ),
      ("title LIKE 'x'", ["search Book by index (title): title LIKE 'x'", "order: as found"]),
      ("pages IN {1, 2, 5}", ["search Book by index (pages): pages IN {1, 2, 5}", "sort by id"]),
      (
        "pages BETWEEN {1, 9} SORT(pages)",
        ["search Book by index (pages): pages BETWEEN {1, 9}", "order: as found"]
      ),
      ("NOT pages != 5", ["search Book by index (pages): pages == 5", "order: as found"]),
      (
        "city == 'Bonn' AND pages > 5 SORT(pages)",
        ["search Book by index (city, pages): city == 'Bonn' AND pages > 5", "order: as found"]
      ),
      (
        "city == 'Bonn' AND pages == 5",
        ["search Book by index (city, pages): city == 'Bonn' AND pages == 5", "order: as found"]
      ),
      (
        "city IN {'Bonn', 'Ulm'} AND pages == 5 AND note CONTAINS 'x'",
        [
          "search Book by index (city, pages): city IN {'Bonn', 'Ulm'} AND pages == 5",
          "  filter: note CONTAINS 'x'", "sort by id",
        ]
      ),
      (
        "isbn == '3' AND city == 'Bonn'",
        [
          "search Book by index (isbn): isbn == '3'", "  filter: city == 'Bonn'", "order: as found",
        ]
      ),
      (
        "note CONTAINS 'x' AND isOld == true",
        ["scan Book", "  filter: isOld == true AND note CONTAINS 'x'", "order: as found"]
      ),
      ("pages < 5 AND pages > 7", ["nothing to read: no record can be in the result"]),
      ("pages == 5 AND FALSEPREDICATE", ["nothing to read: no record can be in the result"]),
      ("note == 'x' LIMIT(0)", ["nothing to read: no record can be in the result"]),
    ] as [(String, [String])])
  func choices(text: String, lines: [String]) throws {
    #expect(try explain(text) == lines)
  }

  @Test(
    "an OR is a union of walks when every branch has an index, else a scan",
    arguments: [
      (
        "title == 'x' OR pages == 5",
        [
          "search Book by index (title): title == 'x'",
          "then search Book by index (pages): pages == 5",
          "  without records that were found before", "sort by id",
        ]
      ),
      (
        "(title == 'x' OR pages == 5 OR title == 'y') AND note == 'n'",
        [
          "search Book by index (title): title IN {'x', 'y'}", "  filter: note == 'n'",
          "then search Book by index (pages): pages == 5", "  filter: note == 'n'",
          "  without records that were found before", "sort by id",
        ]
      ),
      (
        "title == 'x' OR note == 'n'",
        ["scan Book", "  filter: title == 'x' OR note == 'n'", "order: as found"]
      ),
      // What both branches say about one column is enough for one walk.
      (
        "(title == 'x' AND note == 'n') OR title == 'y'",
        [
          "search Book by index (title): (title == 'x' AND note == 'n') OR title == 'y'",
          "  filter: (title == 'x' AND note == 'n') OR title == 'y'", "sort by id",
        ]
      ),
      (
        "pages == 1 OR pages > 90 SORT(pages)",
        ["search Book by index (pages): pages == 1 OR pages > 90", "order: as found"]
      ),
    ] as [(String, [String])])
  func unions(text: String, lines: [String]) throws {
    #expect(try explain(text) == lines)
  }

  @Test(
    "an index gives an order where it has it, in both directions, and part of one",
    arguments: [
      ("SORT(id DESC) LIMIT(3)", ["scan Book backward", "order: as found", "stop after 3"]),
      ("SORT(pages) LIMIT(3)", ["scan Book by index (pages)", "order: as found", "stop after 3"]),
      (
        "SORT(pages DESC) LIMIT(3)",
        [
          "scan Book by index (pages) backward", "sort by id within equal pages DESC",
          "stop after 3",
        ]
      ),
      (
        "SORT(pages DESC, id DESC) LIMIT(3)",
        ["scan Book by index (pages) backward", "order: as found", "stop after 3"]
      ),
      (
        "SORT(city DESC, pages DESC, id DESC) OFFSET(2) LIMIT(3)",
        ["scan Book by index (city, pages) backward", "order: as found", "skip 2", "stop after 3"]
      ),
      (
        "SORT(city, title) LIMIT(3)",
        [
          "scan Book by index (city, pages)", "sort by title, id within equal city", "stop after 3",
        ]
      ),
      (
        "city == 'Bonn' SORT(pages DESC, id DESC)",
        ["search Book by index (city, pages) backward: city == 'Bonn'", "order: as found"]
      ),
      // Codes are unique where there are any: nothing is equal, so nothing has to be sorted.
      (
        "isbn > '3' SORT(isbn DESC)",
        ["search Book by index (isbn) backward: isbn > '3'", "order: as found"]
      ),
      ("SORT(note) LIMIT(3)", ["scan Book", "sort by note, id", "stop after 3"]),
      (
        "title == 'x' SORT(note DESC)",
        ["search Book by index (title): title == 'x'", "sort by note DESC, id"]
      ),
    ] as [(String, [String])])
  func orders(text: String, lines: [String]) throws {
    #expect(try explain(text) == lines)
  }

  @Test("an index whose long keys were cut finds records and gives no order")
  func untrusted() throws {
    let offer = Self.offer(isOrderTrusted: false)
    #expect(
      try explain("title > 'x' SORT(title)", offer) == [
        "search Book by index (title): title > 'x'", "sort by title, id",
      ])
    #expect(
      try explain("title == 'x'", offer, columns: [0]) == [
        "search Book by index (title): title == 'x'", "sort by id",
      ])
    // A bound beyond what cut keys keep finds more than it should.
    let long = String(repeating: "y", count: 600)
    let lines = try explain("title == '\(long)'", Self.offer())
    #expect(lines.contains { $0.hasPrefix("  filter: title == 'yyy") })
  }

  @Test("no record is read for what an index entry has, except doubles that are results")
  func covering() throws {
    #expect(
      try explain("pages > 5 SORT(pages)", columns: [0, 2]) == [
        "search Book by index (pages), index only: pages > 5", "order: as found",
      ])
    #expect(
      try explain("city == 'Bonn' AND NOT pages IN {1, 5} SORT(pages)", columns: [2]).first
        == "search Book by index (city, pages), index only: city == 'Bonn' AND NOT pages IN {1, 5}")
    // An ordered key does not keep the sign of zero.
    #expect(
      try explain("price > 5.5 SORT(price)", columns: [6]) == [
        "search Book by index (price): price > 5.5", "order: as found",
      ])
    #expect(
      try explain("price > 5.5 SORT(price)", columns: []) == [
        "search Book by index (price), index only: price > 5.5", "order: as found",
      ])
  }

  @Test("distinct values are neighbours in an index, come in its order, or are sorted")
  func distinct() throws {
    #expect(
      try explain("pages > 100 DISTINCT(pages) SORT(pages)") == [
        "search Book by index (pages): pages > 100", "distinct (pages): the first of neighbours",
        "order: as found",
      ])
    #expect(
      try explain("DISTINCT(note) SORT(note)") == [
        "scan Book", "distinct (note): by sorting", "order: as found",
      ])
    #expect(
      try explain("DISTINCT(note)") == ["scan Book", "distinct (note): by sorting", "sort by id"])
    #expect(try explain("DISTINCT(id)") == ["scan Book", "order: as found"])
  }

  @Test("a composite key is searched by its first parts")
  func compositeKey() throws {
    let layout = ModelLayout(
      name: "Pair",
      columns: [
        .init(name: "number", type: .integer, isOptional: false), .init(name: "note", type: .text),
        .init(name: "team", type: .text, isOptional: false),
      ], keyColumns: [2, 0], rowIDName: nil, isKuraModel: true)
    let offer = SourceOffer(layout: layout, estimatedCount: 5000)
    func lines(_ text: String) throws -> [String] {
      QueryPlanner.plan(
        try Query(parsing: text, model: "Pair").bound(to: layout), over: offer
      ).explanation
    }
    #expect(
      try lines("team == 'a' AND number > 3") == [
        "search Pair by primary key: team == 'a' AND number > 3", "order: as found",
      ])
    #expect(
      try lines("team == 'a' SORT(number DESC)") == [
        "search Pair by primary key backward: team == 'a'", "order: as found",
      ])
    #expect(
      try lines("number == 3") == ["scan Pair", "  filter: number == 3", "order: as found"])
    #expect(
      try lines("team == 'a' AND number == 3") == [
        "search Pair by primary key: team == 'a' AND number == 3"
      ])
  }

  @Test("thousands of values and of alternatives are planned in no time and as one walk")
  func large() throws {
    let many = (0..<20_000 as Range<Int64>).map { StoredValue.integer($0 * 2) }
    var plan = QueryPlanner.plan(
      BoundQuery(layout: Self.layout, condition: .oneOf(column: 0, many)),
      over: Self.offer(count: 10_000_000))
    #expect(plan.steps.count == 1 && plan.steps.first?.ranges.count == 20_000)
    let parts = many.prefix(5000).map { BoundCondition.compareValue(column: 2, .equal, $0) }
    plan = QueryPlanner.plan(
      BoundQuery(layout: Self.layout, condition: .any(Array(parts))),
      over: Self.offer(count: 10_000_000))
    #expect(plan.steps.count == 1 && plan.steps.first?.ranges.count == 5000)
    plan = QueryPlanner.plan(
      BoundQuery(layout: Self.layout, condition: .not(.any(Array(parts)))),
      over: Self.offer(count: 10_000_000))
    #expect(plan.steps.count == 1)
    // Neighbours are one range, but for those whose last byte overflows.
    let near = (0..<1000 as Range<Int64>).map { StoredValue.integer($0) }
    plan = QueryPlanner.plan(
      BoundQuery(layout: Self.layout, condition: .oneOf(column: 0, near)),
      over: Self.offer(count: 10_000_000))
    #expect(plan.steps.first?.ranges.count == 4)
  }
}
