import KuraCore

extension PageEngine {
  /// Copies the last commit page by page, or entry by entry when compacting.
  func copy(to target: StoreLocation, compacting: Bool, progress: ProgressHandler?)
    throws(StoreError)
  {
    let transaction = try beginReading()
    defer { transaction.end() }
    let snapshot = transaction.snapshot
    let watch = CopyWatch(limits: options.limits, progress: progress)
    try StoreCopy.make(at: target) { temporary throws(StoreError) in
      if compacting {
        try CompactCopy(
          snapshot, transaction.catalogue, sourceSize: Int(clamping: snapshot.fileSize), watch
        ).write(to: temporary)
      } else {
        let file = snapshot.file
        let pages = unsafe PageCopy(pageSize: snapshot.meta.pageSize, watch) {
          buffer, offset throws(StoreError) in unsafe try file.read(into: buffer, at: offset)
        }
        try pages.write(snapshot.meta.transaction, to: temporary)
        // Nobody keeps writers from using the pages again: only afterwards is it known that none did.
        try snapshot.checkIsWhole()
      }
    }
  }
}
