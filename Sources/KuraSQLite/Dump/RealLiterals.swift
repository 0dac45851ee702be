import CSQLite
import KuraCore

/// Writes doubles so that SQLite's own parser reads back the same bits.
///
/// The shortest digits are enough for a correctly rounding parser. SQLite's is not one: libraries
/// before 3.43 work with 64 bits of precision and round twice, so that 19.290991, like one in some
/// thousand ordinary numbers, is read as its neighbour. Such numbers get more digits, or an exact
/// quotient.
final class RealLiterals {
  private let parser: SQLiteStatement
  private let printer: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(StoreError) {
    parser = try connection.prepare("SELECT CAST(?1 AS REAL)")
    printer = try connection.prepare("SELECT printf('%!.20g', ?1)")
  }

  /// Adds a number.
  func append(_ value: Double, to bytes: ByteWriter) throws(StoreError) {
    guard value.isFinite, value.magnitude >= 1e15 || value != value.rounded(.towardZero) else {
      return try SQLLiterals.append(ColumnSlot(.double, value.bitPattern), to: bytes)
    }
    var shortest = value.description
    if unsafe shortest.withUTF8(RealLiterals.isSafe) { return try bytes.append(shortest) }
    if try parses(shortest, as: value) { return try bytes.append(shortest) }
    let long = try print(value)
    try bytes.append(parses(long, as: value) ? long : RealLiterals.quotient(value))
  }

  /// All digits that SQLite prints.
  private func print(_ value: Double) throws(StoreError) -> String {
    try printer.bind(.double(value), at: 1)
    defer { printer.reset() }
    return try printer.step() ? printer.text(0) ?? "" : ""
  }

  private func parses(_ text: String, as value: Double) throws(StoreError) -> Bool {
    try parser.bind(.text(text), at: 1)
    defer { parser.reset() }
    guard try parser.step() else { return false }
    return unsafe sqlite3_column_double(parser.handle, 0).bitPattern == value.bitPattern
  }

  /// Whether any parser with at least 64 bits of precision reads the digits rightly.
  ///
  /// - Parameter text: The shortest digits of a number, at most 17 that count.
  static func isSafe(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var digits: UInt64 = 0
    var point = text.count
    for index in 0..<text.count {
      let byte = unsafe text[index]
      let digit = byte &- 0x30
      if digit < 10 {
        digits = digits &* 10 &+ UInt64(digit)
      } else if byte == UInt8(ascii: ".") {
        point = index
      } else if byte != UInt8(ascii: "-") {
        return false
      }
    }
    let scale = max(0, text.count - point - 1)
    #if arch(x86_64) && !os(Windows)
      // Digits and power of ten are exact with 64 bits. The quotient is off by half a unit at most,
      // which matters only when its last 11 bits are those of a tie.
      guard scale <= 27 else { return false }
      let quotient = Float80(digits) / powersOfTen[scale]
      let rest = quotient.significandBitPattern & 0x7FF
      return rest < 0x3FE || rest > 0x402
    #else
      // Both are exact doubles, and one division rounds once.
      return digits < 1_000_000_000_000_000 && scale <= 22
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
