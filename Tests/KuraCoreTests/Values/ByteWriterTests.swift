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

  /// Expected texts are what Python's `repr` makes of the bits.
  @Test(
    "doubles at the bounds of each way to find their digits",
    arguments: [
      (0x3FE0_0000_0000_0001, "0.5000000000000001"), (0x3F1A_36E2_EB1C_432D, "0.0001"),
      (0x3F1A_36E2_EB1C_432E, "0.00010000000000000002"),
      (0x3F1A_36E2_EB1C_432C, "9.999999999999999e-05"),
      (0x3F1A_36E2_EB1C_432F, "0.00010000000000000003"),
      (0x430F_FFFF_FFFF_FFFF, "1125899906842623.9"),
      (0x430C_6BF5_2633_FFFF, "999999999999999.9"),
      (0x3FD3_3333_3333_3334, "0.30000000000000004"), (0x3FB9_9999_9999_999A, "0.1"),
      (0x3FBF_9ADD_3C0C_4A3A, "0.12345679012313662"),
      (0x3CB0_0000_0000_0000, "2.220446049250313e-16"), (0x0000_0000_0000_0001, "5e-324"),
      (0x000F_FFFF_FFFF_FFFF, "2.225073858507201e-308"),
      (0x0010_0000_0000_0000, "2.2250738585072014e-308"),
      (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
      (0x41D2_6580_B487_E69B, "1234567890.12345"), (0x3FF0_0000_0000_0001, "1.0000000000000002"),
      (0x4009_21FB_5444_2D18, "3.141592653589793"), (0x4005_BF0A_8B14_5769, "2.718281828459045"),
      (0x3F50_624D_D2F1_A9FC, "0.001"), (0x3EB0_C6F7_A0B5_ED8D, "1e-06"),
      (0x42DF_FFFF_FFFF_FFFE, "140737488355327.97"),
      (0x3FEF_FFFF_FFFF_FFFF, "0.9999999999999999"), (0x3F80_0000_0000_0000, "0.0078125"),
      (0x3FB0_0000_0000_0000, "0.0625"), (0, "0.0"), (0x8000_0000_0000_0000, "-0.0"),
    ] as [(UInt64, String)])
  func publishedDoubles(_ bits: UInt64, _ expected: String) throws {
    let value = Double(bitPattern: bits)
    #expect(try text { writer throws(StoreError) in try writer.append(value) } == expected)
    guard value != 0 else { return }
    #expect(try text { writer throws(StoreError) in try writer.append(-value) } == "-" + expected)
  }

  @Test("doubles without an exponent are the standard library's, at every power of two")
  func doublesOfEveryExponent() throws {
    var generator = RepeatableGenerator(seed: 30)
    for exponent in -14...49 {
      for round in 0..<2_000 {
        let fraction = UInt64.random(in: 0..<1 << 52, using: &generator)
        let bits = round < 4 ? UInt64([0, 1, 2, 0xF_FFFF_FFFF_FFFF][round]) : fraction
        let value = Double(bitPattern: UInt64(exponent + 1023) << 52 | bits)
        let written = try text { writer throws(StoreError) in try writer.append(value) }
        guard value < 1e15, written != value.description else { continue }
        Issue.record("\(written) instead of \(value.description)")
      }
    }
  }

  @Test("integers have their digits, the smallest and largest included")
  func integers() throws {
    for value in [0, 9, 10, -1, 99, 100, .max, .min, 1_000_000_000_000_000_000 as Int64] {
      #expect(try text { writer throws(StoreError) in try writer.append(value) } == "\(value)")
    }
    // Before and after each power of ten the number of digits changes.
    var (power, nines) = (1 as Int64, "")
    for _ in 0..<18 {
      power *= 10
      nines += "9"
      let zeros = String(repeating: "0", count: nines.count)
      #expect(try text { writer throws(StoreError) in try writer.append(power - 1) } == nines)
      #expect(try text { writer throws(StoreError) in try writer.append(-power) } == "-1" + zeros)
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
