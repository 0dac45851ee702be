import Foundation
import Kura
import Testing

/// Conditions on other records on backends that look at one model at a time: keys are looked up first
/// as long as they are few.
@Suite struct KeySetTests {
  /// 20,500 towns and 12 makers in every 1,000th of them, with a list each.
  private func store() throws -> Store {
    let store = try Store.open(
      StoreConfiguration(
        at: .memory,
        schema: try Schema(version: 1, Town.self, Maker.self, Item.self, Order.self),
        format: .lmdb))
    try store.write { transaction in
      try transaction.insert(
        contentsOf: (0..<20_500).map { Town(id: "t\($0)", name: "town \($0 % 2)") })
      try transaction.insert(
        contentsOf: (0..<12).map {
          Maker(id: $0, name: "m\($0)", town: Reference("t\($0 * 1_001)"))
        })
      try transaction.insert(
        contentsOf: (1...20_500).map {
          Item(id: $0, name: "i", price: nil, weight: $0 % 7, cost: 0, maker: Reference($0 % 12))
        })
      try transaction.update(Maker.self, key: 3) { maker in
        maker.products = ReferenceList(references: (1...20_200).map { Reference($0) })
      }
      try transaction.update(Maker.self, key: 4) { $0.products = [Reference(7), Reference(9)] }
    }
    return store
  }

  @Test("many keys are not kept: each record is looked at")
  func manyKeys() throws {
    let store = try store()
    try store.read { (transaction) throws in
      let few = Maker.where { $0.town.id.isIn(["t1001", "t3003"]) }
      #expect(try transaction.records(few).map(\.id) == [1, 3])
      #expect(
        try transaction.explain(few).first
          == "look up 2 keys first: id IN (Town WHERE id IN {'t1001', 't3003'})")

      let many = Maker.where { $0.town.name.hasPrefix("town") && $0.id != 2 }
      #expect(try transaction.count(many) == 11)
      let plan = try transaction.explain(many)
      #expect(
        plan == [
          "search Maker by primary key: id != 2",
          "  filter: town IN (Town WHERE name BEGINSWITH 'town')",
          "order: as found",
          "  from other records, for each record: town IN (Town WHERE name BEGINSWITH 'town')",
        ], "\(plan)")
      #expect(
        try transaction.records(Maker.where { !($0.town.name == "town 1") }).map(\.id)
          == [0, 2, 4, 6, 8, 10])

      // Lists: the owners of elements are few, the elements' records are many.
      let list = Maker.where { $0.products.any { $0.weight < 6 } }
      #expect(try transaction.records(list).map(\.id) == [3, 4])
      let counted = Maker.where { $0.products.count { $0.weight < 7 } >= 3 }
      #expect(try transaction.records(counted).map(\.id) == [3])
      // More than 20,000 keys are given up, although each record costs a look then.
      let elements = try Query(parsing: "Maker_products WHERE target.weight < 7")
      #expect(try transaction.count(elements) == 20_202)
      #expect(
        try transaction.explain(elements) == [
          "scan Maker_products", "  filter: target IN (Item WHERE weight < 7)", "order: as found",
          "  from other records, for each record: target IN (Item WHERE weight < 7)",
        ])
      let fewer = try Query(parsing: "Maker_products WHERE target.weight < 1 AND position < 9")
      #expect(try transaction.count(fewer) == 2)
      let none = Maker.where { $0.products.none { $0.weight != 3 } && $0.id < 5 }
      #expect(try transaction.records(none).map(\.id) == [0, 1, 2])
    }
  }

  @Test("where the rest leaves few records, these are looked at")
  func fewRecords() throws {
    let store = try store()
    try store.read { (transaction) throws in
      let one = Item.where { $0.maker.town.name == "town 1" && $0.id.isIn([5, 6, 7]) }
      #expect(try transaction.records(one).map(\.id) == [5, 7])
      let maker = Maker.where { $0.town.name == "town 1" && $0.id == 5 }
      #expect(try transaction.records(maker).map(\.id) == [5])
      let plan = try transaction.explain(maker)
      #expect(
        plan.first == "search Maker by primary key: id == 5"
          && plan.last
            == "  from other records, for each record: town IN (Town WHERE name == 'town 1')",
        "\(plan)")
    }
  }

  @Test("changes by query do not keep many keys either")
  func changes() throws {
    let store = try store()
    try store.write { (transaction) throws in
      let query = Maker.where { $0.town.name != "town 1" && $0.town.name != "x" }
      #expect(try transaction.update(query, set: { $0.name }, to: "even") == 6)
      #expect(try transaction.delete(Maker.where { $0.town.name.hasPrefix("t") && $0.id > 9 }) == 2)
      #expect(
        try transaction.records(Maker.where { $0.name == "even" }).map(\.id) == [0, 2, 4, 6, 8])
    }
  }
}
