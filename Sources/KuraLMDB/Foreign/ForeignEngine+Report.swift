package import KuraCore

extension ForeignEngine {
  /// What the file is: pages, map, both meta pages, readers and databases.
  package func report() throws(StoreError) -> FileReport {
    try reading(.salvage) { snapshot throws(StoreError) in try self.report(snapshot) }
  }

  /// The same as far as it is known of a file whose newest state is not whole.
  package func reportOnDamaged() throws(StoreError) -> FileReport {
    try report(try PageSnapshot(try PageFile(path), handling: .salvage))
  }

  private func report(_ snapshot: PageSnapshot) throws(StoreError) -> FileReport {
    var report = FileReport()
    func add(_ key: String, _ label: String, _ value: FileReport.Value) {
      report.facts.append(.init(key, label, value))
    }
    let meta = snapshot.meta
    let pages = Int64(clamping: meta.lastPage) + 1
    let free = try snapshot.freePageCount()
    let databases = try snapshot.foreignDatabases()
    add("format", "format", .text(format.rawValue))
    add("fileSize", "file size", .byteCount(snapshot.fileSize))
    add("neededSize", "size needed", .byteCount(pages.multiplied(byPageSize: meta.pageSize)))
    add("wordSize", "made for", .text("64-bit, little-endian, data version 1"))
    add("pageSize", "page size", .byteCount(Int64(meta.pageSize)))
    add("pageCount", "pages", .integer(pages))
    add("usedPageCount", "used pages", .integer(max(0, pages - free)))
    add("freePageCount", "free pages", .integer(free))
    add("mapSize", "map size", .byteCount(Int64(clamping: meta.mapSize)))
    add("lastTransaction", "last transaction", .integer(Int64(clamping: meta.transaction)))
    add(
      "metaPages", "meta pages",
      .list([snapshot.metas.first, snapshot.metas.second].map { ForeignEngine.text($0, meta) }))
    addReaders(to: &report)
    if let program = KnownWriters.program(databases.map(\.name)) {
      add("madeBy", "made by", .text(program))
    }
    add("databaseCount", "databases", .integer(Int64(databases.count)))
    for database in databases {
      add(
        "database:" + database.name, "database " + database.name,
        .text(ForeignEngine.text(database)))
    }
    add("readMode", "read", .text("page by page, without LMDB's locks"))
    if let shortage = try snapshot.shortage() { report.warnings.append(shortage) }
    report.warnings += snapshot.metas.problems + snapshot.losses.messages
    return report
  }

  private func addReaders(to report: inout FileReport) {
    guard let lock = LockFile(of: path) else {
      report.facts.append(.init("lockFile", "lock file", .text("none")))
      return
    }
    report.facts.append(.init("lockFile", "lock file", .text(FileName.shown(lock.path))))
    if let holder = lock.holder {
      report.facts.append(.init("openBy", "open by", .text("pid \(holder)")))
    }
    guard let readers = lock.readers else {
      report.facts.append(.init("readers", "readers", .text("unknown")))
      return
    }
    report.facts.append(
      .init(
        "readers", "readers", readers.isEmpty ? .text("none") : .list(readers.map(\.text))))
  }

  private static func text(_ page: MetaPage?, _ current: MetaPage) -> String {
    guard let page else { return "damaged" }
    let number = "transaction \(page.transaction), pages up to \(page.lastPage)"
    return page == current ? number + " (current)" : number
  }

  private static func text(_ database: ForeignDatabase) -> String {
    if let problem = database.problem { return "damaged: \(problem)" }
    let entries = "\(database.entries) \(database.entries == 1 ? "entry" : "entries")"
    return ([entries] + database.flags.names).joined(separator: ", ")
  }
}

extension PageSnapshot {
  /// The number of pages on the free list, as its entries count them.
  func freePageCount() throws(StoreError) -> Int64 {
    // The page size and the flags of the environment share the record with the list.
    var record = meta.free
    record.padding = 0
    let cursor = cursor(PageTree(record, .free))
    var count: Int64 = 0
    var isThere = try cursor.first()
    while isThere {
      // A count, and as many page numbers (`mdb.c`, mdb_freelist_save).
      if unsafe cursor.value.count >= 8 {
        let pages = unsafe UInt64(littleEndian: cursor.value.loadUnaligned(as: UInt64.self))
        unsafe count &+= Int64(clamping: min(pages, UInt64(cursor.value.count / 8 - 1)))
      }
      isThere = try cursor.next()
    }
    return max(0, count)
  }
}

extension Int64 {
  fileprivate func multiplied(byPageSize size: Int) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: Int64(size))
    return overflow ? .max : product
  }
}
