package import KuraCore

/// A walk over the entries of one database of a snapshot; the values of one key are entries of their
/// own, one after the other.
///
/// ``key`` and ``value`` are valid until the next call. In salvage, what cannot be read is left out.
@safe
package final class PageCursor {
  /// The database.
  package let tree: PageTree
  // Nothing that a walk calls comes back to the cursor, so the checks that accesses do not overlap
  // find nothing; they took two thirds of the time of a walk.
  @exclusivity(unchecked) private var walk: CursorWalk

  init(_ source: PageSource, _ tree: PageTree) {
    self.tree = tree
    unsafe walk = CursorWalk(source, tree)
  }

  /// The key of the current entry, valid until the next call.
  package var key: UnsafeRawBufferPointer { unsafe walk.key }
  /// The value of the current entry, valid until the next call.
  package var value: UnsafeRawBufferPointer { unsafe walk.value }
  /// Whether the current entry is the record of a named database.
  package var isDatabase: Bool { unsafe walk.isDatabase }

  /// Whether long values are read; without, ``value`` is empty for them.
  package var readsLongValues: Bool {
    get { unsafe walk.readsLongValues }
    set { unsafe walk.readsLongValues = newValue }
  }

  /// Goes to the first entry whose key is this one or greater, if there is one.
  package func seek(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
    unsafe try walk.seek(key)
  }

  /// Goes to the first entry, if there is one.
  package func first() throws(StoreError) -> Bool { unsafe try walk.first() }

  /// Goes to the last entry, if there is one.
  package func last() throws(StoreError) -> Bool { unsafe try walk.last() }

  /// Goes to the following entry, if there is one.
  package func next() throws(StoreError) -> Bool { unsafe try walk.next() }

  /// Goes to the preceding entry, if there is one.
  package func previous() throws(StoreError) -> Bool { unsafe try walk.previous() }

  /// Goes to the first entry of the following key, if there is one.
  package func nextKey() throws(StoreError) -> Bool { unsafe try walk.nextKey() }

  /// Ends the walk; buffers go with the cursor.
  package func close() {}
}
