package import KuraCore

/// What changed between two states, of one file or of two.
///
/// LMDB writes each changed page, and those above it, to a new place. In two states of one file, what
/// has the same page number is the same and is skipped: the work grows with the changes and not with
/// the file. States of two files are compared entry by entry.
package struct SnapshotDifference {
  /// One change; the bytes are valid during the call that gets it.
  @safe
  package struct Change {
    /// What happened to the entry.
    package enum Kind: String, Sendable, Hashable {
      /// It is new.
      case insert
      /// Its value is another.
      case update
      /// It is gone.
      case delete
    }

    /// What happened to the entry.
    package let kind: Kind
    /// The key.
    package let key: UnsafeRawBufferPointer
    /// The value before.
    package let old: UnsafeRawBufferPointer?
    /// The value now.
    package let new: UnsafeRawBufferPointer?
  }

  /// Gets changes in the order of keys; throws to stop.
  package typealias Body = (Change) throws(StoreError) -> Void

  let old: PageSnapshot
  let new: PageSnapshot
  /// Whether equal page numbers mean equal pages.
  let isOneFile: Bool

  /// Prepares a comparison.
  ///
  /// - Parameter sharesPages: Whether equal page numbers mean equal pages; `nil` when they do in one
  ///   file.
  package init(from old: PageSnapshot, to new: PageSnapshot, sharesPages: Bool? = nil) {
    self.old = old
    self.new = new
    isOneFile =
      sharesPages
      ?? (old.file.id == new.file.id && old.meta.pageSize == new.meta.pageSize)
  }

  /// A named database that may differ; `nil` in the state that lacks it.
  package struct DatabasePair {
    /// The name.
    package let name: [UInt8]
    /// The tree before.
    package fileprivate(set) var old: PageTree?
    /// The tree now.
    package fileprivate(set) var new: PageTree?
  }

  /// Gives the changes of the main database's own values, and finds the named databases that may
  /// differ, without a look at the records of others.
  ///
  /// - Throws: As ``changes(from:to:_:)``.
  package func changedDatabases(_ body: Body) throws(StoreError) -> [DatabasePair] {
    var walk = DifferenceWalk(self)
    try run(&walk, old.main, new.main, body)
    var pairs: [DatabasePair] = []
    var places: [[UInt8]: Int] = [:]
    for (name, before, after) in walk.databases {
      let place = places[name] ?? pairs.count
      if place == pairs.count { pairs.append(DatabasePair(name: name)) }
      places[name] = place
      if let before { pairs[place].old = before }
      if let after { pairs[place].new = after }
    }
    return pairs
  }

  /// The named databases that may differ, with their trees in both states; `nil` where one is
  /// missing.
  package func databases() throws(StoreError) -> [(old: PageTree?, new: PageTree?)] {
    let before = try MainDatabase(old).databases
    let after = try MainDatabase(new).databases
    var pairs: [(old: PageTree?, new: PageTree?)] = []
    var left = before[...]
    var right = after[...]
    while left.first != nil || right.first != nil {
      guard let first = left.first, let second = right.first else {
        if let first = left.popFirst() { pairs.append((first, nil)) }
        if let second = right.popFirst() { pairs.append((nil, second)) }
        continue
      }
      let order = compareNames(first, second)
      if order < 0 {
        pairs.append((left.popFirst(), nil))
      } else if order > 0 {
        pairs.append((nil, right.popFirst()))
      } else {
        left = left.dropFirst()
        right = right.dropFirst()
        if !(isOneFile && first.record == second.record) { pairs.append((first, second)) }
      }
    }
    return pairs
  }

  private func compareNames(_ left: PageTree, _ right: PageTree) -> Int {
    unsafe (left.name ?? []).withUnsafeBytes { left in
      unsafe (right.name ?? []).withUnsafeBytes { right in
        unsafe new.main.order.compare(left, right)
      }
    }
  }

  /// Gives the changes of one database; of the main database those of entries that are no databases.
  ///
  /// - Throws: ``StoreError/Code/damaged``, ``StoreError/Code/locked``, and what the body throws.
  package func changes(from before: PageTree?, to after: PageTree?, _ body: Body) throws(StoreError)
  {
    var walk = DifferenceWalk(self)
    try run(&walk, before, after, body)
  }

  private func run(
    _ walk: inout DifferenceWalk, _ before: PageTree?, _ after: PageTree?, _ body: Body
  ) throws(StoreError) {
    if let before, let after, before.record.flags == after.record.flags {
      var left = DifferenceSide(old.source, before)
      var right = DifferenceSide(new.source, after)
      try walk.compare(&left, &right, body)
      return
    }
    // A database that was made again in another order has nothing in common with the one before.
    if let before {
      var left = DifferenceSide(old.source, before)
      var right = DifferenceSide(new.source, PageTree(.empty, before.role))
      try walk.compare(&left, &right, body)
    }
    if let after {
      var left = DifferenceSide(old.source, PageTree(.empty, after.role))
      var right = DifferenceSide(new.source, after)
      try walk.compare(&left, &right, body)
    }
  }
}
