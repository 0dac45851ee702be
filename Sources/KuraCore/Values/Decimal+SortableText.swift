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
  /// `nil` for other texts and for numbers that a `Decimal` cannot hold exactly: more than 38
  /// significant digits (39 when below 2 to the power of 128) or too large an exponent.
  public init?(plainText text: some StringProtocol) {
    var rest = text.utf8[...]
    let sign = rest.first
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
    let mantissa = rest.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
    rest = rest[mantissa.endIndex...]
    let parts = mantissa.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    var digits: [UInt8] = []
    for part in parts {
      for digit in part {
        guard (48...57).contains(digit), digits.count < 400 else { return nil }
        digits.append(digit)
      }
    }
    guard !digits.isEmpty else { return nil }
    var exponent = parts.count == 2 ? -parts[1].count : 0
    if !rest.isEmpty {
      let written = String(decoding: rest.dropFirst(), as: UTF8.self)
      guard written.utf8.count <= 5, let given = Int(written) else { return nil }
      exponent += given
    }
    while let last = digits.last, last == 48 {
      digits.removeLast()
      exponent += 1
    }
    digits.removeFirst(digits.prefix { $0 == 48 }.count)
    guard !digits.isEmpty else {
      self = 0
      return
    }
    // A large exponent becomes zeros of the significand while there is room.
    while exponent > 127, digits.count < 39 {
      digits.append(48)
      exponent -= 1
    }
    let whole = String(decoding: digits, as: UTF8.self)
    guard digits.count <= 39, (-128...127).contains(exponent),
      let significand = Decimal(string: whole), significand.description == whole
    else { return nil }
    self = Decimal(
      sign: sign == UInt8(ascii: "-") ? .minus : .plus, exponent: exponent,
      significand: significand)
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
