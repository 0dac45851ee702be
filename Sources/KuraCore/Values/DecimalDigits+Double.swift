extension DecimalDigits {
  /// Writes a finite double in the shortest form that reads back as the same number; a whole number
  /// keeps its `.0`, and numbers that need an exponent are written like `1e+300`.
  ///
  /// - Parameter start: Where it goes, with room for ``mostBytes``.
  /// - Returns: The place after the last byte.
  package static func write(_ value: Double, to start: UnsafeMutablePointer<UInt8>)
    -> UnsafeMutablePointer<UInt8>
  {
    let magnitude = abs(value)
    // Outside of these bounds numbers have an exponent, or more digits than are counted here.
    guard magnitude < 1e15, magnitude >= 1e-4 || magnitude == 0 else {
      return writeDescription(value, to: start)
    }
    var place = start
    if value.sign == .minus {
      place[0] = UInt8(ascii: "-")
      place += 1
    }
    let whole = Int64(magnitude)
    if Double(whole) == magnitude {
      place = write(UInt64(truncatingIfNeeded: whole), to: place)
      place[0] = UInt8(ascii: ".")
      place[1] = UInt8(ascii: "0")
      return place + 2
    }
    if let end = writeShort(magnitude, to: place) { return end }
    // Below a power of two the doubles are closer than above it, which is not counted here.
    guard magnitude.significandBitPattern != 0 else { return writeDescription(value, to: start) }
    return writeShortest(magnitude, to: place)
  }

  /// Writes a number that has at most six decimals and fifteen digits; `nil` when it has more.
  ///
  /// Fifteen digits name one double each, so the digits found here are the shortest that do.
  @inline(__always)
  private static func writeShort(_ magnitude: Double, to start: UnsafeMutablePointer<UInt8>)
    -> UnsafeMutablePointer<UInt8>?
  {
    guard magnitude >= 0.001, magnitude < 1e8 else { return nil }
    let scaled = Int64(magnitude * 1e6 + 0.5)
    guard Double(scaled) / 1e6 == magnitude else { return nil }
    let number = UInt64(truncatingIfNeeded: scaled)
    var place = write(number / 1_000_000, to: start)
    // The seventh digit in front keeps the zeros after the point, and the point takes its place.
    let point = place
    place = write(number % 1_000_000 &+ 1_000_000, to: place)
    point[0] = UInt8(ascii: ".")
    while place[-1] == UInt8(ascii: "0") { place -= 1 }
    return place
  }

  /// Writes the shortest digits that lie nearer to the number than to any other double.
  ///
  /// This is the method of R. Giulietti, "The Schubfach way to render doubles" (2020), where it is
  /// simplest: the number is c·2^q with 2^52 < c < 2^53 and -66 ≤ q < 0, so that it times a power of
  /// ten is c·5^j·2^(q+j) with j ≤ 20. The power of five then fits into 64 bits and the product into
  /// 128, and nothing is rounded.
  private static func writeShortest(_ magnitude: Double, to start: UnsafeMutablePointer<UInt8>)
    -> UnsafeMutablePointer<UInt8>
  {
    let c = magnitude.significandBitPattern | 1 << 52
    let q = Int(truncatingIfNeeded: magnitude.exponentBitPattern) &- 1075
    // The ceilings of -q·log10(2) and, below, the floors of j·log2(10), exact for these q and j.
    let j = 0 &- (q &* 1_262_611) >> 22
    guard powersOfFive.indices.contains(j) else { return writeDescription(magnitude, to: start) }
    let power = powersOfFive[j]
    let shift = UInt64(truncatingIfNeeded: q &+ (j &* 1_741_647) >> 19 &+ 1)

    // Four times the number and the bounds of its neighbourhood, times 10^j; what is cut off stays
    // visible in the last bit.
    func scaled(_ fourfold: UInt64) -> UInt64 {
      let (high, low) = (fourfold &<< shift).multipliedFullWidth(by: power)
      return high | (low == 0 ? 0 : 1)
    }
    let odd = c & 1  // a bound itself reads as its even neighbour
    let lower = scaled(c &* 4 &- 2) &+ odd
    let middle = scaled(c &* 4)
    let upper = scaled(c &* 4 &+ 2) &- odd

    let floor = middle >> 2
    let tens = floor / 10
    var (digits, decimals) = (floor, j)
    let hasTensBelow = lower <= tens &* 40
    let hasTensAbove = tens &* 40 &+ 40 <= upper
    if hasTensBelow != hasTensAbove {
      digits = hasTensAbove ? tens &+ 1 : tens
      decimals = j &- 1
    } else {
      let isFloorInside = lower <= floor &* 4
      let isCeilingInside = floor &* 4 &+ 4 <= upper
      let half = floor &* 4 &+ 2
      let isNearerToCeiling = middle > half || (middle == half && floor & 1 == 1)
      if isFloorInside != isCeilingInside ? isCeilingInside : isNearerToCeiling { digits &+= 1 }
    }
    return write(digits, decimals: decimals, to: start)
  }

  /// Writes a number of digits with its point, without zeros at its end; there is a decimal that is
  /// not zero.
  @inline(__always)
  private static func write(
    _ digits: UInt64, decimals: Int, to start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    // One byte further, so that the digits before the point can move forward to make room for it.
    var place = write(digits, to: start + 1)
    let wholeCount = (place - start) &- 1 &- decimals
    if wholeCount > 0 {
      for index in 0..<wholeCount { start[index] = start[index &+ 1] }
      start[wholeCount] = UInt8(ascii: ".")
    } else {
      // At most three zeros after the point.
      start.update(repeating: UInt8(ascii: "0"), count: 2 &- wholeCount)
      start[1] = UInt8(ascii: ".")
      place = write(digits, to: start + (2 &- wholeCount))
    }
    while place[-1] == UInt8(ascii: "0") { place -= 1 }
    return place
  }

  /// 5^j with its highest bit moved to bit 63.
  private static let powersOfFive: [UInt64] = [
    0x8000_0000_0000_0000, 0xA000_0000_0000_0000, 0xC800_0000_0000_0000,
    0xFA00_0000_0000_0000, 0x9C40_0000_0000_0000, 0xC350_0000_0000_0000,
    0xF424_0000_0000_0000, 0x9896_8000_0000_0000, 0xBEBC_2000_0000_0000,
    0xEE6B_2800_0000_0000, 0x9502_F900_0000_0000, 0xBA43_B740_0000_0000,
    0xE8D4_A510_0000_0000, 0x9184_E72A_0000_0000, 0xB5E6_20F4_8000_0000,
    0xE35F_A931_A000_0000, 0x8E1B_C9BF_0400_0000, 0xB1A2_BC2E_C500_0000,
    0xDE0B_6B3A_7640_0000, 0x8AC7_2304_89E8_0000, 0xAD78_EBC5_AC62_0000,
  ]

  /// Writes what the standard library makes of a double.
  private static func writeDescription(
    _ value: Double, to start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var stream = ByteStream(place: start, end: start + mostBytes)
    value.write(to: &stream)
    return stream.place
  }

  /// Takes text at a place in memory, as far as there is room.
  private struct ByteStream: TextOutputStream {
    var place: UnsafeMutablePointer<UInt8>
    let end: UnsafeMutablePointer<UInt8>

    mutating func write(_ text: String) {
      for byte in text.utf8 where place < end {
        place[0] = byte
        place += 1
      }
    }
  }
}
