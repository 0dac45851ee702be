/// The order of numbers of different types.
enum NumberOrder {
  /// Compares an integer with a double by number, without rounding either: -1 when the integer comes
  /// first, 0 when they are the same number, else 1; not-a-number is greatest.
  @inline(__always)
  static func compare(_ integer: Int64, _ double: Double) -> Int {
    if double.isNaN || double >= 0x1p63 { return -1 }
    if double < -0x1p63 { return 1 }
    let whole = double.rounded(.down)
    let truncated = Int64(whole)
    if integer != truncated { return integer < truncated ? -1 : 1 }
    return whole < double ? -1 : 0
  }
}
