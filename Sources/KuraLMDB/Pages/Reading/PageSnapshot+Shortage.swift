package import KuraCore

extension PageSnapshot {
  /// Why the file is too short for its newest state; `nil` when nothing of it can be missing.
  ///
  /// liblmdb does not write pages that a transaction took and gave up again before its commit. They
  /// are on the free list, and when they are the last ones the file ends before them.
  ///
  /// - Throws: ``StoreError/Code/locked`` when a writer may have written over the free list.
  package func shortage() throws(StoreError) -> String? {
    let pages = meta.lastPage + 1
    let (needed, overflow) = pages.multipliedReportingOverflow(by: UInt64(meta.pageSize))
    guard overflow || needed > UInt64(clamping: fileSize), try !lacksOnlyFreePages() else {
      return nil
    }
    return
      "file ends at page \(fileSize / Int64(meta.pageSize)), newest meta needs \(pages) pages "
      + "(\(needed) bytes, have \(fileSize))"
  }

  /// Whether all pages beyond the file's end are on the free list.
  private func lacksOnlyFreePages() throws(StoreError) -> Bool {
    // Below 2^63 and at least 256: no conversion fails.
    let first = UInt64(clamping: fileSize) / UInt64(meta.pageSize)
    guard first <= meta.lastPage else { return true }
    var record = meta.free
    // The page size of the environment shares the record with the list.
    record.padding = 0
    var found: Set<UInt64> = []
    do {
      let cursor = cursor(PageTree(record, .free))
      var isThere = try cursor.first()
      while isThere {
        unsafe PageSnapshot.addFreePages(cursor.value, from: first, to: meta.lastPage, &found)
        isThere = try cursor.next()
      }
    } catch {
      guard error.code != .locked else { throw error }
      return false
    }
    return UInt64(found.count) == meta.lastPage - first + 1
  }

  /// Adds the pages of one entry of the free list that are in a range: a count, then as many numbers.
  private static func addFreePages(
    _ value: UnsafeRawBufferPointer, from first: UInt64, to last: UInt64,
    _ found: inout Set<UInt64>
  ) {
    guard value.count >= 8 else { return }
    let count = unsafe UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
    var offset = 8
    while offset <= value.count - 8, UInt64(offset / 8) <= count {
      let page = unsafe UInt64(
        littleEndian: value.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      if page >= first, page <= last { found.insert(page) }
      offset += 8
    }
  }
}
