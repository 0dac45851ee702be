import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Decides when a file that is opened for reading only is read with liblmdb.
///
/// liblmdb takes part in the table of readers in the lock file, so that writers leave a snapshot
/// alone; but it makes and writes to that file. So it is used where others have made and use it
/// already: this process, or another one now.
enum SharedReading {
  /// The environment to read with; `nil` when the file is at rest, or none of Kura's.
  static func lease(_ path: String, _ settings: LMDBEnvironment.Settings) throws(StoreError)
    -> EnvironmentLease?
  {
    if let existing = try EnvironmentRegistry.shared.existing(path) { return existing }
    guard isInUse(path), try CatalogueReader(PageSnapshot(path)) != nil else { return nil }
    return try EnvironmentRegistry.shared.open(path, create: false, settings)
  }

  /// Whether another process has the file open with liblmdb, and this one may join it.
  private static func isInUse(_ path: String) -> Bool {
    guard let file = FileName.resolved(path) else { return false }
    let lockFile = file + "-lock"
    guard unsafe access(FileName.bytes(of: path), R_OK | W_OK) == 0,
      unsafe access(FileName.bytes(of: lockFile), R_OK | W_OK) == 0
    else { return false }
    // Each process keeps a lock on the lock file's first byte (`mdb_env_share_locks`).
    return FileLocks.on(lockFile).contains { $0.process != getpid() }
  }
}
