/// Numbers as decimal digits, written straight to the place where they go.
package enum DecimalDigits {
  /// The most bytes that one number takes, with room to spare.
  package static let mostBytes = 32

  /// The digits of 00 to 99, two bytes each.
  @inline(__always)
  private static var pairs: UnsafePointer<UInt8> {
    let digits: StaticString = """
      00010203040506070809101112131415161718192021222324252627282930313233343536373839\
      40414243444546474849505152535455565758596061626364656667686970717273747576777879\
      8081828384858687888990919293949596979899
      """
    return digits.utf8Start
  }

  /// Writes an integer.
  ///
  /// - Parameter start: Where it goes, with room for ``mostBytes``.
  /// - Returns: The place after the last digit.
  package static func write(_ value: Int64, to start: UnsafeMutablePointer<UInt8>)
    -> UnsafeMutablePointer<UInt8>
  {
    guard value < 0 else { return write(value.magnitude, to: start) }
    start[0] = UInt8(ascii: "-")
    return write(value.magnitude, to: start + 1)
  }

  /// Writes a number without a sign, as ``write(_:to:)-(Int64,_)``.
  @inline(__always)
  static func write(_ value: UInt64, to start: UnsafeMutablePointer<UInt8>)
    -> UnsafeMutablePointer<UInt8>
  {
    guard value >= 100_000_000 else {
      return writeFront(UInt32(truncatingIfNeeded: value), to: start)
    }
    return writeLong(value, to: start)
  }

  /// Writes a number of more than eight digits, eight at a time: divisions that do not wait for each
  /// other take half the time.
  static func writeLong(_ value: UInt64, to start: UnsafeMutablePointer<UInt8>)
    -> UnsafeMutablePointer<UInt8>
  {
    let upper = value / 100_000_000
    let lower = UInt32(truncatingIfNeeded: value &- upper &* 100_000_000)
    let front = upper / 100_000_000
    let place: UnsafeMutablePointer<UInt8>
    if front == 0 {
      place = writeFront(UInt32(truncatingIfNeeded: upper), to: start)
    } else {
      place = writeFront(UInt32(truncatingIfNeeded: front), to: start) + 8
      writeEight(UInt32(truncatingIfNeeded: upper &- front &* 100_000_000), to: place - 8)
    }
    writeEight(lower, to: place)
    return place + 8
  }

  /// Writes eight digits, zeros in front included.
  @inline(__always)
  private static func writeEight(_ value: UInt32, to place: UnsafeMutablePointer<UInt8>) {
    let (upper, lower) = (value / 10_000, value % 10_000)
    writePair(upper / 100, to: place)
    writePair(upper % 100, to: place + 2)
    writePair(lower / 100, to: place + 4)
    writePair(lower % 100, to: place + 6)
  }

  /// Writes the one to eight digits with which a number begins.
  @inline(__always)
  private static func writeFront(_ value: UInt32, to start: UnsafeMutablePointer<UInt8>)
    -> UnsafeMutablePointer<UInt8>
  {
    let end = start + count(value)
    var (place, rest) = (end, value)
    while rest >= 100 {
      place -= 2
      writePair(rest % 100, to: place)
      rest /= 100
    }
    if rest >= 10 {
      writePair(rest, to: place - 2)
    } else {
      place[-1] = UInt8(truncatingIfNeeded: 48 &+ rest)
    }
    return end
  }

  /// Writes two digits of a number below 100.
  @inline(__always)
  private static func writePair(_ value: UInt32, to place: UnsafeMutablePointer<UInt8>) {
    let pair = UnsafeRawPointer(pairs + Int(truncatingIfNeeded: value &* 2))
    UnsafeMutableRawPointer(place).storeBytes(
      of: pair.loadUnaligned(as: UInt16.self), as: UInt16.self)
  }

  /// How many digits a number of at most eight has.
  @inline(__always)
  private static func count(_ value: UInt32) -> Int {
    if value < 10_000 {
      return value < 100 ? (value < 10 ? 1 : 2) : (value < 1_000 ? 3 : 4)
    }
    return value < 1_000_000 ? (value < 100_000 ? 5 : 6) : (value < 10_000_000 ? 7 : 8)
  }
}
