import Testing

@testable import KuraCore

/// Ordered keys have hand-made bytes and the order of the values.
@Suite struct OrderedKeyTests {
  private func key(_ values: [StoredValue], _ append: (OrderedKey, ColumnSlot) -> Void) -> [UInt8] {
    let row = RowBuffer(columns: values.count)
    let key = OrderedKey()
    for (index, value) in values.enumerated() {
      row.setValue(value, at: index)
      append(key, row[index])
    }
    return Array(key.bytes)
  }

  @Test func `components have the documented bytes`() {
    #expect(key([1]) { $0.append($1) } == [0x80, 0, 0, 0, 0, 0, 0, 1])
    #expect(key([-1]) { $0.append($1) } == [0x7F] + [UInt8](repeating: 0xFF, count: 7))
    #expect(key([1.5]) { $0.append($1) } == [0xBF, 0xF8, 0, 0, 0, 0, 0, 0])
    #expect(key([-1.5]) { $0.append($1) } == [0x40, 0x07] + [UInt8](repeating: 0xFF, count: 6))
    #expect(key([-0.0]) { $0.append($1) } == key([0.0]) { $0.append($1) })
    #expect(key(["a\0\u{1}b"]) { $0.append($1) } == [0x61, 1, 1, 1, 2, 0x62, 0])
    #expect(key([true, .null]) { $0.appendTagged($1) } == [1, 1, 0])
  }

  @Test func `the order of the bytes is the order of the values`() {
    let texts: [StoredValue] = [
      "", "\0", "\0\0", "\u{1}", "a", "a\0", "a\0b", "a\u{1}", "aa", "b", "é", "日本",
    ]
    let numbers: [StoredValue] = [
      .double(-.infinity), .integer(.min), -1, -0.5, 0, .double(.leastNonzeroMagnitude), 0.5, 1,
      1.5, 2,
      .double(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
      .double(9_007_199_254_740_994), .integer(.max - 1), .integer(.max),
      .double(9_223_372_036_854_775_808), .double(.infinity),
    ]
    let all: [StoredValue] = [.null, false, true] + numbers + texts
    for (index, lower) in all.enumerated() {
      for higher in all[(index + 1)...] {
        let (left, right) = (
          key([lower]) { $0.appendMixed($1) }, key([higher]) { $0.appendMixed($1) }
        )
        #expect(left.lexicographicallyPrecedes(right), "\(lower) before \(higher)")
        let one = key([lower]) { key, slot in
          key.appendMixed(slot); key.invert(from: 0)
        }
        let two = key([higher]) { key, slot in
          key.appendMixed(slot); key.invert(from: 0)
        }
        #expect(two.lexicographicallyPrecedes(one), "\(higher) before \(lower), descending")
      }
    }
    #expect(key([1]) { $0.appendMixed($1) } == key([1.0]) { $0.appendMixed($1) })
  }

  @Test func `what a text hides does not leak into the next component`() {
    let first = key(["a", .integer(.max)]) { $0.append($1) }
    let second = key(["a\0", .integer(.min)]) { $0.append($1) }
    #expect(first.lexicographicallyPrecedes(second))
  }

  @Test func `a key is read back, and what is no key is refused`() {
    let values: [StoredValue] = ["a\0\u{1}é", -7, 2.5, true, .data([0, 1, 255])]
    let types: [ValueType] = [.text, .integer, .double, .bool, .data]
    let bytes = key(values) { $0.append($1) }
    bytes.withUnsafeBytes { raw in
      var reader = OrderedKeyReader(raw)
      let row = RowBuffer(columns: values.count)
      for (column, type) in types.enumerated() {
        let isRead = reader.read(type, into: row, column: column)
        #expect(isRead)
      }
      #expect(reader.isAtEnd)
      #expect(values.indices.map { row.value(at: $0) } == values)
      for length in 0..<raw.count {
        var cut = OrderedKeyReader(UnsafeRawBufferPointer(rebasing: raw[..<length]))
        let isWhole = types.allSatisfy { cut.skip($0) }
        #expect(!isWhole, "cut to \(length) bytes")
      }
    }
    for bad: [UInt8] in [[1], [1, 3, 0], [0xFF, 0], [0x61]] {
      bad.withUnsafeBytes { raw in
        var reader = OrderedKeyReader(raw)
        let isRead = reader.read(.text, into: RowBuffer(columns: 1), column: 0)
        #expect(!isRead)
      }
    }
  }

  @Test func `the end of a prefix`() {
    let key = OrderedKey()
    for byte: UInt8 in [0x61, 0xFF, 0xFF] { key.append(byte) }
    #expect(key.advancePastPrefix())
    #expect(Array(key.bytes) == [0x62])
    key.truncate()
    key.append(0xFF)
    #expect(!key.advancePastPrefix())
  }
}
