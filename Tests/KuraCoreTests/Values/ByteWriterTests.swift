import KuraTesting
import Testing

@testable import KuraCore

@Suite("ByteWriter")
struct ByteWriterTests {
  private func text(_ body: (ByteWriter) throws(StoreError) -> Void) throws -> String {
    var bytes: [UInt8] = []
    let writer = ByteWriter { part throws(StoreError) in bytes += part }
    try body(writer)
    try writer.flush()
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("doubles are the standard library's shortest digits, whatever way they are found")
  func doubles() throws {
    var generator = RepeatableGenerator(seed: 20_261_130)
    for round in 0..<200_000 {
      let digits = Double(Int64.random(in: -999_999_999_999...999_999_999_999, using: &generator))
      let value: Double =
        switch round % 4 {
        case 0: digits / 1e6
        case 1: (digits / 1e4).rounded() / 1e2
        case 2: digits / 7919
        default: Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator))
        }
      guard value.isFinite else { continue }
      let written = try text { writer throws(StoreError) in try writer.append(value) }
      #expect(Double(written)?.bitPattern == value.bitPattern)
      if abs(value) < 1e15 { #expect(written == value.description) }
    }
  }

  @Test("integers have their digits, the smallest and largest included")
  func integers() throws {
    for value in [0, 9, 10, -1, 99, 100, .max, .min, 1_000_000_000_000_000_000 as Int64] {
      #expect(try text { writer throws(StoreError) in try writer.append(value) } == "\(value)")
    }
  }

  @Test("JSON escapes what must be escaped at every place of a word of eight bytes")
  func json() throws {
    for place in 0..<17 {
      for (odd, escape) in [("\"", "\\\""), ("\\", "\\\\"), ("\u{1F}", "\\u001f"), ("é", "é")] {
        var letters = Array(repeating: "a", count: 17)
        letters[place] = odd
        let given = letters.joined()
        letters[place] = escape
        let written = try text { writer throws(StoreError) in try writer.appendJSON(given) }
        #expect(written == "\"" + letters.joined() + "\"")
      }
    }
  }
}
