import Foundation
import Kura
import Testing

/// The records of one result share what was read; nobody may notice.
@Suite("Records read together")
struct RecordBatchTests {
  private static let types: [(String, ValueType)] = [
    ("bool", .bool), ("integer", .integer), ("double", .double), ("decimal", .decimal),
    ("date", .date), ("text", .text), ("data", .data), ("uuid", .uuid), ("objectID", .objectID),
    ("any", .any),
  ]

  private static func values(_ id: Int64) throws -> [String: StoredValue] {
    if id % 7 == 0 { return [:] }
    // Lengths on both sides of every bound at which a batch ends or grows.
    let length = Int(id * id % 301) + (id % 50 == 1 ? 40_000 : 0)
    let text = String(repeating: "é", count: length)
    return [
      "bool": .bool(id % 2 == 0), "integer": .integer(id == 1 ? .min : .max - id),
      "double": .double(-1 / Double(id)),
      "decimal": .decimal(Decimal(sign: .minus, exponent: -3, significand: Decimal(id))),
      "date": .date(try #require(Timestamp(seconds: -id, nanoseconds: 999_999_999))),
      "text": .text(id % 11 == 0 ? "" : text),
      "data": .data(id % 13 == 0 ? [] : Array(repeating: UInt8(id % 256), count: length)),
      "uuid": .uuid(
        UUID(
          uuid: (
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(id / 256), UInt8(id % 256)
          ))),
      "objectID": .objectID(
        try #require(ObjectID("65a1b2c3d4e5f6a7" + String(10_000_000 + id)))),
      "any": id % 3 == 0 ? .text("a\u{0}b") : id % 3 == 1 ? .integer(id) : .data([0, 255]),
    ]
  }

  private let store: Store
  private let count: Int64 = 700

  init() throws {
    let properties = RecordBatchTests.types.map {
      PropertyDescription($0.0, $0.1, isOptional: true)
    }
    store = try Store.open(
      StoreConfiguration(
        at: .memory,
        schema: try Schema(
          version: 1,
          [
            ModelDescription(
              "Thing", primaryKey: ["id"],
              properties: [PropertyDescription("id", .integer)] + properties)
          ])))
    try store.write { transaction in
      for id in 1...count {
        var values = try RecordBatchTests.values(id)
        values["id"] = .integer(id)
        try transaction.insert("Thing", values)
      }
    }
  }

  @Test func `every value of many records is what was written`() throws {
    let records = try store.read { try $0.records(Query("Thing")) }
    #expect(records.count == Int(count))
    for (position, record) in records.enumerated() {
      let id = Int64(position) + 1
      let written = try RecordBatchTests.values(id)
      #expect(record["id"] == .integer(id))
      #expect(record.values.count == 11)
      #expect(record.values[-1] == .null && record.values[11] == .null)
      for (name, _) in RecordBatchTests.types {
        #expect(record[name] == written[name] ?? .null, "\(id) \(name)")
      }
      #expect(record.key == RecordKey(.integer(id)))
    }
  }

  @Test func `a record equals the same record read alone`() throws {
    let records = try store.read { try $0.records(Query("Thing")) }
    for id in [1, 2, 7, 128, 129, 700] as [Int64] {
      let alone = try store.read { try $0.record("Thing", key: RecordKey(.integer(id))) }
      #expect(records[Int(id) - 1] == alone)
      #expect(records[Int(id) - 1].description == alone?.description)
      #expect(records[Int(id) % 700] != alone)
    }
  }

  @Test func `changing a record leaves its copies and neighbours alone`() throws {
    var records = try store.read { try $0.records(Query("Thing")) }
    let copy = records[100]
    try records[100].set("text", "changed")
    try records[100].set("integer", 5)
    var second = records[100]
    try second.set("text", "again")
    #expect(records[100]["text"] == "changed")
    #expect(records[100]["integer"] == 5)
    #expect(records[100]["data"] == copy["data"])
    #expect(second["text"] == "again")
    #expect(copy["text"] == (try RecordBatchTests.values(101)["text"]))
    #expect(records[101]["text"] == (try RecordBatchTests.values(102)["text"]))
    let changed = records[100]
    try store.write { try $0.update(changed) }
    #expect(try store.read { try $0.record("Thing", key: 101) } == changed)
  }

  @Test func `a record outlives its result and its store`() throws {
    let kept = try {
      let records = try store.read { try $0.records(Query("Thing")) }
      return records[400]
    }()
    try store.close()
    #expect(kept["text"] == (try RecordBatchTests.values(401)["text"]))
    #expect(kept.model == "Thing")
  }

  @Test func `an empty result and a single record`() throws {
    try store.read { transaction in
      #expect(try transaction.records(Query("Thing", where: .never)).isEmpty)
      let one = try transaction.records(Query("Thing", limit: 1))
      #expect(one.map { $0["id"] } == [.integer(1)])
    }
  }
}
