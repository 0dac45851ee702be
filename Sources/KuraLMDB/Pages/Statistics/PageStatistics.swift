package import KuraCore

/// How a snapshot uses its file, for each database.
package struct PageStatistics: Sendable {
  /// The numbers of one database.
  package struct Database: Sendable {
    /// The name; `nil` for the main database.
    package let name: [UInt8]?
    /// What the file says of it.
    package let record: DatabaseRecord
    /// What was counted.
    package let tally: TreeTally
  }

  /// The main database first, then the named ones in the order of their names.
  package private(set) var databases: [Database] = []
  /// The size of a page in bytes.
  package let pageSize: Int
  /// The pages up to the last one in use.
  package let pages: Int64
  /// Pages that the next writers may use.
  package private(set) var freePages: Int64 = 0
  /// Entries of the free list, one or more a transaction.
  package private(set) var freeRecords: Int64 = 0
  /// Pages of the free list's own tree.
  package private(set) var freeListPages: Int64 = 0
  /// Faults that were met; the numbers are too small then.
  package private(set) var faults: [String] = []

  /// Shared with the closures of a survey.
  private final class Found {
    var databases: [([UInt8], DatabaseRecord)] = []
    var free: FreeListSurvey
    var faults: [String] = []

    init(_ free: FreeListSurvey) { self.free = free }

    func add(_ error: StoreError) {
      if faults.count < SalvageLosses.maximumMessages { faults.append(error.message) }
    }
  }

  /// Reads all pages of a snapshot.
  ///
  /// - Throws: ``StoreError/Code/damaged`` unless the snapshot is one in salvage.
  package init(_ snapshot: PageSnapshot, progress: ProgressHandler? = nil) throws(StoreError) {
    pageSize = snapshot.meta.pageSize
    pages = Int64(clamping: snapshot.meta.lastPage) + 1
    let total = snapshot.source.pageLimit
    let found = Found(FreeListSurvey(snapshot.meta))
    let survey = TreeSurvey(
      snapshot.source, checksOrder: false, readsLongValues: false,
      sink: unsafe TreeSurvey.Sink(
        fault: { found.add($0) },
        database: { found.databases.append(($0, $1)) },
        freeEntry: { key, value, page in
          unsafe found.free.add(
            key, value, on: page, isUsed: { _ in false }, fault: { found.add($0) })
        },
        progress: { pages throws(StoreError) in try progress?(pages, total) }))
    databases.append(
      Database(
        name: nil, record: snapshot.main.record, tally: try survey.visit(snapshot.main)))
    for (name, record) in found.databases {
      let tree = PageTree(record, .named, name: name)
      databases.append(Database(name: name, record: record, tally: try survey.visit(tree)))
    }
    var record = snapshot.meta.free
    record.padding = 0
    let list = try survey.visit(PageTree(record, .free))
    freeListPages = list.branchPages + list.leafPages + list.overflowPages
    freePages = Int64(clamping: found.free.free.count)
    freeRecords = found.free.records
    faults = found.faults
    if let fault = faults.first, snapshot.source.handling == .refuse {
      throw StoreError(
        .damaged, fault, path: snapshot.file.path,
        suggestion: "restore a backup, or read what is left in salvage mode")
    }
  }
}
