import KuraCore
import Testing

@testable import KuraLMDB

/// Walks of queries that take records as they come have a cursor of their own.
@Suite struct `Walks without a filter` {
  private let workshop: LMDBWorkshop
  private let engine: any StorageEngine

  init() throws {
    workshop = try LMDBWorkshop()
    engine = try workshop.make(Dogs.model)
    try engine.write { transaction in
      for id in 1...5 as ClosedRange<Int64> {
        try transaction.put(Dogs.layout, [.integer(id), "Rex", 3, 1.5, .null])
      }
    }
  }

  private func query(_ condition: BoundCondition = .always, isDescending: Bool = false, limit: Int?)
    -> BoundQuery
  {
    BoundQuery(
      layout: Dogs.layout, condition: condition,
      order: [BoundSortTerm(column: 0, isDescending: isDescending)], limit: limit)
  }

  /// The keys of a query's records, after a look at the kind of its cursor.
  private func keys(_ query: BoundQuery) throws -> [Int64] {
    try engine.read { transaction in
      let cursor = try transaction.cursor(for: query)
      // No records at all need no walk.
      #expect(cursor is DirectCursor || query.limit == 0)
      #expect(cursor.columnNames == ["id", "name", "age", "weight", "owner"])
      let row = RowBuffer(columns: 5)
      var keys: [Int64] = []
      while try cursor.next(into: row) {
        #expect(row.value(at: 1) == "Rex")
        keys.append(row[0].integer)
      }
      #expect(try !cursor.next(into: row))
      return keys
    }
  }

  @Test func `all records come in either order, up to the limit`() throws {
    #expect(try keys(query(limit: nil)) == [1, 2, 3, 4, 5])
    #expect(try keys(query(limit: 3)) == [1, 2, 3])
    #expect(try keys(query(limit: 0)) == [])
    #expect(try keys(query(isDescending: true, limit: nil)) == [5, 4, 3, 2, 1])
    #expect(try keys(query(isDescending: true, limit: 2)) == [5, 4])
  }

  @Test func `a range of keys ends where it ends`() throws {
    let range = BoundCondition.between(column: 0, 2, 4)
    #expect(try keys(query(range, limit: nil)) == [2, 3, 4])
    #expect(try keys(query(range, isDescending: true, limit: nil)) == [4, 3, 2])
  }

  @Test func `a closed walk has ended, and one whose transaction has ended says so`() throws {
    let transaction = try engine.beginRead()
    let row = RowBuffer(columns: 5)
    let closed = try transaction.cursor(for: query(limit: nil))
    #expect(try closed.next(into: row))
    closed.close()
    #expect(try !closed.next(into: row))
    let open = try transaction.cursor(for: query(limit: nil))
    #expect(try open.next(into: row))
    transaction.end()
    #expect(throws: StoreError.self) { try open.next(into: row) }
    #expect(code { _ = try closed.next(into: row) } == .transactionEnded)
    #expect(code { _ = try open.next(into: row) } == .transactionEnded)
  }

  @Test func `a row with fewer columns is an error`() throws {
    try engine.read { transaction in
      let cursor = try transaction.cursor(for: query(limit: nil))
      #expect(code { _ = try cursor.next(into: RowBuffer(columns: 4)) } == .internalError)
    }
  }

  /// Records enough for many pages, with values that need pages of their own between them.
  private func fill() throws {
    try engine.write { transaction in
      for id in 6...3000 as ClosedRange<Int64> {
        let name = String(repeating: "x", count: id % 70 == 0 ? 6000 : 3)
        try transaction.put(Dogs.layout, [.integer(id), .text(name), 3, 1.5, .null])
      }
    }
  }

  @Test func `a walk meets every entry of every page once, in stock mdb_dump's order`() throws {
    try fill()
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    let cursor = try transaction.cursor(for: query(limit: nil))
    #expect(cursor is DirectCursor)
    let row = RowBuffer(columns: 5)
    var (keys, sizes): ([Int64], [Int]) = ([], [])
    while try cursor.next(into: row) {
      keys.append(row[0].integer)
      sizes.append(row[1].bytes.count)
    }
    #expect(keys == Array(1...3000))
    #expect(sizes == keys.map { $0 % 70 == 0 ? ($0 < 6 ? 3 : 6000) : 3 })
    let stock = try workshop.stock("m1")
    #expect(stock.count == 2 * keys.count)
    // A key is the number with its sign turned, the highest byte first.
    #expect(
      stride(from: 0, to: stock.count, by: 2).map { stock[$0] }
        == keys.map { String(UInt64(bitPattern: $0) ^ 1 << 63, radix: 16) })
  }

  @Test func `a cursor turns wherever it stands`() throws {
    try fill()
    let transaction = try #require(try engine.beginRead() as? LMDBReadTransaction)
    defer { transaction.end() }
    let database = try #require(try transaction.snapshot.database("m1"))
    let cursor = try transaction.snapshot.cursor(database)
    defer { cursor.close() }
    func number() -> Int64 {
      cursor.key.reduce(0) { $0 << 8 | Int64($1) } ^ .min
    }
    #expect(try cursor.first())
    var expected: Int64 = 1
    // Steps of many lengths, three forward for two back, over long values and ends of pages.
    for length in 1...60 as ClosedRange<Int64> {
      for _ in 0..<(3 * length) where expected < 3000 {
        #expect(try cursor.next())
        expected += 1
        #expect(number() == expected)
      }
      for _ in 0..<(2 * length) where expected > 1 {
        #expect(try cursor.previous())
        expected -= 1
        #expect(number() == expected)
      }
    }
    #expect(try cursor.last())
    #expect(number() == 3000)
    #expect(try !cursor.next())
    let seven = OrderedKey([0x80, 0, 0, 0, 0, 0, 0, 7])
    #expect(try withExtendedLifetime(seven) { try cursor.seek(seven.bytes) })
    #expect(number() == 7)
    #expect(try cursor.next())
    #expect(number() == 8)
  }
}
