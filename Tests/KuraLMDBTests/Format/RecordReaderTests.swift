import KuraCore
import KuraTesting
import Testing

@testable import KuraLMDB

/// Bytes that contradict themselves end with an error, whatever they are.
@Suite struct `Damaged records` {
  private let binding: ModelBinding

  init() throws {
    binding = try ModelBinding(
      CatalogueModel(
        id: 1, name: "M", primaryKey: [1],
        properties: [
          .init(id: 1, name: "id", type: .integer, isOptional: false),
          .init(id: 2, name: "text", type: .text, isOptional: true),
          .init(id: 3, name: "number", type: .integer, isOptional: true),
          .init(id: 4, name: "any", type: .any, isOptional: true),
          .init(id: 5, name: "date", type: .date, isOptional: true),
          .init(id: 6, name: "late", type: .integer, isOptional: false, initial: 9),
        ], indexes: [], shapes: [[2, 3, 4, 5], [2, 3, 4, 5, 6]], cut: [], nextProperty: 7))
  }

  private func read(_ value: [UInt8], key: [UInt8] = [0x80, 0, 0, 0, 0, 0, 0, 1]) throws
    -> [StoredValue]
  {
    let row = RowBuffer(columns: 6)
    // The bytes end where their memory ends, so that a sanitizer sees what is read beyond them.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: value.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: value)
    let reader = RecordReader(binding, columns: 0..<6)
    try key.withUnsafeBytes { key in
      try reader.readWhole(key: key, value: UnsafeRawBufferPointer(memory), into: row)
    }
    return (0..<6).map { row.value(at: $0) }
  }

  @Test func `a sound record reads, and older ones have the initial value`() throws {
    #expect(
      try read([0, 2, 1, 2, 0xFF, 0x68, 0x69, 5, 2, 7]) == [1, "hi", 5, 7, .null, 9])
    #expect(
      try read([2, 0, 0, 0xFF, 0xFF, 1, 4]) == [1, "", 0, .null, .null, 4])
    // With the key stored; and lengths of two and four bytes, though one would do.
    #expect(
      try read([1, 1, 0xFC, 1, 0, 0xFD, 1, 0, 0, 0, 0xFF, 0xFF, 0x21, 0x61, 6])
        == [33, "a", 6, .null, .null, 9])
  }

  /// Numbers are read as eight bytes where there are so many in front, else byte by byte.
  @Test(
    arguments: [
      ([0x85], -123), ([0x39, 0x30], 12_345), ([0, 0, 0x80], -8_388_608),
      ([1, 2, 3, 4], 67_305_985),
      ([0, 0, 0, 0, 0x80], -549_755_813_888), ([255, 255, 255, 255, 255, 0], 1_099_511_627_775),
      ([0, 0, 0, 0, 0, 0, 1], 281_474_976_710_656), ([0, 0, 0, 0, 0, 0, 0, 0x80], .min),
      ([255, 255, 255, 255, 255, 255, 255, 127], .max),
    ] as [([UInt8], Int64)])
  func `a number of any width reads wherever it is`(bytes: [UInt8], number: Int64) throws {
    let length = UInt8(bytes.count)
    #expect(
      try read([0, 0xFF, length, 0xFF, 0xFF] + bytes) == [
        1, .null, .integer(number), .null, .null, 9,
      ])
    #expect(
      try read([0, 4, length, 0xFF, 0xFF, 0x41, 0x42, 0x43, 0x44] + bytes)
        == [1, "ABCD", .integer(number), .null, .null, 9])
    #expect(
      try read([0, 0xFF, 0xFF, length + 1, 0xFF, 2] + bytes)
        == [1, .null, .null, .integer(number), .null, 9])
  }

  @Test(
    arguments: [
      ([0x3F, 0xF8], 1.5), ([0x80], -0.0), ([], 0),
      ([0xC0, 0x5E, 0xDC, 0xCC, 0xCC, 0xCC, 0xCC, 0xCD], -123.45),
    ] as [([UInt8], Double)])
  func `a double of any width reads wherever it is`(bytes: [UInt8], number: Double) throws {
    let length = UInt8(bytes.count) + 1
    #expect(
      try read([0, 0xFF, 0xFF, length, 0xFF, 9] + bytes)
        == [1, .null, .null, .double(number), .null, 9])
    #expect(
      try read([0, 9, 0xFF, length, 0xFF] + Array(repeating: 0x41, count: 9) + [9] + bytes)
        == [1, "AAAAAAAAA", .null, .double(number), .null, 9])
  }

  @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 40])
  func `text is looked at to its last byte`(length: Int) throws {
    let text = [UInt8](repeating: 0x41, count: length)
    let header: [UInt8] = [0, UInt8(length + 1), 0xFF, 0xFF, 0xFF]
    for place in 0...length {
      var bytes = text
      bytes.insert(0xFF, at: place)
      #expect(code { _ = try read(header + bytes) } == .undecodable)
    }
    #expect(
      try read([0, UInt8(length + 2), 0xFF, 0xFF, 0xFF] + text + [0xC3, 0xA9])[1]
        == .text(String(repeating: "A", count: length) + "é"))
  }

  @Test(
    arguments: [
      [], [0x80], [0x80, 0x80, 0x80, 0x80, 0x80, 0x01], [4, 0, 0, 0, 0], [0], [0, 0, 0, 0],
      [0, 1, 0, 0, 0], [0, 0, 0, 0xFF, 0, 0x41], [0, 0xFE, 0, 0, 0], [0, 0xFC, 0, 0, 0],
      [0, 0xFD, 255, 255, 255, 255, 0, 0, 0], [0, 0xFC, 2, 0, 0xFF, 0xFF, 0xFF, 0x41],
    ] as [[UInt8]])
  func `lengths that do not add up are damage`(value: [UInt8]) throws {
    #expect(code { _ = try read(value) } == .damaged)
  }

  @Test(
    arguments: [
      [0, 1, 0xFF, 0xFF, 0xFF, 0xFF], [0, 0xFF, 9, 0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      [0, 0xFF, 0xFF, 0, 0xFF], [0, 0xFF, 0xFF, 2, 0xFF, 1, 1],
      [0, 0xFF, 0xFF, 0xFF, 9] + Array(repeating: 0, count: 9),
      [0, 0xFF, 0xFF, 0xFF, 12] + Array(repeating: 0xFF, count: 12),
      [0, 0xFF, 0xFF, 0xFF, 8] + Array(repeating: 0x7F, count: 8),
    ] as [[UInt8]])
  func `payloads that are none of their type are undecodable`(value: [UInt8]) throws {
    #expect(code { _ = try read(value) } == .undecodable)
  }

  @Test func `a key of another length is damage`() throws {
    #expect(code { _ = try read([0, 0xFF, 0xFF, 0xFF, 0xFF], key: [1, 2, 3]) } == .damaged)
  }

  @Test func `random bytes end with values or an error`() throws {
    var generator = RepeatableGenerator(seed: 20_261_130)
    var values = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<40, using: &generator)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      if count > 0 { bytes[0] = UInt8.random(in: 0..<6, using: &generator) }
      for index in bytes.indices.dropFirst().prefix(6) where Bool.random(using: &generator) {
        bytes[index] = [0, 1, 2, 0xFC, 0xFD, 0xFF].randomElement(using: &generator) ?? 0
      }
      let found = code { _ = try read(bytes) }
      if found == nil { values += 1 }
      #expect(found == nil || found == .damaged || found == .undecodable, "for \(bytes)")
    }
    #expect(values > 0)
  }

  @Test func `what is written is read, in all shapes of rows`() throws {
    let writer = RecordWriter(binding)
    var generator = RepeatableGenerator(seed: 7)
    let row = RowBuffer(columns: 6)
    for round in 0..<2_000 {
      let length = [0, 1, 250, 251, 252, 300, 70_000].randomElement(using: &generator) ?? 0
      let values: [StoredValue] = [
        .integer(Int64(round)),
        round % 5 == 0 ? .null : .text(String(repeating: "é", count: length / 2)),
        .integer(Int64(bitPattern: generator.next()) >> Int64(generator.next() % 64)),
        round % 3 == 0 ? .null : .double(Double(Int64(bitPattern: generator.next()))),
        Timestamp(seconds: Int64(round), nanoseconds: UInt32(round % 2)).map { .date($0) } ?? .null,
        .integer(1),
      ]
      row.reset()
      for (index, value) in values.enumerated() { row.setValue(value, at: index) }
      let storesKey = round % 2 == 0
      let bytes = Array(try writer.write(row, storesKey: storesKey))
      var key = OrderedKey()
      key.append(row[0])
      if storesKey { key = OrderedKey() }
      #expect(try read(bytes, key: Array(key.bytes)) == values)
    }
  }
}
