import Foundation
import Kura
import Testing

/// Orders, distinct values, columns and groups by paths through references, against hand-made ones.
///
/// Makers of the orders 1 to 6: Acme, Bolts, none, Cogs, Cogs, Acme; their towns: Bonn, none, none,
/// Kyoto, Kyoto, Bonn.
@Suite struct PathOrderTests {
  private func ids(_ sample: ShopSample, _ text: String) throws -> [Int] {
    let query = try Query(parsing: text, model: "Order")
    return try sample.store.read { transaction in
      try transaction.records(query).compactMap { record in
        guard case .integer(let id) = record["id"] else { return nil }
        return Int(id)
      }
    }
  }

  @Test(
    "a path through references orders, with nothing before everything",
    arguments: ModelTests.formats)
  func orders(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    #expect(try ids(sample, "SORT(maker.name ASC)") == [3, 1, 6, 2, 4, 5])
    #expect(try ids(sample, "SORT(maker.name DESC, id DESC)") == [5, 4, 2, 6, 1, 3])
    #expect(try ids(sample, "SORT(maker.town.name)") == [2, 3, 1, 6, 4, 5])
    #expect(try ids(sample, "SORT(maker.town.name DESC, maker.name) LIMIT(4)") == [4, 5, 1, 6])
    #expect(
      try ids(sample, "maker.town.name != 'Bonn' SORT(maker.name DESC) OFFSET(1)") == [5, 2, 3])
    try sample.store.read { (transaction) throws in
      let typed = Order.all.sorted { $0.maker.town.name.descending }.sorted {
        $0.maker.name.ascending
      }
      #expect(try transaction.records(typed).map(\.id) == [4, 5, 1, 6, 3, 2])
      #expect(try transaction.records(typed).last?.items.count == 0)
      #expect(try transaction.first(typed)?.id == 4)
      #expect(try transaction.count(typed.limit(4)) == 4)
    }
  }

  @Test("a path through references has distinct values", arguments: ModelTests.formats)
  func distinct(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    #expect(try ids(sample, "DISTINCT(maker.name)") == [1, 2, 3, 4])
    #expect(try ids(sample, "DISTINCT(maker.town.name) SORT(maker.town.name DESC)") == [4, 1, 2])
    #expect(try ids(sample, "id > 1 DISTINCT(maker.town.name, maker.name)") == [2, 3, 4, 6])
    try sample.store.read { (transaction) throws in
      let typed = Order.all.distinct { $0.maker.town.name }.sorted { $0.id.descending }
      #expect(try transaction.records(typed).map(\.id) == [4, 2, 1])
      #expect(try transaction.count(typed) == 3)
      #expect(try transaction.sum(typed, of: { $0.id }) == 7)
    }
  }

  @Test("properties of different records compare", arguments: ModelTests.formats)
  func comparisons(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    try sample.check("maker.name == label", [1, 5])
    try sample.check("maker.name BEGINSWITH[c] label", [1, 2, 5])
    try sample.check("NOT maker.name == label", [2, 3, 4, 6])
    try sample.check("maker.id * 2 == maker.products.@count + 1", [1, 3, 6])
    try sample.check("label == maker.town.name", [])
    try sample.check("maker.town.id < label AND maker.town.id != NULL", [6])
  }

  @Test("rows have columns and groups of paths", arguments: ModelTests.formats)
  func rows(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    func rows(_ text: String) throws -> [[StoredValue]] {
      let query = try Query(parsing: text, model: "Order")
      return try sample.store.read { try $0.rows(query) }
    }
    #expect(
      try rows("id < 4 SELECT(id, maker.town.name) SORT(maker.name DESC)")
        == [[2, .null], [1, "Bonn"], [3, .null]])
    #expect(
      try rows("GROUP(maker.town.name) SELECT(maker.town.name, @count, @sum.limit)")
        == [[.null, 2, 60], ["Bonn", 2, 25], ["Kyoto", 2, 72]])
    #expect(
      try rows("GROUP(maker.name) SELECT(maker.name, @max.maker.id) SORT(maker.name DESC) LIMIT(2)")
        == [["Cogs", 3], ["Bolts", 2]])
    #expect(try rows("SELECT(@avg.maker.id)") == [[2.0]])
  }

  @Test("explain says where an order by a path comes from", arguments: ModelTests.formats)
  func explain(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    let plan = try sample.store.read { transaction in
      try transaction.explain(Order.all.sorted { $0.maker.name.ascending })
    }
    if format == .sqlite {
      #expect(plan.contains { $0.contains("TEMP B-TREE FOR ORDER BY") }, "\(plan)")
    } else {
      #expect(
        plan == [
          "scan Order", "sort by maker.name, id",
          "  from other records, for each record: maker.name",
        ], "\(plan)")
    }
  }
}
