import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A 12-byte identifier: four bytes of seconds since 1970, five random bytes, a three-byte counter,
/// all big-endian, so that later identifiers order after earlier ones.
///
/// The layout is that of BSON's ObjectId (bsonspec.org), which Realm uses as well.
public struct ObjectID: Sendable, Hashable {
  /// The first eight bytes, big-endian.
  @usableFromInline let high: UInt64
  /// The last four bytes, big-endian.
  @usableFromInline let low: UInt32

  @inlinable init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// Makes a new identifier that no other call in this process returns.
  public init() {
    self = ObjectID.generator.next()
  }

  /// Makes an identifier from exactly 12 bytes; any other count gives `nil`.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 12 else { return nil }
    var high: UInt64 = 0
    var low: UInt32 = 0
    for (position, byte) in bytes.enumerated() {
      if position < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt32(byte) }
    }
    self.init(high: high, low: low)
  }

  /// Makes an identifier from 24 hexadecimal digits of either case; any other text gives `nil`.
  public init?(_ text: some StringProtocol) {
    let digits = text.utf8
    guard digits.count == 24 else { return nil }
    var high: UInt64 = 0
    var low: UInt32 = 0
    for (position, digit) in digits.enumerated() {
      guard let nibble = hexDigitValue(digit) else { return nil }
      if position < 16 {
        high = high << 4 | UInt64(nibble)
      } else {
        low = low << 4 | UInt32(nibble)
      }
    }
    self.init(high: high, low: low)
  }

  /// The 12 bytes, first to last.
  public var bytes: [UInt8] {
    withUnsafeBytes(of: high.bigEndian) { Array($0) }
      + withUnsafeBytes(of: low.bigEndian) { Array($0) }
  }

  /// The seconds since 1970-01-01 00:00:00 UTC in the first four bytes.
  public var secondsSince1970: UInt32 { UInt32(truncatingIfNeeded: high >> 32) }

  private static let generator = Generator()

  private final class Generator: Sendable {
    private let random = UInt64.random(in: 0..<(1 << 40))
    private let counter = Atomic<UInt32>(UInt32.random(in: 0..<(1 << 24)))

    func next() -> ObjectID {
      let clamped = max(0, min(Double(UInt32.max), Date().timeIntervalSince1970))
      let seconds = UInt64(UInt32(clamped))
      let count = counter.wrappingAdd(1, ordering: .relaxed).newValue & 0xFF_FFFF
      return ObjectID(
        high: seconds << 32 | random >> 8,
        low: UInt32(truncatingIfNeeded: random & 0xFF) << 24 | count)
    }
  }
}

extension ObjectID: Comparable, CustomStringConvertible, LosslessStringConvertible {
  /// Orders by the bytes, first to last.
  public static func < (left: ObjectID, right: ObjectID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// The 24 lower-case hexadecimal digits.
  public var description: String {
    String(hex(high, digits: 16) + hex(UInt64(low), digits: 8))
  }

  /// Makes an identifier from 24 hexadecimal digits; any other text gives `nil`.
  public init?(_ description: String) {
    self.init(Substring(description))
  }
}

extension ObjectID: Codable {
  /// Decodes 24 hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let value = ObjectID(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "not an object identifier"))
    }
    self = value
  }

  /// Encodes 24 lower-case hexadecimal digits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The value of one hexadecimal digit of either case.
package func hexDigitValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case 0x30...0x39: digit - 0x30
  case 0x41...0x46: digit - 0x41 + 10
  case 0x61...0x66: digit - 0x61 + 10
  default: nil
  }
}

private func hex(_ value: UInt64, digits: Int) -> String {
  let text = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
