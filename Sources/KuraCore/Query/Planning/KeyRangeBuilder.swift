/// Turns what is known about the components of a key into the ranges of keys to walk.
struct KeyRangeBuilder {
  /// The most ranges that combinations of single values may make.
  static let maximumRangeCount = 10_000

  /// The ranges, ascending and apart from each other.
  private(set) var ranges: [KeyRange] = [.all]
  /// The number of leading components that bound the ranges.
  private(set) var componentCount = 0
  /// Whether a key is in the ranges exactly when its components are among the values; otherwise
  /// the ranges have more.
  private(set) var isExact = true

  /// Bounds keys by their leading components.
  ///
  /// - Parameter components: For each component the values it may have, or `nil` when nothing is
  ///   known, and its type's byte when the key has one.
  init(_ components: [(ranges: ValueRanges?, rank: UInt8?)]) {
    // Each prefix is the bytes of single values of all components so far.
    var prefixes: [[UInt8]] = [[]]
    for (values, rank) in components {
      guard let values else { break }
      let parts = KeyRangeBuilder.tagged(values, rank)
      let (count, isTooLarge) = prefixes.count.multipliedReportingOverflow(by: parts.count)
      guard componentCount == 0 || (!isTooLarge && count <= KeyRangeBuilder.maximumRangeCount)
      else { break }
      componentCount += 1
      ranges = prefixes.flatMap { prefix in
        parts.map { part in
          KeyRange(
            lower: prefix + part.lower,
            upper: part.upper.map { prefix + $0 } ?? KeyRangeBuilder.successor(of: prefix))
        }
      }
      guard parts.allSatisfy(\.isPoint) else { break }
      prefixes = prefixes.flatMap { prefix in parts.map { prefix + $0.lower } }
    }
    limitLength()
    join()
  }

  /// The values of one component as a key has them, behind the type's byte when it has one.
  private static func tagged(_ values: ValueRanges, _ rank: UInt8?) -> [ValueRanges.Interval] {
    guard let rank else { return values.intervals }
    var parts: [ValueRanges.Interval] = []
    if values.includesNull {
      parts.append(ValueRanges.Interval(lower: [0], upper: [1], isPoint: true))
    }
    for interval in values.intervals {
      parts.append(
        ValueRanges.Interval(
          lower: [rank] + interval.lower, upper: interval.upper.map { [rank] + $0 } ?? [rank + 1],
          isPoint: interval.isPoint))
    }
    return parts
  }

  /// Bounds are sought in databases whose long keys are cut.
  private mutating func limitLength() {
    for index in ranges.indices {
      if ranges[index].lower.count > OrderedKey.longestBound {
        ranges[index].lower = Array(ranges[index].lower.prefix(OrderedKey.longestBound))
        isExact = false
      }
      if let upper = ranges[index].upper, upper.count > OrderedKey.longestBound {
        ranges[index].upper = KeyRangeBuilder.successor(
          of: Array(upper.prefix(OrderedKey.longestBound)))
        isExact = false
      }
    }
  }

  /// Neighbours become one range: shortened ones may overlap, and each range costs a search.
  private mutating func join() {
    var joined: [KeyRange] = []
    joined.reserveCapacity(ranges.count)
    for range in ranges where !range.isEmpty {
      if let last = joined.last, let end = last.upper {
        guard !end.lexicographicallyPrecedes(range.lower) else {
          joined.append(range)
          continue
        }
        if let upper = range.upper {
          if end.lexicographicallyPrecedes(upper) { joined[joined.count - 1].upper = upper }
        } else {
          joined[joined.count - 1].upper = nil
        }
      } else if joined.isEmpty {
        joined.append(range)
      }
    }
    ranges = joined
  }

  /// The least bytes that are greater than all that begin with some; `nil` when there are none.
  private static func successor(of bytes: [UInt8]) -> [UInt8]? {
    var bytes = bytes
    while let last = bytes.popLast() {
      if last < 0xFF {
        bytes.append(last + 1)
        return bytes
      }
    }
    return nil
  }
}
