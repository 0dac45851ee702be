package import Kura

extension BackendDifferential {
  /// The sum of the absolute values of finite numbers.
  package static func magnitude(_ values: [StoredValue]) -> Double {
    values.reduce(0) { sum, value in
      switch value {
      case .integer(let value): sum + abs(Double(value))
      case .double(let value): sum + (value.isFinite ? abs(value) : 0)
      case .decimal(let value): sum + abs(Double("\(value)") ?? 0)
      default: sum
      }
    }
  }

  /// Whether two results of an aggregate are equal; sums of doubles and of long decimals may differ
  /// by rounding, because backends add in different orders.
  ///
  /// Of equal values of different form, such as both zeros, any may stand for all. Where parts of a sum
  /// may be beyond all numbers, the order of adding decides what becomes of it.
  package static func isClose(_ left: StoredValue, _ right: StoredValue, magnitude: Double) -> Bool
  {
    switch (left, right) {
    case (.double(let one), .double(let two)):
      return one == two || abs(one - two) <= 1e-12 * magnitude || !magnitude.isFinite
    case (.null, .double), (.double, .null): return !magnitude.isFinite
    case (.integer(let integer), .double(let double)),
      (.double(let double), .integer(let integer)):
      return Int64(exactly: double) == integer
    case (.decimal(let one), .decimal(let two)):
      let (a, b) = (Double("\(one)") ?? 0, Double("\(two)") ?? 0)
      return one == two || abs(a - b) <= 1e-12 * magnitude
    default: return left == right
    }
  }
}
