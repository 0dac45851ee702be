import CSQLite
import KuraCore

/// Writes doubles so that SQLite's own parser reads back the same bits.
///
/// The shortest digits are enough for a correctly rounding parser. SQLite's is not one: libraries
/// before 3.43 work with 64 bits of precision and round twice, so about one in 10,000 ordinary
/// numbers would come back as its neighbour. Such numbers get more digits, or an exact quotient.
final class RealLiterals {
  private let parser: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(StoreError) {
    parser = try connection.prepare("SELECT CAST(?1 AS REAL)")
  }

  /// Adds a number.
  func append(_ value: Double, to bytes: ByteWriter) throws(StoreError) {
    guard value.isFinite, value.magnitude >= 1e15 || value != value.rounded(.towardZero) else {
      return try SQLLiterals.append(ColumnSlot(.double, value.bitPattern), to: bytes)
    }
    let shortest = value.description
    if RealLiterals.isSafe(shortest) { return try bytes.append(shortest) }
    if try parses(shortest, as: value) { return try bytes.append(shortest) }
    try bytes.append(RealLiterals.quotient(value))
  }

  private func parses(_ text: String, as value: Double) throws(StoreError) -> Bool {
    try parser.bind(.text(text), at: 1)
    defer { parser.reset() }
    guard try parser.step() else { return false }
    return sqlite3_column_double(parser.handle, 0).bitPattern == value.bitPattern
  }

  /// Whether any parser with at least 64 bits of precision reads the digits rightly.
  static func isSafe(_ text: String) -> Bool {
    var digits: UInt64 = 0
    var count = 0
    var scale = 0
    var hasPoint = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "-"): continue
      case UInt8(ascii: "."): hasPoint = true
      case 0x30...0x39:
        digits = digits &* 10 &+ UInt64(byte &- 0x30)
        if digits > 0 { count += 1 }
        if hasPoint { scale += 1 }
      default: return false
      }
    }
    // Digits and power of ten are exact doubles then, and one division rounds once.
    if count <= 15, scale <= 22 { return true }
    #if arch(x86_64) && !os(Windows)
      // Both are exact with 64 bits. The quotient is off by half a unit at most, which matters only
      // when its last 11 bits are those of a tie.
      guard count <= 19, scale <= 27 else { return false }
      let quotient = Float80(digits) / powersOfTen[scale]
      let rest = quotient.significandBitPattern & 0x7FF
      return rest < 0x3FE || rest > 0x402
    #else
      return false
    #endif
  }

  #if arch(x86_64) && !os(Windows)
    private static let powersOfTen: [Float80] = {
      var powers: [Float80] = [1]
      for _ in 0..<27 { powers.append(powers[powers.count - 1] * 10) }
      return powers
    }()
  #endif

  /// The number as its 53 bits times or divided by powers of two, all of which are exact.
  static func quotient(_ value: Double) -> String {
    let whole = Int64(value.significand * 0x1p52)
    let exponent = Int(value.exponent) - 52
    var text = (value.sign == .minus ? "(-" : "(") + "\(whole).0"
    var rest = Int(exponent.magnitude)
    while rest > 0 {
      let step = min(rest, 50)
      text += (exponent < 0 ? "/" : "*") + "\(Int64(1) << Int64(step)).0"
      rest -= step
    }
    return text + ")"
  }
}
