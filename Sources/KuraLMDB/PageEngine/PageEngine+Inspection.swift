import KuraCore

extension PageEngine {
  /// Looks for damage.
  func check(_ depth: CheckDepth, progress: ProgressHandler?) throws(StoreError) -> CheckReport {
    var attempts = 0
    while true {
      attempts += 1
      let transaction = try beginReading()
      defer { transaction.end() }
      do throws(StoreError) {
        return try StoreCheck.run(
          depth, file: transaction.snapshot.file, transaction.snapshot, transaction.catalogue,
          limits: options.limits, progress: progress)
      } catch {
        // Somebody began to write after the file was found to be at rest.
        guard error.code == .locked, attempts < 4 else { throw error }
      }
    }
  }

  /// What the file is: pages and databases.
  func report() throws(StoreError) -> FileReport {
    let transaction = try beginReading()
    defer { transaction.end() }
    let snapshot = transaction.snapshot
    var facts = StoreFacts()
    facts.add("fileSize", "file size", .byteCount(snapshot.fileSize))
    facts.add("pageSize", "page size", .byteCount(Int64(snapshot.meta.pageSize)))
    facts.add("pageCount", "pages", .integer(Int64(clamping: snapshot.meta.lastPage) + 1))
    facts.add("mapSize", "map size", .byteCount(Int64(clamping: snapshot.meta.mapSize)))
    facts.add(
      "lastTransaction", "last transaction",
      .integer(Int64(clamping: snapshot.meta.transaction)))
    facts.addCatalogue(transaction.catalogue)
    return facts.report
  }
}
