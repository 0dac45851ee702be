/// Page numbers, a bit each, in pieces that are made when they are needed.
///
/// A damaged file may claim any number of pages; memory grows with those that are met.
struct PageSet {
  private static let pieceBits: UInt64 = 1 << 15
  private var pieces: [UInt64: [UInt64]] = [:]
  private(set) var count: UInt64 = 0

  /// The piece that was used last, kept out of the dictionary so that it is changed in place.
  private var currentNumber = UInt64.max
  private var current: [UInt64] = []

  /// Adds a number.
  ///
  /// - Returns: Whether it was not there yet.
  mutating func insert(_ number: UInt64) -> Bool {
    select(number / PageSet.pieceBits)
    let bit = Int(number % PageSet.pieceBits)
    let mask: UInt64 = 1 << UInt64(bit % 64)
    guard current[bit / 64] & mask == 0 else { return false }
    current[bit / 64] |= mask
    count += 1
    return true
  }

  /// Whether a number is there.
  mutating func contains(_ number: UInt64) -> Bool {
    select(number / PageSet.pieceBits)
    let bit = Int(number % PageSet.pieceBits)
    return current[bit / 64] & 1 << UInt64(bit % 64) != 0
  }

  private mutating func select(_ piece: UInt64) {
    guard piece != currentNumber else { return }
    if currentNumber != .max { pieces[currentNumber] = current }
    current = pieces.removeValue(forKey: piece) ?? [UInt64](repeating: 0, count: 512)
    currentNumber = piece
  }
}
