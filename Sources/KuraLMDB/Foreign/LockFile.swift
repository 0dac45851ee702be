import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The table of readers in the lock file of an environment, read without taking or dropping a lock.
struct LockFile {
  /// One entry of the table.
  struct Reader {
    /// The process.
    let process: Int32
    /// The transaction that it reads; `nil` when it reads nothing now.
    let transaction: UInt64?
    /// Whether the process is there no more.
    let isGone: Bool

    /// The reader for people.
    var text: String {
      let state = transaction.map { "transaction \($0)" } ?? "idle"
      return "pid \(process) (\(isGone ? "gone, " : "")\(state))"
    }
  }

  /// The path.
  let path: String
  /// A process that has the environment open, if one has: liblmdb holds a lock on the first byte.
  let holder: Int32?
  /// The readers; `nil` when the table is of a form that is not known.
  let readers: [Reader]?

  /// The lock file of a data file, if there is one.
  init?(of dataFile: String) {
    let here = DataFile.lockFiles(of: dataFile).first { FileStatus.at($0)?.isRegularFile ?? false }
    guard let here else { return nil }
    path = here
    // Closing a descriptor of the lock file drops the locks that liblmdb holds in this process
    // (lmdb.h, "Caveats"), so it stays closed where liblmdb may be at work.
    guard let status = FileStatus.at(dataFile),
      !OpenFileRegistry.shared.holdsLocks(status.id)
    else {
      readers = nil
      holder = nil
      return
    }
    readers = LockFile.table(here)
    holder = LockFile.holder(here)
  }

  /// Asks who holds a lock on the first byte of a lock file, without taking one.
  private static func holder(_ path: String) -> Int32? {
    let descriptor = unsafe open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_len = 1
    guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else {
      return nil
    }
    return lock.l_pid
  }

  /// The table as liblmdb 0.9 lays it out on 64-bit Linux: two lines of 64 bytes with a magic number
  /// and mutexes, then a line for each reader with transaction, process and thread (`mdb.c`,
  /// MDB_reader).
  private static func table(_ path: String) -> [Reader]? {
    #if os(Linux) && (arch(x86_64) || arch(arm64))
      guard let bytes = read(path), bytes.count >= 192 else { return nil }
      func number<T: FixedWidthInteger>(_ offset: Int, _ type: T.Type) -> T {
        unsafe bytes.withUnsafeBytes {
          unsafe T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self))
        }
      }
      guard number(0, UInt32.self) == 0xBEEF_C0DE, number(4, UInt32.self) == 0x1_0001 else {
        return nil
      }
      var readers: [Reader] = []
      var offset = 128
      while offset + 64 <= bytes.count {
        let process = number(offset + 8, Int32.self)
        if process > 0 {
          let transaction = number(offset, UInt64.self)
          readers.append(
            Reader(
              process: process, transaction: transaction == .max ? nil : transaction,
              isGone: kill(process, 0) != 0 && errno == ESRCH))
        }
        offset += 64
      }
      return readers
    #else
      return nil
    #endif
  }

  private static func read(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // 126 readers are usual; a table of thousands is read as far as is sensible.
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
    }
    return count < 0 ? nil : Array(bytes.prefix(count))
  }
}
