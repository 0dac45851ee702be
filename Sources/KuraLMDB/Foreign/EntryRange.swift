/// A part of a database by its keys, in the order that the database has.
package struct EntryRange: Sendable, Hashable {
  /// The least key.
  package var from: [UInt8]?
  /// The first key that is too great.
  package var to: [UInt8]?
  /// What keys begin with.
  package var prefix: [UInt8]?
  /// The key after which the walk begins, in its direction.
  package var after: [UInt8]?
  /// Whether the walk goes from the greatest key to the least.
  package var isReversed = false

  /// All entries, forwards.
  package init() {}

  /// One key with all its values.
  package static func key(_ key: [UInt8]) -> EntryRange {
    var range = EntryRange()
    range.from = key
    return range
  }

  /// The least bytes that are greater than all that begin with a prefix; `nil` when there are none.
  static func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
    var bytes = prefix
    while let last = bytes.popLast() {
      if last < 0xFF { return bytes + [last + 1] }
    }
    return nil
  }
}
