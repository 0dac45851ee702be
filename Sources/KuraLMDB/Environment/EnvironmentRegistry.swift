import KuraCore

/// The environments of this process, one for each file.
///
/// Opening a file twice in one process ruins the table of readers in its lock file: snapshots then
/// change under their readers (lmdb.h, "Caveats"). Files are told apart by device and inode, so that
/// links, renamed folders and other spellings of a path lead to the same environment.
final class EnvironmentRegistry: Sendable {
  /// The one registry of the process.
  static let shared = EnvironmentRegistry()

  private struct Entry {
    let environment: LMDBEnvironment
    let token: OpenFileRegistry.Token
    var leases = 0
  }

  private let entries = Monitor<[OpenFileRegistry.FileID: Entry]>([:])

  /// Opens a file, or shares the environment that has it open.
  ///
  /// - Parameter create: Whether a missing or empty file becomes a store without models.
  func open(_ path: String, create: Bool, _ settings: LMDBEnvironment.Settings)
    throws(StoreError) -> EnvironmentLease
  {
    try entries.withLock { entries throws(StoreError) -> EnvironmentLease in
      let status = try EnvironmentRegistry.status(path, create: create)
      var entry: Entry
      if let existing = entries[status.id] {
        entry = existing
        try entry.environment.process.check(path)
      } else {
        try EnvironmentHeader.check(path)
        let token = try OpenFileRegistry.shared.register(path, format: .lmdb, create: false)
        do throws(StoreError) {
          guard token.file == status.id else { throw EnvironmentRegistry.replaced(path) }
          // liblmdb finds the lock file by the name, which must be the same for everybody.
          guard let file = FileName.resolved(path) else {
            throw EnvironmentRegistry.replaced(path)
          }
          let lockFile = file + "-lock"
          let opening = try OpeningLock(file, lockFile: lockFile, for: path)
          // From here on nobody makes a lock file, so that what is seen of it stays true.
          try LockFileAgreement.check(file, lockFile: lockFile, for: path)
          let environment = try LMDBEnvironment(file, path: path, settings)
          _ = consume opening
          guard environment.file == status.id else {
            environment.close()
            throw EnvironmentRegistry.replaced(path)
          }
          entry = Entry(environment: environment, token: token)
        } catch {
          OpenFileRegistry.shared.release(token)
          throw error
        }
      }
      entry.leases += 1
      entries[status.id] = entry
      return EnvironmentLease(entry.environment)
    }
  }

  /// The environment that has a file open, if one has.
  func existing(_ path: String) throws(StoreError) -> EnvironmentLease? {
    try entries.withLock { entries throws(StoreError) -> EnvironmentLease? in
      guard let id = FileStatus.at(path)?.id, var entry = entries[id] else { return nil }
      try entry.environment.process.check(path)
      entry.leases += 1
      entries[id] = entry
      return EnvironmentLease(entry.environment)
    }
  }

  /// Gives a lease back; the last one closes the file, before anybody can open it again.
  fileprivate func release(_ environment: LMDBEnvironment) {
    guard let file = environment.file else { return environment.close() }
    entries.withLock { entries in
      guard var entry = entries[file], entry.environment === environment else { return }
      entry.leases -= 1
      entries[file] = entry.leases > 0 ? entry : nil
      guard entry.leases == 0 else { return }
      environment.close()
      OpenFileRegistry.shared.release(entry.token)
    }
  }

  /// What is at the path, after a missing or empty file was made a store.
  private static func status(_ path: String, create: Bool) throws(StoreError) -> FileStatus {
    while true {
      guard let status = FileStatus.at(path) else {
        guard create else {
          throw StoreError(
            .missing, "there is no such file", path: path, suggestion: "check the path")
        }
        try StoreCreation.create(path)
        continue
      }
      guard status.isRegularFile else {
        throw StoreError(
          .notAFile, "the path is no file", path: path, suggestion: "name a file")
      }
      guard status.size == 0 else { return status }
      guard create else {
        throw StoreError(
          .empty, "the file holds no store yet", path: path,
          suggestion: "check the path, or allow to make the store")
      }
      try StoreCreation.fill(path, status.id)
    }
  }

  private static func replaced(_ path: String) -> StoreError {
    StoreError(
      .replaced, "the file was replaced while it was opened", path: path,
      suggestion: "open it again")
  }
}

/// A promise that an environment stays open; engines and transactions hold one.
final class EnvironmentLease: Sendable {
  let environment: LMDBEnvironment

  /// Takes over a lease that was counted, or the only one of a store in memory.
  init(_ environment: LMDBEnvironment) { self.environment = environment }

  deinit { EnvironmentRegistry.shared.release(environment) }
}
