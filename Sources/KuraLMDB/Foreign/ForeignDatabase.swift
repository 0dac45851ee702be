package import KuraCore

/// A database in an LMDB file: a named one, or the main database's own values.
package struct ForeignDatabase: Sendable {
  /// The name as people write it; see ``DatabaseName``.
  package let name: String
  /// The name in the file; `nil` for the main database.
  package let rawName: [UInt8]?
  /// Where its entries are; `nil` when its record is damaged.
  package let tree: PageTree?
  /// The number of entries, each value of a key for itself.
  package let entries: Int64
  /// Why it cannot be read.
  package let problem: String?

  /// How keys and values are ordered and stored.
  package var flags: DatabaseFlags { tree?.record.flags ?? [] }

  init(_ tree: PageTree, entries: Int64) {
    name = DatabaseName.shown(tree.name)
    rawName = tree.name
    self.tree = tree
    self.entries = entries
    problem = nil
  }

  /// A database that was found by comparing states.
  package init(observed tree: PageTree) {
    self.init(tree, entries: Int64(clamping: tree.record.entries))
  }

  init(_ damaged: MainDatabase.Damaged) {
    name = DatabaseName.shown(damaged.name)
    rawName = damaged.name
    tree = nil
    entries = 0
    problem = damaged.error.message
  }
}

extension PageSnapshot {
  /// The main database, whether or not it has values of its own.
  package var mainDatabase: ForeignDatabase { ForeignDatabase(main, entries: 0) }

  /// All databases in the order of their names: the main one first when it has values of its own, or
  /// when there is nothing else.
  ///
  /// - Throws: ``StoreError/Code/damaged`` unless salvaging.
  package func foreignDatabases() throws(StoreError) -> [ForeignDatabase] {
    let found = try MainDatabase(self)
    var databases: [ForeignDatabase] = []
    if found.valueCount > 0 || found.databases.isEmpty && found.damaged.isEmpty {
      databases.append(ForeignDatabase(main, entries: found.valueCount))
    }
    for tree in found.databases {
      databases.append(ForeignDatabase(tree, entries: Int64(clamping: tree.record.entries)))
    }
    return databases + found.damaged.map(ForeignDatabase.init)
  }

  /// The number of bytes that the keys of an integer database have: 4 or 8.
  package func integerKeySize(_ tree: PageTree) throws(StoreError) -> Int {
    let walk = EntryWalk(self, tree)
    walk.readsLongValues = false
    return unsafe try walk.next() && walk.key.count == 4 ? 4 : 8
  }
}
