package import KuraCore

/// A walk over the entries of a part of one database.
///
/// ``key`` and ``value`` are valid until the next call. Databases in the main one are left out.
@safe
package final class EntryWalk {
  private let cursor: PageCursor
  private let range: EntryRange
  private let order: KeyOrder
  private var isBegun = false
  private var isAtEnd = false
  /// The greatest key, excluded, where a reversed walk begins.
  private let top: [UInt8]?
  /// Where a forward walk begins.
  private let bottom: [UInt8]?

  /// Prepares a walk.
  package init(_ snapshot: PageSnapshot, _ tree: PageTree, _ range: EntryRange = EntryRange()) {
    cursor = snapshot.cursor(tree)
    self.range = range
    let order = tree.order
    self.order = order
    // Only in the order of bytes do keys with one prefix stand together.
    let prefix = order == .bytes ? range.prefix : nil
    if range.isReversed {
      bottom = nil
      top = [range.to, range.after, prefix.flatMap(EntryRange.end)].compactMap { $0 }
        .min { order.compare($0, $1) < 0 }
    } else {
      top = nil
      bottom = [range.from, range.after, prefix].compactMap { $0 }
        .max { order.compare($0, $1) < 0 }
    }
  }

  /// Whether long values are read; without, ``value`` is empty for them.
  package var readsLongValues: Bool {
    get { cursor.readsLongValues }
    set { cursor.readsLongValues = newValue }
  }

  /// The key of the current entry.
  package var key: UnsafeRawBufferPointer { unsafe cursor.key }
  /// The value of the current entry.
  package var value: UnsafeRawBufferPointer { unsafe cursor.value }

  /// Moves to the next entry, if there is one.
  package func next() throws(StoreError) -> Bool {
    guard !isAtEnd else { return false }
    while try move() {
      guard !isBeyond() else { break }
      if !cursor.isDatabase, isWanted() { return true }
    }
    isAtEnd = true
    return false
  }

  private func move() throws(StoreError) -> Bool {
    if isBegun { return try range.isReversed ? cursor.previous() : cursor.next() }
    isBegun = true
    if range.isReversed {
      guard let top, try seek(top) else { return try cursor.last() }
      return try cursor.previous()
    }
    guard let bottom else { return try cursor.first() }
    return try seek(bottom)
  }

  private func seek(_ key: [UInt8]) throws(StoreError) -> Bool {
    var failure: StoreError?
    let isFound = unsafe key.withUnsafeBytes { bytes in
      do throws(StoreError) {
        return unsafe try cursor.seek(bytes)
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    return isFound
  }

  /// Whether no later entry can be in the range.
  private func isBeyond() -> Bool {
    if range.isReversed {
      if let from = range.from, unsafe order.compare(cursor.key, from) < 0 { return true }
      guard order == .bytes, let prefix = range.prefix else { return false }
      return unsafe order.compare(cursor.key, prefix) < 0
    }
    if let to = range.to, unsafe order.compare(cursor.key, to) >= 0 { return true }
    return order == .bytes && !hasPrefix()
  }

  private func isWanted() -> Bool {
    if !range.isReversed, let after = range.after, unsafe order.compare(cursor.key, after) == 0 {
      return false
    }
    return hasPrefix()
  }

  private func hasPrefix() -> Bool {
    guard let prefix = range.prefix else { return true }
    return unsafe cursor.key.starts(with: prefix)
  }
}

extension KeyOrder {
  fileprivate func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    unsafe left.withUnsafeBytes { unsafe compare($0, right) }
  }

  fileprivate func compare(_ left: UnsafeRawBufferPointer, _ right: [UInt8]) -> Int {
    unsafe right.withUnsafeBytes { unsafe compare(left, $0) }
  }
}
