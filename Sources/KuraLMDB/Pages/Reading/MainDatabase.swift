package import KuraCore

/// What the main database of a snapshot holds: named databases, and values beside them.
package struct MainDatabase: Sendable {
  /// A named database whose record cannot be used.
  package struct Damaged: Sendable, Hashable {
    /// Its name.
    package let name: [UInt8]
    /// Why.
    package let error: StoreError
  }

  /// The named databases in the order of their names' bytes.
  package private(set) var databases: [PageTree] = []
  /// Those whose record is damaged; without salvage the first one throws instead.
  package private(set) var damaged: [Damaged] = []
  /// Entries that are no databases.
  package private(set) var valueCount: Int64 = 0

  /// Reads the list.
  ///
  /// - Throws: ``StoreError/Code/damaged``, unless the snapshot is one in salvage.
  package init(_ snapshot: PageSnapshot) throws(StoreError) {
    let cursor = snapshot.cursor(snapshot.main)
    cursor.readsLongValues = false
    var isThere = try cursor.first()
    while isThere {
      if cursor.isDatabase {
        do throws(StoreError) {
          databases.append(try snapshot.named(cursor))
        } catch {
          try snapshot.source.lose(entry: error)
          damaged.append(Damaged(name: unsafe Array(cursor.key), error: error))
        }
      } else {
        valueCount += 1
      }
      isThere = try cursor.next()
    }
  }
}
