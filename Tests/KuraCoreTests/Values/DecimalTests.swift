import KuraTesting
import Testing

@testable import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct DecimalTests {
  @Test(
    "the documented forms are what is written",
    arguments: [
      ("0", "1 0"), ("123.45", "250212345 123.45"), ("-123.45", "049787654~ -123.45"),
      ("1", "25001 1"), ("100", "25021 100"), ("0.001", "24971 0.001"), ("-1", "04998~ -1"),
    ])
  func documentedForms(number: String, text: String) throws {
    #expect(try #require(Decimal(plainText: number)).sortableText == text)
    #expect(read(text) == Decimal(plainText: number))
  }

  @Test("byte order is number order")
  func order() throws {
    // Ascending by hand.
    let ascending = [
      "-9e127", "-1e20", "-123.46", "-123.45", "-123.4", "-100", "-99", "-12", "-10.5", "-10", "-9",
      "-1.5", "-1.25", "-1", "-0.5", "-0.05", "-1e-128", "0", "1e-128", "0.05", "0.5", "0.55", "1",
      "1.25", "1.5", "9", "10", "10.5", "12", "99", "100", "123.4", "123.45", "123.46", "1e20",
      "9e127",
    ]
    let texts = try ascending.map { try #require(Decimal(plainText: $0), "\($0)").sortableText }
    for (left, right) in zip(texts, texts.dropFirst()) {
      #expect(left.utf8.lexicographicallyPrecedes(right.utf8), "\(left) before \(right)")
    }
  }

  @Test("random numbers order by their texts as by value, and come back")
  func randomOrder() throws {
    var random = RepeatableGenerator(seed: 42)
    var previous: Decimal?
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...38, using: &random)
      let digits = (0..<count).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
      let exponent = Int.random(in: -60...60, using: &random)
      let sign = Bool.random(using: &random) ? "-" : ""
      let number = try #require(Decimal(plainText: "\(sign)\(digits)e\(exponent)"))
      let text = number.sortableText
      #expect(read(text) == number)
      if let previous {
        let byBytes = previous.sortableText.utf8.lexicographicallyPrecedes(text.utf8)
        #expect(byBytes == (previous < number), "\(previous) \(number)")
      }
      previous = number
    }
  }

  @Test("equal numbers have one text and one hash")
  func equalNumbers() throws {
    for group in [["1.2", "1.20", "12e-1", "0.12E1", "+1.2"], ["0", "-0", "0.000", "0e99"]] {
      let numbers = try group.map { try #require(Decimal(plainText: $0), "\($0)") }
      #expect(Set(numbers.map(\.sortableText)).count == 1)
      #expect(Set(numbers.map { StoredValue.decimal($0) }).count == 1)
    }
  }

  @Test("the greatest and smallest decimals come back")
  func extremes() throws {
    for number in [
      Decimal.greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude,
      Decimal.leastNonzeroMagnitude, Decimal(Int64.max), Decimal(Int64.min),
    ] {
      #expect(read(number.sortableText) == number)
    }
  }

  @Test(
    "what is no number, or is not exact, is refused",
    arguments: [
      "", "-", "+", ".", "1e", "1e+", "e5", "1e5-3", "1-2", "1.2.3", "0x10", "1_000", "1,5", " 1",
      "1 ", "NaN", "inf", "1e99999", "1e-200", "1e200", "１",
      "12345678901234567890123456789012345678901",
      "0.1234567890123456789012345678901234567891",
    ])
  func refused(text: String) {
    #expect(Decimal(plainText: text) == nil)
  }

  @Test(
    "a text whose key and number disagree is refused",
    arguments: ["", " ", "1", "1 1", "25001 2", "25001 1.0", "250010 1", "25001 1 ", "04998 -1"])
  func disagreement(text: String) {
    #expect(read(text) == nil)
  }

  private func read(_ text: String) -> Decimal? {
    Array(text.utf8).withUnsafeBytes { Decimal(sortableText: $0) }
  }
}
