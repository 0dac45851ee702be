import Testing

@testable import KuraCore

@Suite struct QueryCursorTests {
  private static let layout = ModelLayout(
    name: "Book",
    columns: [
      .init(name: "id", type: .integer, isOptional: false), .init(name: "title", type: .text),
      .init(name: "pages", type: .integer), .init(name: "price", type: .double),
    ], keyColumns: [0], rowIDName: nil, isKuraModel: true)

  private func source(_ count: Int64 = 1000) -> ArraySource {
    ArraySource(
      Self.layout, indexes: [([2], false), ([3], false)],
      rows: (0..<count).map { number in
        [
          .integer(number), .text("title \(number % 7)"), .integer(number % 100),
          number % 50 == 0 ? -0.0 : .double(Double(number)),
        ]
      })
  }

  private func query(_ text: String, columns: [Int]? = nil) throws -> BoundQuery {
    var query = try Query(parsing: text, model: "Book").bound(to: Self.layout)
    query.columns = columns
    return query
  }

  private func ids(_ cursor: QueryCursor) throws -> [Int64] {
    let row = RowBuffer(columns: 1)
    var ids: [Int64] = []
    while try cursor.next(into: row) { ids.append(row[0].integer) }
    return ids
  }

  @Test("a walk stops when the limit is reached, and never reads what it need not")
  func earlyStop() throws {
    let source = source()
    #expect(
      try ids(source.cursor(for: query("SORT(id DESC) LIMIT(3)", columns: [0]))) == [999, 998, 997])
    #expect(source.readCount == 3)
    source.readCount = 0
    #expect(
      try ids(source.cursor(for: query("SORT(pages DESC) LIMIT(3)", columns: [0]))) == [
        99, 199, 299,
      ])
    // The ten records of the first group and one to see that it has ended.
    #expect(source.readCount == 11)
    source.readCount = 0
    #expect(try ids(source.cursor(for: query("pages == 5 OFFSET(8)", columns: [0]))) == [805, 905])
    #expect(source.readCount == 10 && source.fetchCount == 3)
  }

  @Test("counts and extremes come without a pass where they can")
  func shortcuts() throws {
    let source = source()
    #expect(
      try source.aggregate(
        AggregateRequest(
          query("TRUEPREDICATE"), [.count, .minimum(column: 2), .maximum(column: 0)])) == [
          1000, 0, 999,
        ])
    #expect(source.readCount <= 2)
    source.readCount = 0
    // The record says which zero it is; the index entry does not.
    let least = try source.aggregate(
      AggregateRequest(query("price >= 0.0"), [.minimum(column: 3)]))
    #expect(
      least.first.map { if case .double(let value) = $0 { value.sign == .minus } else { false } }
        == true)
    #expect(source.readCount == 1)
    #expect(
      try source.aggregate(AggregateRequest(query("pages > 1000"), [.maximum(column: 2), .count]))
        == [.null, 0])
    #expect(
      try source.aggregate(AggregateRequest(query("OFFSET(10) LIMIT(5000)"), [.count])) == [990])
  }

  @Test("a sum whose parts overflow on the way is right when the whole fits")
  func sums() throws {
    let layout = ModelLayout(
      name: "N",
      columns: [
        .init(name: "id", type: .integer, isOptional: false), .init(name: "n", type: .integer),
        .init(name: "x", type: .any),
      ], keyColumns: [0], rowIDName: nil, isKuraModel: true)
    let source = ArraySource(
      layout,
      rows: [
        [0, .integer(.max), 1], [1, 1, 0.5], [2, -1, "7"], [3, .null, .data([1])],
      ])
    let all = BoundQuery(layout: layout)
    #expect(
      try source.aggregate(
        AggregateRequest(all, [.sum(column: 1), .sum(column: 2), .average(column: 2)]))
        == [.integer(.max), 1.5, 0.75])
    let part = BoundQuery(layout: layout, condition: .compareValue(column: 0, .less, 2))
    let error = #expect(throws: StoreError.self) {
      try source.aggregate(AggregateRequest(part, [.sum(column: 1)]))
    }
    #expect(error?.code == .notStorable)
  }

  @Test("after the source's end every kind of cursor says so, and everything was closed")
  func ended() throws {
    for text in [
      "TRUEPREDICATE", "SORT(title)", "SORT(pages DESC)", "DISTINCT(title)", "pages == 5",
      "DISTINCT(pages) SORT(pages)", "pages == 200", "FALSEPREDICATE",
    ] {
      for columns in [nil, [0], []] as [[Int]?] {
        let source = source(300)
        let cursor = try source.cursor(for: query(text, columns: columns))
        let row = RowBuffer(columns: cursor.columnNames.count)
        _ = try cursor.next(into: row)
        source.isOpen = false
        let error = #expect(throws: StoreError.self, "\(text)") {
          while try cursor.next(into: row) {}
        }
        #expect(error?.code == .transactionEnded)
        #expect(source.openScans == 0 && source.openFetches == 0, "\(text)")
      }
    }
  }

  @Test("limits end a walk, a sort and an aggregate")
  func limits() throws {
    let source = source(3)
    let limits = ExecutionLimits()
    source.limits = limits
    limits.cancel()
    let row = RowBuffer(columns: 4)
    for text in ["TRUEPREDICATE", "SORT(title)", "SORT(pages DESC)"] {
      let cursor = try source.cursor(for: query(text))
      let error = #expect(throws: StoreError.self) { try cursor.next(into: row) }
      #expect(error?.code == .cancelled)
      #expect(source.openScans == 0)
    }
    #expect(throws: StoreError.self) {
      try source.aggregate(AggregateRequest(query("TRUEPREDICATE"), [.sum(column: 2)]))
    }
  }

  @Test("the keys of a change are all found before the first is given")
  func keysFirst() throws {
    let source = source(10)
    let keys = try source.keys(matching: query("pages < 3 SORT(pages DESC) LIMIT(2)"))
    var found: [Int64] = []
    while try keys.next() {
      #expect(source.openScans == 0)
      let row = RowBuffer(columns: 1)
      var reader = OrderedKeyReader(keys.recordKey)
      let isRead = reader.read(.integer, into: row, column: 0)
      #expect(isRead)
      found.append(row[0].integer)
    }
    // In the order of the database, so that changing them walks once.
    #expect(found == [1, 2])
  }

  @Test("plain keys of files that others made are searched by their bytes")
  func plainKeys() throws {
    let layout = ModelLayout(
      name: "raw",
      columns: [
        .init(name: "key", type: .data, isOptional: false), .init(name: "value", type: .data),
      ],
      keyColumns: [0], rowIDName: nil, isKuraModel: false)
    let keys: [[UInt8]] = [[0], [0, 0], [0, 0, 1], [1], [1, 0], [255], [255, 255]]
    let source = ArraySource(
      layout, rows: keys.map { [.data($0), .data([])] }, form: .plain)
    func found(_ condition: BoundCondition) throws -> [[UInt8]] {
      let cursor = try source.cursor(
        for: BoundQuery(
          layout: layout, condition: condition, order: [.init(column: 0)], columns: [0]))
      let row = RowBuffer(columns: 1)
      var found: [[UInt8]] = []
      while try cursor.next(into: row) { found.append(Array(row[0].bytes)) }
      return found
    }
    #expect(try found(.compareValue(column: 0, .equal, .data([0, 0]))) == [[0, 0]])
    #expect(source.readCount == 1)
    #expect(try found(.compareValue(column: 0, .greater, .data([0, 0]))) == Array(keys[2...]))
    #expect(try found(.compareValue(column: 0, .lessOrEqual, .data([1]))) == Array(keys[...3]))
    #expect(try found(.textValue(column: 0, .beginsWith, .data([255]))) == Array(keys[5...]))
    #expect(try found(.not(.oneOf(column: 0, [.data([1]), .data([0])]))).count == 5)
  }
}
