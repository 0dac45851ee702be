import Foundation
import KuraCore
import Testing

@testable import KuraLMDB

/// Readers that search often find entries in the map by themselves.
@Suite struct `Searches without liblmdb` {
  private let workshop: LMDBWorkshop
  private let engine: any StorageEngine
  private static let words = ModelDescription(
    "Word", primaryKey: ["text"],
    properties: [PropertyDescription("text", .text), PropertyDescription("length", .integer)])

  init() throws {
    workshop = try LMDBWorkshop()
    engine = try workshop.make(Dogs.model, Self.words)
    let layout = ModelLayout(Self.words)
    try engine.write { transaction in
      for id in 1...4000 as ClosedRange<Int64> {
        // Some values need pages of their own.
        let name = String(repeating: "x", count: id % 70 == 0 ? 6000 : Int(id % 40))
        try transaction.put(Dogs.layout, [.integer(id * 3), .text(name), 3, 1.5, .null])
        let word = String(repeating: "ab", count: Int(id % 90)) + "\(id)"
        try transaction.put(layout, [.text(word), .integer(Int64(word.utf8.count))])
      }
    }
  }

  private func bytes(_ hex: String) -> [UInt8] {
    var (bytes, digits) = ([UInt8](), hex.utf8.makeIterator())
    func digit(_ code: UInt8) -> UInt8 { code > 0x60 ? code - 0x57 : code - 0x30 }
    while let high = digits.next(), let low = digits.next() {
      bytes.append(digit(high) << 4 | digit(low))
    }
    return bytes
  }

  @Test(arguments: ["m1", "m2", "i1", "kura"])
  func `every entry of stock mdb_dump is found, and nothing beside it`(database: String) throws {
    let stock = try workshop.stock(database)
    #expect(stock.count >= 2)
    let transaction = try #require(try engine.beginRead() as? LMDBReadTransaction)
    defer { transaction.end() }
    let handle = try #require(try transaction.snapshot.database(database))
    func value(_ key: [UInt8]) throws -> [UInt8]? {
      try key.withUnsafeBytes { try transaction.snapshot.value($0, in: handle).map(Array.init) }
    }
    // Twice: the first searches are liblmdb's.
    for _ in 0..<2 {
      for place in stride(from: 0, to: stock.count, by: 2) {
        let key = bytes(stock[place])
        #expect(try value(key) == bytes(stock[place + 1]))
        #expect(try value(key + [0]) == nil)
        if let last = key.last, last < 0xFF, last > 0, database == "m1" {
          #expect(try value(key.dropLast() + [last - 1]) == nil)
          #expect(try value(key.dropLast() + [last + 1]) == nil)
        }
      }
    }
    transaction.end()
    #expect(throws: StoreError.self) { try value(bytes(stock[0])) }
  }

  @Test func `a reader finds what its snapshot has, whatever is written meanwhile`() throws {
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    func age(_ id: Int64) throws -> StoredValue? {
      let row = RowBuffer(columns: 5)
      guard try transaction.record(RecordKey(.integer(id)), in: Dogs.layout, into: row) else {
        return nil
      }
      return row.value(at: 2)
    }
    for id in 1...100 as ClosedRange<Int64> { #expect(try age(id * 3) == 3) }
    try engine.write { transaction in
      for id in 1...4000 as ClosedRange<Int64> where id % 2 == 0 {
        _ = try transaction.delete(RecordKey(.integer(id * 3)), in: Dogs.layout)
      }
      try transaction.put(Dogs.layout, [1, "Rex", 9, 1.5, .null])
    }
    for id in 1...4000 as ClosedRange<Int64> { #expect(try age(id * 3) == 3) }
    #expect(try age(1) == nil)
    let later = try engine.beginRead()
    defer { later.end() }
    let row = RowBuffer(columns: 5)
    for id in 1...4000 as ClosedRange<Int64> {
      let isFound = try later.record(RecordKey(.integer(id * 3)), in: Dogs.layout, into: row)
      #expect(isFound == (id % 2 == 1))
    }
  }

  @Test func `a page that says another number leads nowhere`() throws {
    try engine.close()
    var bytes = try DamageTrial.read(workshop.path)
    func number(_ offset: Int) -> Int {
      (0..<8).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    // The newer meta page, its main database's root, and the last page.
    let meta = number(144) > number(4096 + 144) ? 0 : 4096
    let (root, last) = (number(meta + 128), number(meta + 136))
    #expect(number(root * 4096) == root)
    for byte in 0..<8 { bytes[root * 4096 + byte] = UInt8(truncatingIfNeeded: last >> (8 * byte)) }
    let copy = workshop.folder + "/renumbered.db"
    try Data(bytes).write(to: URL(fileURLWithPath: copy))
    let engine = try LMDBBackend().open(.file(copy), EngineOptions())
    defer { try? engine.close() }
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    let row = RowBuffer(columns: 5)
    for id in 1...4000 as ClosedRange<Int64> {
      #expect(try transaction.record(RecordKey(.integer(id * 3)), in: Dogs.layout, into: row))
    }
  }
}
