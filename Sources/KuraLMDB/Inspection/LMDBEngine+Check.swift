import CLMDB
import KuraCore

extension LMDBEngine {
  /// Looks for damage; nothing is written, whatever is found.
  func check(_ depth: CheckDepth, progress: ProgressHandler?) throws(StoreError) -> CheckReport {
    let deadline = ContinuousClock.now + options.busyTimeout
    while true {
      let transaction = try beginReading()
      defer { transaction.end() }
      do throws(StoreError) {
        return try StoreCheck.run(
          depth, file: try openFile(transaction.snapshot.environment), transaction.snapshot,
          transaction.catalogue, limits: options.limits, progress: progress)
      } catch {
        // The page reader is in no table of readers, so that writers may go over what it reads.
        guard error.code == .locked, ContinuousClock.now < deadline else { throw error }
      }
    }
  }

  /// The open file, by its name or, when it has none, by its descriptor.
  private func openFile(_ environment: LMDBEnvironment) throws(StoreError) -> PageFile {
    if let path = location.path { return try PageFile(path) }
    var descriptor: Int32 = -1
    let result = unsafe mdb_env_get_fd(environment.handle, &descriptor)
    guard result == MDB_SUCCESS else {
      throw LMDBErrors.error(result, doing: "check the file", nil)
    }
    return try PageFile("/dev/fd/\(descriptor)")
  }
}
