import Foundation
import Kura
import Testing

@Model struct Town {
  @PrimaryKey var id: String
  var name: String
}

@Model struct Maker {
  @PrimaryKey var id: Int
  var name: String
  @Relation(onDelete: .nullify) var town: Reference<Town>?
  @Relation(onDelete: .nullify) var products: ReferenceList<Item> = []
}

@Model struct Item {
  @PrimaryKey var id: Int
  var name: String
  var price: Double?
  var weight: Int
  var cost: Decimal
  @Relation(onDelete: .nullify) var maker: Reference<Maker>?
}

@Model struct Order {
  @PrimaryKey var id: Int
  var label: String
  var limit: Int?
  @Relation(onDelete: .nullify) var maker: Reference<Maker>?
  @Relation(onDelete: .nullify) var items: ReferenceList<Item> = []
}

/// Orders with lists of items that refer to makers in towns, made by hand, and the same as arrays.
struct ShopSample {
  let store: Store
  let towns = [Town(id: "b", name: "Bonn"), Town(id: "k", name: "Kyoto")]
  let items = [
    Item(id: 1, name: "nut", price: 1.5, weight: 10, cost: Decimal(string: "0.10") ?? 0),
    Item(id: 2, name: "bolt", price: 4, weight: 20, cost: Decimal(string: "0.20") ?? 0),
    Item(id: 3, name: "gear", price: nil, weight: 30, cost: Decimal(string: "0.30") ?? 0),
    Item(id: 4, name: "axle", price: 8.5, weight: -5, cost: Decimal(string: "1.15") ?? 0),
    Item(id: 5, name: "Nut", price: 0.25, weight: 7, cost: Decimal(string: "0.05") ?? 0),
  ].enumerated().map { place, item in
    var item = item
    // Item 3 has no maker, and maker 2 no town.
    item.maker = [1, 2, nil, 3, 3][place].map { Reference($0) }
    return item
  }
  let makers: [Maker]
  let orders: [Order]

  init(_ format: StoreFormat) throws {
    store = try Store.open(
      StoreConfiguration(
        at: .memory,
        schema: try Schema(version: 1, Town.self, Maker.self, Item.self, Order.self),
        format: format))
    func list(_ ids: [Int]) -> ReferenceList<Item> {
      ReferenceList(references: ids.map { Reference($0) })
    }
    makers = [
      Maker(id: 1, name: "Acme", town: Reference("b"), products: list([1])),
      Maker(id: 2, name: "Bolts", town: nil, products: list([2, 2])),
      Maker(id: 3, name: "Cogs", town: Reference("k"), products: list([4, 5])),
    ]
    orders = [
      Order(id: 1, label: "Acme", limit: 30, maker: Reference(1), items: list([1, 2])),
      Order(id: 2, label: "b", limit: nil, maker: Reference(2), items: list([])),
      Order(id: 3, label: "c", limit: 60, maker: nil, items: list([3])),
      Order(id: 4, label: "d", limit: 5, maker: Reference(3), items: list([4, 4, 5])),
      Order(id: 5, label: "Cogs", limit: 67, maker: Reference(3), items: list([1, 2, 3, 5])),
      Order(id: 6, label: "f", limit: -5, maker: Reference(1), items: list([4])),
    ]
    let (towns, makers, items, orders) = (towns, makers, items, orders)
    try store.write { transaction in
      try transaction.insert(contentsOf: towns)
      try transaction.insert(
        contentsOf: makers.map { Maker(id: $0.id, name: $0.name, town: $0.town) })
      try transaction.insert(contentsOf: items)
      for maker in makers { try transaction.upsert(maker) }
      try transaction.insert(contentsOf: orders)
    }
  }

  func items(_ order: Order) -> [Item] {
    order.items.keys.compactMap { key in items.first { $0.id == key } }
  }

  func maker(_ reference: Reference<Maker>?) -> Maker? {
    reference.flatMap { reference in makers.first { $0.id == reference.key } }
  }

  func town(_ maker: Maker?) -> Town? {
    maker?.town.flatMap { reference in towns.first { $0.id == reference.key } }
  }

  /// Compares what a text, and a typed query that means the same, select with what must be selected.
  func check(
    _ text: String, _ expected: [Int], _ typed: TypedQuery<Order>? = nil, line: Int = #line
  ) throws {
    let found = try store.read { transaction in
      try transaction.records(try Order.filter(text)).map(\.id)
    }
    #expect(found == expected, "\(text), line \(line)")
    guard let typed else { return }
    let same = try store.read { try $0.records(typed).map(\.id) }
    #expect(same == expected, "typed \(text), line \(line)")
  }
}
