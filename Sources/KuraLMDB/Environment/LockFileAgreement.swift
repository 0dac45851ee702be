import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Makes sure that all processes that use a data file use the same lock file.
///
/// liblmdb finds the lock file by the data file's name. Processes that know a file by different hard
/// links, or of which one came after the lock file was removed, would have a table of readers and a
/// number of the last commit each, and write over what the others read. So everybody keeps a shared
/// lock on one byte of the data file, far behind its end, whose place stands for the lock file; a
/// lock on another place is that of somebody with another lock file.
///
/// The locks belong to the open file, not to the process (`F_OFD_SETLK`): whoever reads the data file
/// besides, and closes it, drops none of them.
enum LockFileAgreement {
  /// Where the places begin.
  private static let base: Int64 = 1 << 62
  private static let longestWait: Duration = .seconds(1)

  /// Looks before liblmdb opens a file, and would make a second lock file.
  ///
  /// - Throws: ``StoreError/Code/locked`` when another process uses another lock file.
  static func check(_ dataFile: String, lockFile: String, for path: String?) throws(StoreError) {
    let descriptor = unsafe open(
      FileName.bytes(of: dataFile), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    try refuseOthers(descriptor, except: FileStatus.at(lockFile).map { place(of: $0.id) }, path)
  }

  /// Joins those who use a data file, with the descriptor by which liblmdb has it open.
  ///
  /// - Throws: ``StoreError/Code/locked`` when another process uses another lock file.
  static func join(_ descriptor: Int32, lockFile: String, for path: String?) throws(StoreError) {
    guard let status = FileStatus.at(lockFile) else { return }
    let place = place(of: status.id)
    // First the own lock, so that of two who come at once at least one sees the other.
    var own = lock(F_RDLCK, from: place, count: 1)
    // A file system without such locks: nothing to agree with.
    guard unsafe fcntl(descriptor, setLock, &own) == 0 else { return }
    try refuseOthers(descriptor, except: place, path)
  }

  private static func refuseOthers(_ descriptor: Int32, except place: Int64?, _ path: String?)
    throws(StoreError)
  {
    // A lock of no length reaches to the end of what can be numbered.
    var others = [lock(F_WRLCK, from: base, count: 0)]
    if let place {
      others = [lock(F_WRLCK, from: place + 1, count: 0)]
      if place > base { others.append(lock(F_WRLCK, from: base, count: place - base)) }
    }
    // A child that this process starts has its locks until it executes another program.
    let deadline = ContinuousClock.now + longestWait
    while hasOther(descriptor, others) {
      guard ContinuousClock.now < deadline else {
        throw StoreError(
          .locked, "another process has the store open with another lock file", path: path,
          found: "another name of the file, or a lock file that was removed meanwhile",
          suggestion: "use one name for the file, and close it in the other process")
      }
      usleep(1_000)
    }
  }

  private static func hasOther(_ descriptor: Int32, _ places: [flock]) -> Bool {
    places.contains { place in
      var other = place
      return unsafe fcntl(descriptor, getLock, &other) == 0 && other.l_type != Int16(F_UNLCK)
    }
  }

  /// The place of a lock file.
  private static func place(of file: OpenFileRegistry.FileID) -> Int64 {
    // An odd factor spreads inodes of several devices over all places (Knuth, 6.4).
    base | Int64((file.inode &* 0x9E37_79B9_7F4A_7C15 ^ file.device &* 0xC2B2_AE3D_27D4_EB4F) >> 4)
  }

  private static func lock(_ type: Int32, from start: Int64, count: Int64) -> flock {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(start)
    lock.l_len = off_t(count)
    return lock
  }

  #if canImport(Darwin)
    // sys/fcntl.h, whose names Swift does not import.
    static let setLock: Int32 = 90
    static let getLock: Int32 = 92
  #else
    static let setLock: Int32 = 37
    static let getLock: Int32 = 36
  #endif
}
