import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lets one process at a time open an environment with liblmdb.
///
/// The first opener locks the lock file for itself, sets the number of the last commit in it to 0,
/// makes its mutexes anew, and later sets the number again (`mdb.c`, mdb_env_setup_locks and
/// mdb_env_share_locks). Who comes meanwhile waits for a shared lock and takes the lock file as it
/// is then. When the first one is killed in between, that is a file without mutexes, or one that says
/// that nothing was ever committed: the next write would begin with the wrong meta page and undo
/// commits. So nobody comes meanwhile: openers wait for a lock on a byte of the data file, and for
/// the end of whoever has the lock file for itself.
struct OpeningLock: ~Copyable {
  private let descriptor: Int32
  /// The byte before those of ``LockFileAgreement``.
  private static let place: off_t = (1 << 62) - 1
  private static let longestWait: Duration = .seconds(30)

  /// Waits until nobody opens the file.
  ///
  /// The process must not have the environment open: closing a descriptor of the lock file would drop
  /// its locks.
  ///
  /// - Throws: ``StoreError/Code/locked`` after half a minute; what opening files throws.
  init(_ dataFile: String, lockFile: String, for path: String?) throws(StoreError) {
    descriptor = unsafe open(FileName.bytes(of: dataFile), O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileErrors.error(errno, path ?? dataFile) }
    let deadline = ContinuousClock.now + OpeningLock.longestWait
    var pause: UInt32 = 50
    while !isTaken() || OpeningLock.isHeldExclusively(lockFile) {
      guard ContinuousClock.now < deadline else {
        close(descriptor)
        throw StoreError(
          .locked, "another process has been opening the store for a long time", path: path,
          suggestion: "end that process, or wait for it")
      }
      usleep(pause)
      pause = min(pause * 2, 5_000)
    }
  }

  deinit { close(descriptor) }

  /// Whether this process has the lock now; also where a file system has no such locks.
  private func isTaken() -> Bool {
    var own = OpeningLock.lock(F_WRLCK, OpeningLock.place)
    return unsafe fcntl(descriptor, LockFileAgreement.setLock, &own) == 0
      || errno != EAGAIN && errno != EACCES && errno != EINTR
  }

  /// Whether somebody has locked the first byte of a lock file against everybody else.
  private static func isHeldExclusively(_ lockFile: String) -> Bool {
    let file = unsafe open(FileName.bytes(of: lockFile), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    // A shared lock is in the way of an exclusive one only.
    var other = lock(F_RDLCK, 0)
    return unsafe fcntl(file, F_GETLK, &other) == 0 && other.l_type != Int16(F_UNLCK)
  }

  private static func lock(_ type: Int32, _ start: off_t) -> flock {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = start
    lock.l_len = 1
    return lock
  }
}
