import Foundation
import Kura
import Testing

/// Conditions on numbers over lists, on every backend, against values worked out by hand.
///
/// Prices of the orders: 1.5 4 | none | nil | 8.5 8.5 0.25 | 1.5 4 nil 0.25 | 8.5; weights: 10 20 | none |
/// 30 | -5 -5 7 | 10 20 30 7 | -5.
@Suite struct ListNumberTests {
  @Test(
    "the least, greatest, summed and mean value of a list decide", arguments: ModelTests.formats)
  func numbers(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    try sample.check(
      "items.price.@avg > 2.5", [1, 4, 6], Order.where { $0.items.average(\.price) > 2.5 })
    try sample.check(
      "items.@avg.price > 2.5", [1, 4, 6], Order.where { $0.items.average { $0.price } > 2.5 })
    try sample.check(
      "items.price.@min < 1", [4, 5], Order.where { $0.items.minimum(\.price) < 1 })
    try sample.check(
      "items.price.@max == 8.5", [4, 6], Order.where { $0.items.maximum(\.price) == 8.5 })
    try sample.check(
      "items.weight.@sum >= 30", [1, 3, 5], Order.where { $0.items.sum(\.weight) >= 30 })
    try sample.check(
      "items.weight.@sum BETWEEN {-5, 0}", [2, 4, 6],
      Order.where { $0.items.sum(\.weight).isBetween(-5, and: 0) })
    try sample.check("items.weight.@max IN {10, 20}", [1])
    try sample.check(
      "items.name.@min == 'Nut' AND id > 4", [5],
      Order.where { $0.items.minimum(\.name) == "Nut" && $0.id == 5 })
    // 0.30 exactly, which no sum of doubles is.
    try sample.check(
      "items.cost.@sum == decimal'0.30'", [1, 3],
      Order.where { $0.items.sum(\.cost) == (Decimal(string: "0.30") ?? 0) })
    try sample.check("items.cost.@avg == 0.15", [1])
    try sample.check("items.weight.@avg == 15", [1])
    try sample.check("3 < items.weight.@avg", [1, 3, 5])
  }

  @Test(
    "an empty list has the sum zero, and no least, greatest and mean value",
    arguments: ModelTests.formats)
  func emptyLists(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    try sample.check(
      "items.price.@avg == NULL", [2, 3], Order.where { $0.items.average(\.price) == nil })
    try sample.check("items.price.@min == NULL", [2, 3])
    try sample.check(
      "items.price.@max != NULL", [1, 4, 5, 6], Order.where { $0.items.maximum(\.price) != nil })
    try sample.check(
      "items.price.@sum == 0", [2, 3], Order.where { $0.items.sum(\.price) == 0 })
    try sample.check("items.weight.@sum == 0 AND items.@count == 0", [2])
    try sample.check("items.cost.@sum == 0", [2])
    // Two-valued: no order with nothing, and its opposite is true.
    try sample.check("items.price.@avg < 100", [1, 4, 5, 6])
    try sample.check(
      "NOT items.price.@avg < 100", [2, 3], Order.where { !($0.items.average(\.price) < 100) })
  }

  @Test("numbers over lists compute and compare with properties", arguments: ModelTests.formats)
  func operands(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    try sample.check("items.weight.@sum == limit", [1, 5, 6])
    try sample.check("items.weight.@sum + 30 == limit", [3])
    try sample.check("items.weight.@max - items.weight.@min > 10", [4, 5])
    try sample.check("items.@count * 10 > limit", [4, 6])
    try sample.check("items.@count BETWEEN {2, 3}", [1, 4])
    try sample.check("items.@count == items.weight.@sum / 15", [1, 2, 5])
    try sample.check("items.name.@max CONTAINS[c] 'NUT'", [1, 5])
  }

  @Test(
    "lists are reached through references, and properties behind lists",
    arguments: ModelTests.formats)
  func paths(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    // Makers' products weigh 10 | 20 20 | -5 7; order 3 has no maker and so no number.
    try sample.check(
      "maker.products.weight.@sum > 5", [1, 2, 6],
      Order.where { $0.maker.products.sum(\.weight) > 5 })
    try sample.check("maker.products.@count == 2", [2, 4, 5])
    try sample.check("maker.products.@count * 1 == NULL", [3])
    try sample.check("maker.products.weight.@sum == NULL", [3])
    try sample.check("items.maker.name.@max == 'Bolts'", [1])
    try sample.check("items.maker.town.name.@min == 'Kyoto'", [4, 6])
    try sample.check("items.maker.town.name.@min == NULL", [2, 3])
    try sample.check("ANY items.maker.products.weight.@sum == 2", [4, 5, 6])
  }

  @Test(
    "SUBQUERY takes numbers of the records that fulfil a condition",
    arguments: ModelTests.formats)
  func subqueries(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    try sample.check(
      "SUBQUERY(items, $x, $x.price > 1 AND $x.weight > 5).@count == 2", [1, 5],
      Order.where { $0.items.count { $0.price > 1 && $0.weight > 5 } == 2 })
    try sample.check("SUBQUERY(items, $x, $x.weight < 0).@count > 1", [4])
    try sample.check("SUBQUERY(items, $x, TRUEPREDICATE).@count == 0", [2])
    try sample.check(
      "SUBQUERY(items, $x, $x.price > 1).@avg.weight == 15", [1, 5],
      Order.where { $0.items.filter { $0.price > 1 }.average(\.weight) == 15 })
    try sample.check(
      "SUBQUERY(items, $i, $i.maker.name BEGINSWITH 'C' AND $i.weight > 0).@sum.weight == 7",
      [4, 5],
      Order.where {
        $0.items.filter { $0.maker.name.hasPrefix("C") && $0.weight > 0 }.sum(\.weight) == 7
      })
    try sample.check(
      "SUBQUERY(items, $x, $x.name == $x.maker.name).@count == 0", [1, 2, 3, 4, 5, 6])
    try sample.check(
      "SUBQUERY(items, $x, SUBQUERY($x.maker.products, $y, $y.weight == 20).@count == 2).@count == 1",
      [1, 5])
    try sample.check("SUBQUERY(maker.products, $x, $x.weight > 6).@count > 1", [2])
    try sample.check("NOT SUBQUERY(items, $x, $x.price == NULL).@count > 0", [1, 2, 4, 6])
    try sample.check("SUBQUERY(items, $x, ANY $x.maker.products.name == 'Nut').@count >= 2", [4])
  }

  @Test("a sum beyond 64 bits is equal to nothing", arguments: ModelTests.formats)
  func overflow(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    try sample.store.write { transaction in
      try transaction.update(Item.where { $0.id == 2 }, set: { $0.weight }, to: .max)
    }
    // Order 1 has it once with 10, order 5 with 47.
    try sample.check("items.weight.@sum == NULL", [1, 5])
    try sample.check("items.weight.@avg > 4000000000000000000", [1])
  }

  @Test("changes by query look at lists", arguments: ModelTests.formats)
  func changes(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    try sample.store.write { (transaction) throws in
      let query = Order.where { $0.items.sum(\.weight) < 1 }
      #expect(try transaction.update(query, set: { $0.label }, to: "light") == 3)
      #expect(
        try transaction.sum(Order.where { $0.items.sum(\.weight) > 1 }, of: { $0.limit }) == 157)
      #expect(try transaction.delete(query) == 3)
      #expect(try transaction.records(Order.all).map(\.id) == [1, 3, 5])
    }
  }

  @Test("explain says what is looked at for each record", arguments: ModelTests.formats)
  func explain(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    let plan = try sample.store.read { transaction in
      try transaction.explain(Order.where { $0.items.average(\.price) > 3 && $0.id > 2 })
    }
    if format == .sqlite {
      #expect(plan.first?.contains("kura_average_double(\"price\")") == true, "\(plan)")
      #expect(plan.contains { $0.hasPrefix("SEARCH kura_") }, "\(plan)")
    } else {
      #expect(
        plan == [
          "search Order by primary key: id > 2", "  filter: items.price.@avg > 3.0",
          "order: as found", "  from other records, for each record: items.price.@avg",
        ], "\(plan)")
    }
  }
}
