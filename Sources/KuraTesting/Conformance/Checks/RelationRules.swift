import Kura

/// Queries that go through references and lists.
enum RelationRules {
  static let all: [ConformanceRule] = [
    ConformanceRule(
      "queries through references and lists give what was worked out by hand", byHand),
    ConformanceRule("random numbers over lists are those of a plain evaluation", random),
  ]

  private static let shop = ModelDescription(
    "Shop", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .text), PropertyDescription("name", .text, isOptional: true),
    ])
  private static let item = ModelDescription(
    "Item", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer),
      PropertyDescription("price", .double, isOptional: true),
      PropertyDescription("size", .integer, isOptional: true),
      PropertyDescription("name", .text),
      PropertyDescription(
        "shop", .text, isOptional: true, reference: ReferenceDescription(to: "Shop")),
    ])
  private static let order = ModelDescription(
    "Order", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("label", .text),
      PropertyDescription(
        "first", .integer, isOptional: true, reference: ReferenceDescription(to: "Item")),
    ])
  private static let keeper = ModelDescription(
    "Order_items", primaryKey: [ListDescription.owner, ListDescription.position],
    properties: [
      PropertyDescription(
        ListDescription.owner, .integer,
        reference: ReferenceDescription(to: "Order", onDelete: .cascade)),
      PropertyDescription(ListDescription.position, .integer),
      PropertyDescription(ListDescription.element, .integer),
      PropertyDescription(
        ListDescription.target, .integer,
        reference: ReferenceDescription(to: "Item", onDelete: .cascade)),
    ], indexes: [IndexDescription([ListDescription.target])],
    list: ListDescription(property: "items"))

  /// A store with items and orders.
  private struct Store {
    let engine: any StorageEngine
    let catalogue: ModelCatalogue
    let orders = ModelLayout(RelationRules.order)

    init(
      _ bench: ConformanceBench, shops: [[StoredValue]], items: [[StoredValue]],
      orders: [[StoredValue]], lists: [Int64: [Int64]]
    ) throws {
      let schema = try Schema(
        version: 1, [RelationRules.shop, RelationRules.item, RelationRules.order, keeper])
      catalogue = ModelCatalogue(schema)
      engine = try bench.make(shop, item, order, keeper)
      try bench.write(engine) { transaction in
        for row in shops { try transaction.put(ModelLayout(shop), row) }
        for row in items { try transaction.put(ModelLayout(item), row) }
        for row in orders { try transaction.put(ModelLayout(order), row) }
        for (owner, list) in lists.sorted(by: { $0.key < $1.key }) {
          for (position, target) in list.enumerated() {
            try transaction.put(
              ModelLayout(keeper),
              [
                .integer(owner), .integer(Int64(position)), .integer(Int64(position + 1)),
                .integer(target),
              ])
          }
        }
      }
    }

    /// The rows of a query's text.
    func rows(_ text: String, _ transaction: any EngineReadTransaction) throws -> [[StoredValue]] {
      let rows = try Query(parsing: text, model: "Order").boundRows(to: orders, in: catalogue)
      try expect(!(try rows.explain(transaction)).isEmpty, "there is no plan of \(text)")
      let cursor = try rows.cursor(transaction)
      defer { cursor.close() }
      let row = RowBuffer(columns: rows.columnNames.count)
      var found: [[StoredValue]] = []
      while try cursor.next(into: row) {
        found.append((0..<row.count).map { row.value(at: $0) })
      }
      return found
    }
  }

  /// Prices of the orders: 1.5 4 | none | null | 4 4; sizes: 10 null | none | 7 | null null.
  private static func byHand(_ bench: ConformanceBench) throws {
    let store = try Store(
      bench, shops: [["a", "Acme"], ["b", .null]],
      items: [
        [1, 1.5, 10, "nut", "a"], [2, 4.0, .null, "bolt", "b"], [3, .null, 7, "gear", .null],
      ],
      orders: [[1, "nut", 1], [2, "x", .null], [3, "gear", 3], [4, "z", 2]],
      lists: [1: [1, 2], 3: [3], 4: [2, 2]])
    let cases: [(String, [[StoredValue]])] = [
      ("items.price.@avg == 2.75 SELECT(id)", [[1]]),
      ("items.@avg.price == NULL SELECT(id)", [[2], [3]]),
      ("items.price.@sum == 0 SELECT(id)", [[2], [3]]),
      ("items.price.@sum == 8 SELECT(id)", [[4]]),
      ("items.size.@max < 10 SELECT(id)", [[3]]),
      ("items.name.@min == 'bolt' SELECT(id)", [[1], [4]]),
      ("items.size.@sum + items.@count == 12 SELECT(id)", [[1]]),
      ("items.shop.name.@max == 'Acme' SELECT(id)", [[1]]),
      ("SUBQUERY(items, $x, $x.price > 2).@count >= 1 SELECT(id)", [[1], [4]]),
      ("SUBQUERY(items, $x, $x.shop.name == NULL AND $x.price > 2).@count == 2 SELECT(id)", [[4]]),
      ("SUBQUERY(items, $x, $x.size > 8).@avg.price == 1.5 SELECT(id)", [[1]]),
      ("first.name == label SELECT(id)", [[1], [3]]),
      ("SELECT(id) SORT(first.price DESC)", [[4], [1], [2], [3]]),
      ("SELECT(id) SORT(first.shop.name, id DESC)", [[4], [3], [2], [1]]),
      ("SELECT(id, first.shop.id) DISTINCT(first.shop.id)", [[1, "a"], [2, .null], [4, "b"]]),
      (
        "GROUP(first.shop.id) SELECT(first.shop.id, @count, @max.first.price) HAVING(@count < 2)",
        [["a", 1, 1.5], ["b", 1, 4.0]]
      ),
      ("items.@count > 1 SORT(first.name) LIMIT(1) SELECT(id)", [[4]]),
      ("ANY items.price > 2 AND first.price < 2 SELECT(id)", [[1]]),
    ]
    try bench.read(store.engine) { transaction in
      for (text, expected) in cases {
        try expectEqual(try store.rows(text, transaction), expected, "the rows of \(text)")
      }
    }
  }

  /// Random lists, and every number of them compared with a value.
  private static func random(_ bench: ConformanceBench) throws {
    var generator = RepeatableGenerator(seed: 21)
    let prices: [Double?] = [nil, 0.5, 2, -1, nil, -0.5, 1.5, -1, nil, 2, 0, 1.5]
    let sizes: [Int64?] = [nil, 2, -2, 3, -1, nil, 0, 5, 1, -3, nil, -2]
    var lists: [Int64: [Int64]] = [:]
    for owner in 0..<30 {
      let count = Int.random(in: 0...5, using: &generator)
      lists[Int64(owner)] = (0..<count).map { _ in Int64.random(in: 0..<12, using: &generator) }
    }
    let store = try Store(
      bench, shops: [["a", "Acme"]],
      items: (0..<12).map { number -> [StoredValue] in
        let price: StoredValue = prices[number].map { .double($0) } ?? .null
        let size: StoredValue = sizes[number].map { .integer($0) } ?? .null
        let shop: StoredValue = number % 3 == 0 ? .null : "a"
        return [.integer(Int64(number)), price, size, .text("item \(number)"), shop]
      },
      orders: (0..<30).map { number -> [StoredValue] in
        let first: StoredValue = number % 4 == 0 ? .null : .integer(Int64(number % 12))
        return [.integer(Int64(number)), "o", first]
      },
      lists: lists)
    try bench.read(store.engine) { transaction in
      for round in 0..<120 {
        let isPrice = round.isMultiple(of: 2)
        let least: Int64? = round % 3 == 0 ? Int64.random(in: -3...4, using: &generator) : nil
        let limit = Double(Int.random(in: -6...12, using: &generator)) / 2
        let function = ["@min", "@max", "@sum", "@avg", "@count"][round % 5]
        let comparison = ["==", "!=", "<", ">=", "<=", ">"][round / 5 % 6]
        let property = isPrice ? "price" : "size"
        let list = least.map { "SUBQUERY(items, $x, $x.size >= \($0))" } ?? "items"
        let number = function == "@count" ? "@count + 0" : "\(function).\(property)"
        let text = "\(list).\(number) \(comparison) \(limit) SELECT(id)"
        let expected: [Int] = (0..<30).filter { owner in
          let elements = (lists[Int64(owner)] ?? []).map { Int($0) }.filter { element in
            least.map { least in sizes[element].map { $0 >= least } ?? false } ?? true
          }
          let values = elements.compactMap { element in
            isPrice ? prices[element] : sizes[element].map { Double($0) }
          }
          let value: Double? =
            switch function {
            case "@min": values.min()
            case "@max": values.max()
            case "@sum": values.reduce(0, +)
            case "@avg": values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
            default: Double(elements.count)
            }
          return holds(value, comparison, limit)
        }
        try expectEqual(
          try store.rows(text, transaction), expected.map { [StoredValue.integer(Int64($0))] },
          "the rows of \(text)")
      }
    }
  }

  /// A comparison of two-valued logic.
  private static func holds(_ value: Double?, _ comparison: String, _ limit: Double) -> Bool {
    guard let value else { return comparison == "!=" }
    switch comparison {
    case "==": return value == limit
    case "!=": return value != limit
    case "<": return value < limit
    case "<=": return value <= limit
    case ">": return value > limit
    default: return value >= limit
    }
  }
}
