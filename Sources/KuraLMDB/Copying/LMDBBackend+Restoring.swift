public import KuraCore

extension LMDBBackend {
  /// Puts a checked copy in the place of a store that nobody has open, while nobody can open it.
  public func restore(_ path: String, from backup: String, timeout: Duration) throws(StoreError) {
    let lockFile = path + "-lock"
    guard let status = FileStatus.at(path) else {
      return try FileReplacement.replace(path, by: backup, sidecars: ["-lock"])
    }
    guard !OpenFileRegistry.shared.holdsLocks(status.id) else {
      throw StoreError(
        .locked, "this process has the store open", path: path, suggestion: "close it first")
    }
    let lock = try OpeningLock(path, lockFile: lockFile, for: path)
    if let file = LockFile(of: path) {
      let reader = file.readers?.first { !$0.isGone }
      guard file.holder == nil, reader == nil else {
        throw StoreError(
          .locked, "another process has the store open", path: path,
          found: file.holder.map { "process \($0)" } ?? reader?.text,
          suggestion: "close it there first")
      }
    }
    // Without the lock file, which tells of commits that are no more; the next one makes another.
    try FileReplacement.replace(path, by: backup, sidecars: ["-lock"])
    _ = consume lock
  }
}
