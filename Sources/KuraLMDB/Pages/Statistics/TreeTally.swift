/// What was counted in the tree of one database.
package struct TreeTally: Sendable, Hashable {
  /// Pages that point at other pages.
  package internal(set) var branchPages: Int64 = 0
  /// Pages that hold entries.
  package internal(set) var leafPages: Int64 = 0
  /// Pages that hold long values.
  package internal(set) var overflowPages: Int64 = 0
  /// Pages of the trees that hold the values of single keys.
  package internal(set) var duplicatePages: Int64 = 0
  /// Entries; each value of a key counts.
  package internal(set) var entries: Int64 = 0
  /// Keys.
  package internal(set) var keys: Int64 = 0
  /// The bytes of branches and leaves that are in use, headers among them.
  package internal(set) var usedBytes: Int64 = 0
  /// The bytes of branches and leaves.
  package internal(set) var pageBytes: Int64 = 0
  /// The sizes of keys.
  package internal(set) var keySizes = SizeHistogram()
  /// The sizes of values.
  package internal(set) var valueSizes = SizeHistogram()

  /// Whether all of the tree was read.
  var isWhole = true
  /// Neighbouring keys that were compared, and those in the wrong order.
  var pairs: Int64 = 0
  var disorder: Int64 = 0
  /// The first page with keys in the wrong order.
  var disorderedPage: UInt64?
  /// The size that all integer keys must have.
  var integerSize: Int?

  /// How full branches and leaves are, from 0 to 1; `nil` without pages.
  package var fill: Double? {
    pageBytes > 0 ? Double(usedBytes) / Double(pageBytes) : nil
  }

  /// Counts the tree of a key's values as part of its database.
  mutating func add(duplicates other: TreeTally) {
    duplicatePages += other.branchPages + other.leafPages
    entries += other.entries
    usedBytes += other.usedBytes
    pageBytes += other.pageBytes
    pairs += other.pairs
    disorder += other.disorder
    disorderedPage = disorderedPage ?? other.disorderedPage
    isWhole = isWhole && other.isWhole
  }
}
