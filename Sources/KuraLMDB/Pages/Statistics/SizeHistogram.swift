/// How many keys or values have which size, by powers of two.
package struct SizeHistogram: Sendable, Hashable {
  /// The number of sizes in each class: 0, 1, 2 to 3, 4 to 7 and so on.
  package private(set) var counts = [Int64](repeating: 0, count: 34)
  /// The smallest size.
  package private(set) var smallest: Int?
  /// The greatest size.
  package private(set) var greatest: Int?
  /// All sizes together.
  package private(set) var sum: Int64 = 0

  /// The sizes of a class, such as 4...7.
  package static func sizes(ofClass number: Int) -> ClosedRange<Int> {
    guard number > 0 else { return 0...0 }
    let lower = 1 << min(number - 1, Int.bitWidth - 3)
    return lower...(lower * 2 - 1)
  }

  /// The number of sizes.
  package var count: Int64 { counts.reduce(0, &+) }

  mutating func add(_ size: Int) {
    let number = Int.bitWidth - max(0, size).leadingZeroBitCount
    counts[min(number, counts.count - 1)] += 1
    sum &+= Int64(size)
    if size < smallest ?? .max { smallest = size }
    if size > greatest ?? -1 { greatest = size }
  }
}
