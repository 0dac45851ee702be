import Foundation
import KuraCore
import Testing

@testable import KuraLMDB

/// A committed file, decoded by what docs/file-formats.md says and nothing else.
///
/// Only the pages are read by Kura's code (`Pages`, checked against stock `mdb_dump`); what the
/// entries mean is worked out here, by hand.
@Suite struct `The document of the LMDB format` {
  private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../Fixtures/kura.mdb").standardized.path

  private struct Entry {
    let key: [UInt8]
    let value: [UInt8]
  }

  private func entries(_ name: String) throws -> [Entry] {
    let snapshot = try PageSnapshot(Self.fixture)
    let database = try #require(try snapshot.database(name))
    let cursor = snapshot.cursor(database)
    var entries: [Entry] = []
    var isThere = try cursor.first()
    while isThere {
      entries.append(Entry(key: Array(cursor.key), value: Array(cursor.value)))
      isThere = try cursor.next()
    }
    return entries
  }

  private func json(_ bytes: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  @Test func `the database of metadata says what the others hold`() throws {
    let found = try entries("kura")
    let names = found.map { entry in
      String(decoding: entry.key.prefix { $0 >= 32 && $0 < 127 }, as: UTF8.self)
    }
    try #require(
      names == ["format", "meta:maker", "model:", "next", "schema", "schema:", "schema:"])
    #expect(found[0].value == Array("1".utf8))
    #expect(found[1].value == [5] + Array("Kura".utf8))
    #expect(found[2].key.suffix(4) == [0, 0, 0, 1])
    #expect(found[5].key.suffix(8) == [0, 0, 0, 0, 0, 0, 0, 1])
    #expect(found[6].key.suffix(8) == [0, 0, 0, 0, 0, 0, 0, 2])
    #expect(found[4].value == found[6].value)
    let counters = try json(found[3].value)
    #expect(counters["model"] as? Int == 2)
    #expect(counters["index"] as? Int == 2)
    #expect(try json(found[4].value)["version"] as? Int == 2)
  }

  @Test func `the catalogue gives the shapes of the records`() throws {
    let model = try json(try #require(try entries("kura").dropFirst(2).first).value)
    #expect(model["id"] as? Int == 1)
    #expect(model["kind"] as? String == "model")
    #expect(model["name"] as? String == "Dog")
    #expect(model["primaryKey"] as? [Int] == [1])
    #expect(model["shapes"] as? [[Int]] == [[2, 3, 4, 5], [2, 3, 4, 5, 6]])
    let properties = try #require(model["properties"] as? [[String: Any]])
    let names = properties.map { $0["name"] as? String }
    #expect(names == ["id", "name", "age", "weight", "owner", "legs"])
    #expect(properties.map { $0["id"] as? Int } == [1, 2, 3, 4, 5, 6])
    #expect(properties.last?["initial"] as? [String: String] == ["integer": "4"])
    let indexes = try #require(model["indexes"] as? [[String: Any]])
    #expect(indexes.map { $0["id"] as? Int } == [1])
    #expect(indexes.first?["properties"] as? [Int] == [3])
  }

  /// A record by the document: its header, and the payload of each stored property or `nil` for null.
  private func decode(_ value: [UInt8], stored: Int) -> (header: Int, payloads: [[UInt8]?]) {
    var offset = 0
    var header = 0
    repeat {
      header |= Int(value[offset] & 0x7F) << (7 * offset)
      offset += 1
    } while value[offset - 1] >= 0x80
    var lengths: [Int?] = []
    for _ in 0..<stored {
      let first = value[offset]
      offset += 1
      switch first {
      case 0xFF: lengths.append(nil)
      case 0xFC:
        lengths.append(Int(value[offset]) + Int(value[offset + 1]) << 8)
        offset += 2
      case 0xFD:
        lengths.append((0..<4).reduce(0) { $0 + Int(value[offset + $1]) << (8 * $1) })
        offset += 4
      default: lengths.append(Int(first))
      }
    }
    var payloads: [[UInt8]?] = []
    for length in lengths {
      payloads.append(length.map { Array(value[offset..<(offset + $0)]) })
      offset += length ?? 0
    }
    #expect(offset == value.count)
    return (header, payloads)
  }

  @Test func `the records are those of the document's example and two more`() throws {
    let records = try entries("m1")
    try #require(
      records.map(\.key) == [42, 43, 44].map { [0x80, 0, 0, 0, 0, 0, 0, $0] })
    #expect(
      records[0].value
        == [0x00, 0x03, 0x01, 0x02, 0xFF, 0x52, 0x65, 0x78, 0x03, 0x3F, 0xF8])
    let second = decode(records[1].value, stored: 4)
    #expect(second.header == 0)
    // -200 in two bytes, no weight, owner 42.
    #expect(second.payloads == [Array("Ann".utf8), [0x38, 0xFF], nil, [42]])
    let third = decode(records[2].value, stored: 5)
    #expect(third.header == 2)
    #expect(
      third.payloads == [[UInt8](repeating: 0x6E, count: 300), [], [0x80], nil, [3]])
  }

  @Test func `the entries of the index lead to the records`() throws {
    let found = try entries("i1")
    let ages: [[UInt8]] = [
      [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x38], [0x80, 0, 0, 0, 0, 0, 0, 0],
      [0x80, 0, 0, 0, 0, 0, 0, 3],
    ]
    #expect(
      found.map(\.key)
        == zip(ages, [43, 44, 42] as [UInt8]).map { [2] + $0 + [0x80, 0, 0, 0, 0, 0, 0, $1] })
    #expect(found.allSatisfy { $0.value == [9, 0] })
  }

  @Test func `the engine reads the file as this document does`() throws {
    let workshop = try LMDBWorkshop()
    try FileManager.default.copyItem(atPath: Self.fixture, toPath: workshop.path)
    var model = Dogs.model
    model.properties.append(PropertyDescription("legs", .integer, defaultValue: 4))
    for access: EngineOptions.Access in [.readOnly, .readWrite(create: false)] {
      let engine = try workshop.open(EngineOptions(access: access))
      let rows = try engine.read { try $0.rows(BoundQuery(layout: ModelLayout(model))) }
      #expect(
        rows == [
          [42, "Rex", 3, 1.5, .null, 4], [43, "Ann", -200, .null, 42, 4],
          [44, .text(String(repeating: "n", count: 300)), 0, .double(-0.0), .null, 3],
        ])
      #expect(try engine.read { try $0.metadata("maker") } == "Kura")
      #expect(try workshop.findings(engine) == [])
      try engine.close()
    }
  }
}
