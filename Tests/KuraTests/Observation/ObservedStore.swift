import Foundation
import Kura
import KuraTesting

@testable import KuraCore

/// A store with two models, and histories of random commits on it.
struct ObservedStore {
  let store: Store
  var random: RepeatableGenerator

  static func schema() throws -> Schema {
    try Schema(
      version: 1,
      [
        ModelDescription(
          "Item", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("name", .text),
            PropertyDescription("group", .integer, isOptional: true),
            PropertyDescription("weight", .double), PropertyDescription("price", .decimal),
            PropertyDescription("any", .any, isOptional: true),
            PropertyDescription(
              "part", .text, isOptional: true,
              reference: ReferenceDescription(to: "Part", onDelete: .nullify)),
          ], indexes: [IndexDescription(["group"])]),
        ModelDescription(
          "Part", primaryKey: ["name"],
          properties: [PropertyDescription("name", .text), PropertyDescription("size", .integer)]),
        ModelDescription(
          "Stock", primaryKey: ["place", "item"],
          properties: [
            PropertyDescription("place", .text),
            PropertyDescription(
              "item", .integer, reference: ReferenceDescription(to: "Item", onDelete: .cascade)),
            PropertyDescription("count", .integer),
          ], indexes: [IndexDescription(["item"])]),
      ])
  }

  init(_ format: StoreFormat, seed: UInt64, at location: StoreLocation = .memory) throws {
    store = try Store.open(
      StoreConfiguration(at: location, schema: try ObservedStore.schema(), format: format))
    random = RepeatableGenerator(seed: seed)
  }

  private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func item(_ id: Int64) -> [String: StoredValue] {
    let texts = ["", "a", "B", "b", "Ä", "東京", "🥚"]
    let any: [StoredValue] = [.null, .integer(2), .double(2.5), .text("x"), .data([1, 0])]
    return [
      "id": .integer(id), "name": .text(texts[number(0..<texts.count)]),
      "group": number(0..<5) == 0 ? .null : .integer(Int64(number(0..<4))),
      "weight": .double([0.1, 0.2, 0.3, -1.5, 1e17, .infinity][number(0..<5)]),
      "price": .decimal(Decimal(number(-50..<50)) / 4), "any": any[number(0..<any.count)],
      "part": number(0..<2) == 0 ? .null : .text("p\(number(0..<4))"),
    ]
  }

  /// Makes a commit, or one that is given up.
  mutating func commit(skipping: Set<Int> = []) throws {
    var steps: [(WriteTransaction) throws -> Void] = []
    for _ in 0..<[1, 1, 1, 3, 8][number(0..<5)] { steps.append(step()) }
    let isGivenUp = number(0..<12) == 0
    do {
      try store.write(timeout: nil, skipping: skipping) { transaction in
        for step in steps {
          do { try transaction.savepoint { try step(transaction) } } catch is GivenUp {
          } catch let error as StoreError {
            // Data that breaks a rule changes nothing.
            guard [.brokenReference, .duplicateKey].contains(error.code) else { throw error }
          }
        }
        if isGivenUp { throw GivenUp() }
      }
    } catch is GivenUp {}
  }

  private struct GivenUp: Error {}

  private mutating func step() -> (WriteTransaction) throws -> Void {
    let id = Int64(number(0..<30))
    var values = item(id)
    switch number(0..<14) {
    case 0, 1, 2: return { try $0.upsert("Item", values) }
    case 3: return { try $0.insert("Item", values) }
    case 4, 5:
      values["id"] = nil
      // In the order of names: that of a dictionary is another one in each process.
      var some: [String: StoredValue] = [:]
      for name in values.keys.sorted() where number(0..<2) == 0 { some[name] = values[name] }
      return { try $0.update("Item", key: RecordKey(.integer(id)), some) }
    case 6: return { try $0.delete("Item", key: RecordKey(.integer(id))) }
    case 7:
      let query = "Item WHERE group = \(number(0..<4))"
      let weight = values["weight"] ?? .double(0)
      return { try $0.update(try Query(parsing: query), set: ["weight": weight]) }
    case 8:
      guard number(0..<4) == 0 else { return { _ in } }
      let query = "Item WHERE id > \(number(0..<30))"
      return { try $0.delete(try Query(parsing: query)) }
    case 9, 10:
      let part: [String: StoredValue] = [
        "name": .text("p\(number(0..<4))"), "size": .integer(Int64(number(0..<5))),
      ]
      return { try $0.upsert("Part", part) }
    case 11:
      let key = RecordKey(.text("p\(number(0..<4))"))
      return { try $0.delete("Part", key: key) }
    case 12:
      let stock: [String: StoredValue] = [
        "place": .text("s\(number(0..<3))"), "item": .integer(id),
        "count": .integer(Int64(number(0..<9))),
      ]
      return { try $0.upsert("Stock", stock) }
    default:
      return { transaction in
        try transaction.upsert("Item", values)
        throw GivenUp()
      }
    }
  }
}
