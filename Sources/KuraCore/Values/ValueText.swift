#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The texts that stand for values of the fixed-size types in files and output.
package enum ValueText {
  /// Reads an identifier of 16 bytes in its usual form of 36 characters, either case.
  package static func uuid(_ bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64)? {
    guard bytes.count == 36 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for index in 0..<36 {
      let byte = bytes[index]
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let nibble = hexDigitValue(byte) else { return nil }
      if digits < 16 { words.0 = words.0 << 4 | UInt64(nibble) }
      if digits >= 16 { words.1 = words.1 << 4 | UInt64(nibble) }
      digits += 1
    }
    return words
  }

  /// Reads an identifier's text of 36 characters, either case.
  package static func uuid(_ text: String) -> UUID? {
    var text = text
    return text.withUTF8 { uuid(UnsafeRawBufferPointer($0)) }
      .map { UUID(high: $0.high, low: $0.low) }
  }

  /// Reads an object identifier of 24 hexadecimal digits.
  package static func objectID(_ bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64)? {
    guard bytes.count == 24 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    for index in 0..<24 {
      guard let nibble = hexDigitValue(bytes[index]) else { return nil }
      if index < 16 { words.0 = words.0 << 4 | UInt64(nibble) }
      if index >= 16 { words.1 = words.1 << 4 | UInt64(nibble) }
    }
    return words
  }

  /// The text of a slot of a kind that has one: dates, identifiers and decimals in sortable form.
  package static func text(of slot: ColumnSlot) -> String {
    switch slot.kind {
    case .date:
      return Timestamp(seconds: slot.integer, nanoseconds: UInt32(truncatingIfNeeded: slot.word1))
        .map(\.description) ?? ""
    case .uuid: return uuidText(slot.word0, slot.word1)
    case .objectID:
      return ObjectID(high: slot.word0, low: UInt32(truncatingIfNeeded: slot.word1)).description
    case .decimal, .text, .malformedText, .data:
      return String(decoding: slot.bytes, as: UTF8.self)
    case .null, .bool, .integer, .double: return ""
    }
  }

  /// The lower-case text of an identifier.
  package static func text(of uuid: UUID) -> String {
    let (high, low) = uuid.words
    return uuidText(high, low)
  }

  private static func uuidText(_ high: UInt64, _ low: UInt64) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for position in 0..<32 {
      if position == 8 || position == 12 || position == 16 || position == 20 {
        text.append(UInt8(ascii: "-"))
      }
      let word = position < 16 ? high : low
      text.append(digits[Int(word >> (60 - UInt64(position % 16) * 4) & 0xF)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
