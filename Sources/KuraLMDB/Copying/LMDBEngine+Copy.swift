import CLMDB
import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension LMDBEngine {
  /// Copies the last commit page by page, or entry by entry when compacting.
  func copy(to target: StoreLocation, compacting: Bool, progress: ProgressHandler?)
    throws(StoreError)
  {
    let transaction = try beginReading()
    defer { transaction.end() }
    let watch = CopyWatch(limits: options.limits, progress: progress)
    try StoreCopy.make(at: target) { file throws(StoreError) in
      if compacting {
        try CompactCopy(
          transaction.snapshot, transaction.catalogue,
          sourceSize: transaction.snapshot.environment.mapFacts.used, watch
        ).write(to: file)
      } else {
        try copyPages(of: transaction.snapshot, to: file, watch)
      }
    }
  }

  /// Copies the pages of a snapshot.
  ///
  /// While the snapshot's reader slot is held no writer uses one of its pages again. The pages that
  /// it does not use may be written to meanwhile, and nobody reads them.
  private func copyPages(
    of snapshot: EnvironmentSnapshot, to file: String, _ watch: CopyWatch
  ) throws(StoreError) {
    let environment = snapshot.environment
    let transaction = unsafe UInt64(mdb_txn_id(try snapshot.open()))
    var descriptor: Int32 = -1
    var facts = MDB_stat()
    var result = unsafe mdb_env_get_fd(environment.handle, &descriptor)
    if result == MDB_SUCCESS { result = unsafe mdb_env_stat(environment.handle, &facts) }
    guard result == MDB_SUCCESS else {
      throw LMDBErrors.error(result, doing: "copy the file", environment.path)
    }
    let source = descriptor
    let pages = unsafe PageCopy(pageSize: Int(facts.ms_psize), watch) {
      buffer, offset throws(StoreError) in
      while true {
        let count = unsafe pread(source, buffer.baseAddress, buffer.count, off_t(offset))
        if count >= 0 { return count }
        guard errno == EINTR else { throw FileErrors.error(errno, environment.path ?? file) }
      }
    }
    try pages.write(transaction, to: file)
  }
}
