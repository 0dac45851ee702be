package import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Values at the edges of every type, and random ones.
package enum SampleValues {
  /// The edge values of a type.
  package static func edges(_ type: ValueType) -> [StoredValue] {
    switch type {
    case .bool: return [.bool(false), .bool(true)]
    case .integer:
      return [
        .min, .min + 1, -4_294_967_297, -1, 0, 1, 127, 128, 9_007_199_254_740_993, .max - 1, .max,
      ].map { .integer($0) }
    case .double:
      return [
        -.infinity, -.greatestFiniteMagnitude, -1, -.leastNormalMagnitude, -.leastNonzeroMagnitude,
        -0.0, 0.1 + 0.2, .leastNonzeroMagnitude, .leastNormalMagnitude, 1.0 / 3,
        9_007_199_254_740_992, 1e300, .greatestFiniteMagnitude, .infinity,
      ].map { .double($0) }
    case .decimal:
      let digits = "12345678901234567890123456789012345678"
      return [
        "0", "1", "-1", "0.1", "-0.1", digits, "-" + digits, "0.0000000000000000001",
        "99999999999999999999999999999999999999", "1.5", "1.50000000000000000000000001", "-1.5",
        "10",
        "9", "-10", "-9", "1000000000000000000000000000000000000000000",
      ].compactMap { Decimal(plainText: $0) }.map { .decimal($0) }
    case .date:
      return [
        (Timestamp.firstSecond, 0), (Timestamp.firstSecond, 1), (-1, 999_999_999), (0, 0), (0, 1),
        (951_782_400, 0), (1_700_000_000, 123_456_789), (Timestamp.lastSecond, 999_999_999),
      ].compactMap { Timestamp(seconds: $0, nanoseconds: $1) }.map { .date($0) }
    case .text, .json:
      return [
        "", "\0", "a", "a\0", "a\0b", "aa", "A", "Z", "~", "é", "e\u{301}", "ß", "日本語", "👨‍👩‍👧‍👦",
        "\u{FFFD}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "it's \"quoted\" \\ %_*?", " a ",
      ].map { .text($0) }
    case .data:
      return [[], [0], [0, 0], [0, 1], [0x7F], [0x80], [0xFF], [0xFF, 0xFF], Array("text".utf8)]
        .map { .data($0) }
    case .uuid:
      return [0, 1, 0x7F, 0x80, 0xFF].map { byte in
        .uuid(UUID(high: UInt64(byte) << 56, low: UInt64(byte)))
      } + [.uuid(UUID(high: .max, low: .max))]
    case .objectID:
      return [0, 1, 0x7F, 0x80, 0xFF].compactMap { byte in
        ObjectID(bytes: [UInt8](repeating: byte, count: 12)).map { .objectID($0) }
      }
    case .any:
      return [
        .integer(.min), .integer(-1), .integer(0), .integer(.max), .double(-.infinity),
        .double(0.5), .double(9.5e18), .double(.infinity), .text(""), .text("a\0b"), .text("10"),
        .data([]), .data([0xFF]),
      ]
    }
  }

  /// A random value of a type.
  package static func random(_ type: ValueType, using generator: inout RepeatableGenerator)
    -> StoredValue
  {
    let bits = generator.next()
    switch type {
    case .bool: return .bool(bits & 1 == 1)
    case .integer: return .integer(Int64(bitPattern: bits) >> Int64(generator.next() % 63))
    case .double:
      let value = Double(bitPattern: bits)
      return .double(value.isNaN ? Double(Int64(bitPattern: bits)) : value)
    case .decimal:
      let scale = Int(generator.next() % 40) - 20
      let sign = bits & 1 == 0 ? "" : "-"
      return Decimal(plainText: "\(sign)\(bits >> (generator.next() % 60))E\(scale)")
        .map { .decimal($0) } ?? .decimal(1)
    case .date:
      let span = UInt64(Timestamp.lastSecond - Timestamp.firstSecond)
      let seconds = Timestamp.firstSecond + Int64(bits % span)
      let time = Timestamp(
        seconds: seconds, nanoseconds: UInt32(generator.next() % 1_000_000_000))
      return time.map { .date($0) } ?? .null
    case .text, .json:
      var text = ""
      for _ in 0..<(bits % 12) {
        let range: UInt64 = [0x80, 0x800, 0x1_0000, 0x11_0000][Int(generator.next() % 4)]
        if let scalar = Unicode.Scalar(UInt32(generator.next() % range)) {
          text.unicodeScalars.append(scalar)
        }
      }
      return .text(text)
    case .data:
      var bytes: [UInt8] = []
      for _ in 0..<(bits % 12) { bytes.append(UInt8(truncatingIfNeeded: generator.next())) }
      return .data(bytes)
    case .uuid: return .uuid(UUID(high: bits, low: generator.next()))
    case .objectID:
      let more = generator.next()
      let bytes = (0..<12).map {
        UInt8(truncatingIfNeeded: $0 < 8 ? bits >> (8 * $0) : more >> (8 * ($0 - 8)))
      }
      return ObjectID(bytes: bytes).map { .objectID($0) } ?? .null
    case .any:
      let types: [ValueType] = [.integer, .double, .text, .data]
      return random(types[Int(bits % 4)], using: &generator)
    }
  }

  /// The types that can be keys.
  package static let keyTypes: [ValueType] = [
    .bool, .integer, .double, .decimal, .date, .text, .data, .uuid, .objectID,
  ]

  /// Distinct edge and random values of a type.
  package static func many(_ type: ValueType, seed: UInt64) -> [StoredValue] {
    var generator = RepeatableGenerator(seed: seed)
    var values = edges(type)
    for _ in 0..<220 { values.append(random(type, using: &generator)) }
    var seen: Set<StoredValue> = []
    return values.filter { seen.insert($0).inserted }
  }

  /// Whether two values are the same to the last bit.
  package static func isIdentical(_ left: StoredValue, _ right: StoredValue) -> Bool {
    if case .double(let l) = left, case .double(let r) = right {
      return l.bitPattern == r.bitPattern
    }
    return left == right
  }
}
