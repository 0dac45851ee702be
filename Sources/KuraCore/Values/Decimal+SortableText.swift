#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Decimal {
  /// A text whose byte order is the order of the numbers, followed by a space and the number.
  ///
  /// The key of zero is `1`. That of a positive number is `2`, the exponent of its scientific form
  /// plus 500 as three digits, and its significant digits without trailing zeros: 123.45 is
  /// `250212345 123.45`. That of a negative number is `0` and the nines' complement of what the
  /// positive number has, closed by `~` so that a longer number orders first: -123.45 is
  /// `049787654~ -123.45`. Equal numbers have equal texts.
  package var sortableText: String {
    let (isNegative, digits, exponent) = parts
    let plain = Decimal.plain(isNegative, digits, exponent)
    guard !digits.isEmpty else { return "1 0" }
    let biased = exponent + 500
    let exponentDigits = [biased / 100 % 10, biased / 10 % 10, biased % 10]
    let key = exponentDigits + digits.map { Int($0) }
    var text = isNegative ? "0" : "2"
    for digit in key { text += String(isNegative ? 9 - digit : digit) }
    if isNegative { text += "~" }
    return text + " " + plain
  }

  /// Reads ``sortableText``; a text whose key and number disagree gives `nil`.
  package init?(sortableText bytes: UnsafeRawBufferPointer) {
    guard bytes.count <= 512, let space = bytes.firstIndex(of: 0x20) else { return nil }
    let plain = String(decoding: bytes[(space + 1)...], as: UTF8.self)
    guard let value = Decimal(plainText: plain), value.sortableText.utf8.elementsEqual(bytes)
    else { return nil }
    self = value
  }

  /// Reads a plain or scientific decimal number and nothing else.
  ///
  /// `nil` for other texts, more than 38 significant digits and exponents outside -128 to 127.
  public init?(plainText text: some StringProtocol) {
    var digits = 0
    var sawPoint = false
    var sawExponent = false
    for (position, byte) in text.utf8.enumerated() {
      switch byte {
      case 0x30...0x39: if !sawExponent { digits += 1 }
      case UInt8(ascii: "+"), UInt8(ascii: "-"):
        guard position == 0 || sawExponent else { return nil }
      case UInt8(ascii: "."):
        guard !sawPoint, !sawExponent else { return nil }
        sawPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard !sawExponent, digits > 0 else { return nil }
        sawExponent = true
      default: return nil
      }
    }
    guard digits > 0, digits <= 200, let value = Decimal(string: String(text)), value.isFinite,
      !value.isNaN
    else { return nil }
    // `Decimal` rounds what it cannot hold; a number that changed is refused.
    let given = Decimal.significantDigits(String(text))
    guard given.count <= 38, value.parts.digits == given else { return nil }
    self = value
  }

  /// Sign, significant digits without zeros at either end, and the exponent of the scientific form.
  private var parts: (isNegative: Bool, digits: [UInt8], exponent: Int) {
    let text = description
    let isNegative = text.hasPrefix("-")
    let unsigned = isNegative ? text.dropFirst() : text[...]
    let point = unsigned.firstIndex(of: ".") ?? unsigned.endIndex
    let wholeDigits = unsigned[..<point].utf8.count
    let all = unsigned.utf8.filter { $0 != UInt8(ascii: ".") }.map { $0 &- 48 }
    guard all.allSatisfy({ $0 <= 9 }), let first = all.firstIndex(where: { $0 != 0 }),
      let last = all.lastIndex(where: { $0 != 0 })
    else { return (false, [], 0) }
    return (isNegative, Array(all[first...last]), wholeDigits - 1 - first)
  }

  /// The significant digits of a number's text, as in `parts`.
  private static func significantDigits(_ text: String) -> [UInt8] {
    let mantissa = text.utf8.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
    let all = mantissa.filter { (48...57).contains($0) }.map { $0 - 48 }
    guard let first = all.firstIndex(where: { $0 != 0 }),
      let last = all.lastIndex(where: { $0 != 0 })
    else { return [] }
    return Array(all[first...last])
  }

  private static func plain(_ isNegative: Bool, _ digits: [UInt8], _ exponent: Int) -> String {
    guard !digits.isEmpty else { return "0" }
    var text = isNegative ? "-" : ""
    if exponent < 0 {
      text += "0." + String(repeating: "0", count: -exponent - 1)
      for digit in digits { text += String(digit) }
      return text
    }
    for position in 0..<max(digits.count, exponent + 1) {
      if position == exponent + 1 { text += "." }
      text += position < digits.count ? String(digits[position]) : "0"
    }
    return text
  }
}
