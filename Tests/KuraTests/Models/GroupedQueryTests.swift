import Foundation
import Kura
import Testing

/// Typed rows, groups and conditions on groups, on every backend, against values worked out by hand.
@Suite struct GroupedQueryTests {
  @Test("properties of records are tuples", arguments: ModelTests.formats)
  func projections(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    try sample.store.read { (transaction) throws in
      let rows = try transaction.rows(
        Item.where { $0.weight > 5 }.sorted { $0.price.descending }
          .select { ($0.name, $0.price, $0.cost) })
      #expect(rows.map(\.0) == ["bolt", "nut", "Nut", "gear"])
      #expect(rows.map(\.1) == [4, 1.5, 0.25, nil])
      #expect(rows.map(\.2) == ["0.20", "0.10", "0.05", "0.30"].map { Decimal(string: $0) })
      let names: [String] = try transaction.rows(Item.all.select { $0.name }.limit(2).offset(1))
      #expect(names == ["bolt", "gear"])
      let towns: [String?] = try transaction.rows(
        Order.all.select { $0.maker.town.name.optional }.distinct())
      #expect(towns == ["Bonn", nil, "Kyoto"])
      let pairs = try transaction.rows(
        Item.all.select { ($0.maker.name.optional, $0.price) }.distinct().limit(3))
      #expect(pairs.map(\.0) == ["Acme", "Bolts", nil] && pairs.map(\.1) == [1.5, 4, nil])
    }
  }

  @Test(
    "a column that a record has not is an error where its type needs one",
    arguments: ModelTests.formats)
  func missingColumns(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    let error = #expect(throws: StoreError.self) {
      try sample.store.read { try $0.rows(Order.all.select { ($0.id, $0.maker.name) }) }
    }
    #expect(error?.code == .wrongType)
  }

  @Test("groups have keys and numbers, and conditions on them", arguments: ModelTests.formats)
  func groups(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    try sample.store.read { (transaction) throws in
      let all = try transaction.rows(
        Order.all.grouped { $0.maker.name }
          .select {
            ($0.maker.name, $0.count, $0.sum(\.limit), $0.average(\.limit), $0.maximum(\.id))
          })
      #expect(all.map(\.0) == [nil, "Acme", "Bolts", "Cogs"])
      #expect(all.map(\.1) == [1, 2, 1, 2])
      #expect(all.map(\.2) == [60, 25, 0, 72])
      #expect(all.map(\.3) == [60, 12.5, nil, 36])
      #expect(all.map(\.4) == [3, 6, 2, 5])
      let some = try transaction.rows(
        Order.where { $0.id < 6 }.grouped { ($0.maker.name, $0.maker.town.id) }
          .having { $0.count < 2 && $0.minimum(\.limit) >= 30 }
          .select { ($0.maker.name, $0.maker.town.id) })
      #expect(some.map(\.0) == [nil, "Acme"] && some.map(\.1) == [nil, "b"])
      let plan = try transaction.explain(
        Order.all.grouped { $0.label }.having { $0.count > 1 }.select { $0.label })
      #expect(plan.contains("only groups with @count > 1"), "\(plan)")
    }
  }

  @Test(
    "HAVING leaves groups out, before limit and offset",
    arguments: ModelTests.formats,
    [
      ("GROUP(maker.name) HAVING(@count > 1)", [["Acme", 2], ["Cogs", 2]]),
      ("GROUP(maker.name) HAVING(@count > 1) LIMIT(1) OFFSET(1)", [["Cogs", 2]]),
      ("GROUP(maker.name) SELECT(@count) HAVING(@avg.limit > 30 AND maker.name != NULL)", [[2]]),
      ("GROUP(maker.name) SELECT(maker.name) HAVING(@avg.limit == NULL)", [["Bolts"]]),
      (
        "GROUP(maker.name) HAVING(@sum.limit IN {25, 60} OR maker.name BEGINSWITH[c] 'b')",
        [[.null, 1], ["Acme", 2], ["Bolts", 1]]
      ),
      ("GROUP(maker.name) HAVING(@max.id - @min.id BETWEEN {2, 5})", [["Acme", 2]]),
      (
        "GROUP(maker.name) HAVING(NOT (@max.limit < 50))",
        [[.null, 1], ["Bolts", 1], ["Cogs", 2]]
      ),
      ("SELECT(@count, @sum.limit) HAVING(@max.limit == 67)", [[6, 157]]),
      ("SELECT(@count, @sum.limit) HAVING(@max.limit > 67)", []),
      ("id > 100 SELECT(@count) HAVING(@sum.limit == 0)", [[0]]),
    ] as [(String, [[StoredValue]])])
  func having(format: StoreFormat, example: (String, [[StoredValue]])) throws {
    let (text, expected) = example
    let sample = try ShopSample(format)
    let query = try Query(parsing: text, model: "Order")
    #expect(try sample.store.read { try $0.rows(query) } == expected, "\(text)")
  }

  @Test(
    "wrong conditions on groups are errors that show the place",
    arguments: [
      ("GROUP(label) HAVING(limit > 3)", "query.invalid", "more than one value"),
      ("GROUP(label) HAVING(@sum.lmit > 3)", "schema.unknownProperty", "did you mean limit"),
      ("GROUP(label) HAVING(@sum.label > 3)", "query.invalid", "needs numbers"),
      ("GROUP(label) HAVING(@totl > 3)", "query.invalid", "known are @count"),
      ("GROUP(label) HAVING(@count > 'x')", "query.invalid", "cannot be compared"),
      ("GROUP(label) HAVING(ANY items.weight > 3)", "query.invalid", "HAVING is about groups"),
      ("GROUP(label) HAVING(items.@count > 3)", "query.invalid", "more than one value"),
      ("HAVING(@count > 3)", "query.invalid", "there are none"),
      ("@count > 3", "query.invalid", "stands in HAVING"),
      ("items.@count > 1 AND @avg.limit > 3", "query.invalid", "column 22"),
      ("GROUP(label) HAVIN(@count > 3)", "query.invalid", "did you mean HAVING"),
    ])
  func mistakes(text: String, code: String, part: String) throws {
    let sample = try ShopSample(.sqlite)
    let error = #expect(throws: StoreError.self) {
      try sample.store.read { try $0.rows(try Query(parsing: text, model: "Order")) }
    }
    #expect(
      error?.code.rawValue == code && "\(error.map { "\($0)" } ?? "")".contains(part),
      "\(text): \(String(describing: error))")
  }
}
