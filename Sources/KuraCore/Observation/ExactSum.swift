/// A sum of doubles without any rounding, from which what was added can be taken again.
///
/// The sum is kept as numbers that do not overlap, least first (J. R. Shewchuk, "Adaptive Precision
/// Floating-Point Arithmetic", 1997); there are never more than about forty.
struct ExactSum: Sendable, Equatable {
  private var parts: [Double] = []
  /// How often each infinity was added: they are beyond all sums, and come back when they go.
  private var (positive, negative) = (0, 0)

  /// Adds a number.
  mutating func add(_ value: Double) {
    guard value.isFinite else {
      if value > 0 { positive += 1 } else if value < 0 { negative += 1 }
      return
    }
    addFinite(value)
  }

  /// Takes a number again that was added.
  mutating func subtract(_ value: Double) {
    guard value.isFinite else {
      if value > 0 { positive -= 1 } else if value < 0 { negative -= 1 }
      return
    }
    addFinite(-value)
  }

  private mutating func addFinite(_ value: Double) {
    var carry = value
    var kept = 0
    for part in parts {
      let (large, small) = abs(carry) >= abs(part) ? (carry, part) : (part, carry)
      let sum = large + small
      let rest = small - (sum - large)
      if rest != 0 {
        parts[kept] = rest
        kept += 1
      }
      carry = sum
    }
    parts.removeSubrange(kept...)
    if carry != 0 || parts.isEmpty { parts.append(carry) }
  }

  /// The double nearest to the sum together with an integer; not-a-number for infinities of both signs.
  func total(adding integer: Int128 = 0) -> Double {
    guard positive == 0, negative == 0 else {
      return positive > 0 ? (negative > 0 ? .nan : .infinity) : -.infinity
    }
    var sum = self
    // Pieces of 32 bits are doubles exactly.
    var (rest, scale) = (integer.magnitude, integer < 0 ? -1.0 : 1.0)
    while rest > 0 {
      sum.addFinite(Double(rest & 0xFFFF_FFFF) * scale)
      rest >>= 32
      scale *= 4_294_967_296
    }
    return sum.rounded
  }

  /// The nearest double; of two that are equally near the even one.
  private var rounded: Double {
    var parts = parts
    guard var high = parts.popLast() else { return 0 }
    var low = 0.0
    while let part = parts.popLast() {
      let sum = high + part
      low = part - (sum - high)
      high = sum
      if low != 0 { break }
    }
    // Halfway between two doubles, what is left decides.
    if let next = parts.last, low != 0, (low < 0) == (next < 0) {
      let doubled = low * 2
      let sum = high + doubled
      if doubled == sum - high { high = sum }
    }
    return high
  }
}
