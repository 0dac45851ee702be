/// Values of one column, as ranges of the bytes that ``OrderedKey/append(_:)`` makes of them.
///
/// This is how the planner thinks about conditions on a column: AND is an intersection, OR a union
/// and NOT a complement, with null as a value of its own, because conditions have two truth values.
struct ValueRanges: Sendable, Hashable {
  /// The bytes from a lower bound up to, and without, an upper one.
  struct Interval: Sendable, Hashable {
    var lower: [UInt8]
    /// `nil` when there is no upper bound.
    var upper: [UInt8]?
    /// Whether exactly one value is in it, so that a composite key's next component can be bounded.
    var isPoint = false
  }

  /// Whether null is among the values.
  var includesNull: Bool
  /// Ascending and without overlap.
  var intervals: [Interval]

  static let all = ValueRanges(includesNull: true, intervals: [Interval(lower: [])])
  static let none = ValueRanges(includesNull: false, intervals: [])
  static let null = ValueRanges(includesNull: true, intervals: [])

  /// Whether there are no values.
  var isEmpty: Bool { !includesNull && intervals.isEmpty }

  /// Whether the values are single ones.
  var hasPointsOnly: Bool { intervals.allSatisfy(\.isPoint) }

  /// The number of single values and ranges.
  var count: Int { intervals.count + (includesNull ? 1 : 0) }

  /// All other values.
  var complement: ValueRanges {
    var gaps: [Interval] = []
    var start: [UInt8] = []
    for interval in intervals {
      if start.lexicographicallyPrecedes(interval.lower) {
        gaps.append(Interval(lower: start, upper: interval.lower))
      }
      guard let upper = interval.upper else {
        return ValueRanges(includesNull: !includesNull, intervals: gaps)
      }
      start = upper
    }
    gaps.append(Interval(lower: start))
    return ValueRanges(includesNull: !includesNull, intervals: gaps)
  }

  /// The values that are in any of several sets.
  ///
  /// Single values that are neighbours stay apart.
  static func union(_ sets: [ValueRanges]) -> ValueRanges {
    guard sets.count != 1 else { return sets[0] }
    let sorted = sets.flatMap(\.intervals).sorted { left, right in
      left.lower.lexicographicallyPrecedes(right.lower)
    }
    var joined: [Interval] = []
    for interval in sorted {
      guard var last = joined.popLast() else {
        joined.append(interval)
        continue
      }
      guard let upper = last.upper, !interval.lower.lexicographicallyPrecedes(upper) else {
        if last != interval {
          last.upper = greater(last.upper, interval.upper)
          last.isPoint = false
        }
        joined.append(last)
        continue
      }
      joined += [last, interval]
    }
    return ValueRanges(includesNull: sets.contains(where: \.includesNull), intervals: joined)
  }

  /// The values that are in all of several sets.
  static func intersection(_ sets: ArraySlice<ValueRanges>) -> ValueRanges {
    guard let first = sets.first else { return .all }
    guard sets.count > 1 else { return first }
    // By halves, so that thousands of sets of few ranges take no quadratic time.
    let middle = sets.startIndex + sets.count / 2
    return intersection(sets[..<middle]).intersection(intersection(sets[middle...]))
  }

  /// The values that are in both.
  func intersection(_ other: ValueRanges) -> ValueRanges {
    var common: [Interval] = []
    var (left, right) = (0, 0)
    while left < intervals.count, right < other.intervals.count {
      let (one, two) = (intervals[left], other.intervals[right])
      let lower = one.lower.lexicographicallyPrecedes(two.lower) ? two.lower : one.lower
      let upper = ValueRanges.lesser(one.upper, two.upper)
      if upper.map({ lower.lexicographicallyPrecedes($0) }) ?? true {
        // No bound lies inside a single value's bytes.
        common.append(Interval(lower: lower, upper: upper, isPoint: one.isPoint || two.isPoint))
      }
      if one.upper == upper { left += 1 }
      if two.upper == upper { right += 1 }
    }
    return ValueRanges(
      includesNull: includesNull && other.includesNull, intervals: common)
  }

  private static func lesser(_ left: [UInt8]?, _ right: [UInt8]?) -> [UInt8]? {
    guard let left else { return right }
    guard let right else { return left }
    return right.lexicographicallyPrecedes(left) ? right : left
  }

  private static func greater(_ left: [UInt8]?, _ right: [UInt8]?) -> [UInt8]? {
    guard let left, let right else { return nil }
    return left.lexicographicallyPrecedes(right) ? right : left
  }
}
