import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds the processes that hold SQLite's locks on a file, without opening it.
///
/// Linux lists all POSIX locks in `/proc/locks`. Elsewhere `fcntl(F_GETLK)` asks, through a
/// descriptor that is opened only when this process does not have the file open (closing it would
/// drop the process's own locks).
enum LockHolders {
  /// A process and what it does.
  struct Holder: Hashable {
    var process: Int32
    var isWriting: Bool
  }

  /// The other processes that read or write a database now.
  static func processes(of path: String) -> [Holder] {
    var found: [Int32: Bool] = [:]
    for (file, ranges) in [(path, SQLiteLocks.main), (path + "-shm", SQLiteLocks.shared)] {
      for lock in locks(on: file) where lock.process != getpid() {
        guard ranges.contains(where: { $0.overlaps(lock.range) }) else { continue }
        let isWriting = SQLiteLocks.writes(lock.range, isShared: file != path) && lock.isExclusive
        found[lock.process] = (found[lock.process] ?? false) || isWriting
      }
    }
    return found.map { Holder(process: $0.key, isWriting: $0.value) }
      .sorted { $0.process < $1.process }
  }

  /// `process 123 (sqlite3), which is writing`.
  static func describe(_ holders: [Holder]) -> String {
    let writers = holders.filter(\.isWriting)
    return (writers.isEmpty ? holders : writers).map { holder in
      let name = name(of: holder.process).map { " (\($0))" } ?? ""
      return "process \(holder.process)\(name)\(holder.isWriting ? ", which is writing" : "")"
    }.joined(separator: " and ")
  }

  private static func name(of process: Int32) -> String? {
    SystemFile.text("/proc/\(process)/comm").flatMap { text in
      text.isEmpty ? nil : text.split(separator: "\n").first.map(String.init)
    }
  }

  private static func locks(on path: String) -> [FileLocks.Lock] {
    #if os(Linux)
      return FileLocks.on(path)
    #else
      var status = stat()
      guard stat(FileName.bytes(of: path), &status) == 0 else { return [] }
      return OpenFileRegistry.shared.whileUnlocked(status) {
        probe(path, path.hasSuffix("-shm") ? SQLiteLocks.shared : SQLiteLocks.main)
      } ?? []
    #endif
  }

  /// Whether another process holds a lock on a database; opens and closes the files, so this process
  /// must not have them open.
  static func isLocked(_ path: String) -> Bool {
    !probe(path, SQLiteLocks.main).isEmpty || !probe(path + "-shm", SQLiteLocks.shared).isEmpty
  }

  private static func probe(_ path: String, _ ranges: [ClosedRange<Int64>]) -> [FileLocks.Lock] {
    let descriptor = unsafe open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var found: [FileLocks.Lock] = []
    for range in ranges {
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      lock.l_start = off_t(range.lowerBound)
      lock.l_len = off_t(range.count)
      guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else {
        continue
      }
      let first = Int64(lock.l_start)
      found.append(
        FileLocks.Lock(
          process: lock.l_pid, isExclusive: lock.l_type == Int16(F_WRLCK),
          range: first...(first + max(1, Int64(lock.l_len)) - 1)))
    }
    return found
  }
}

/// The bytes that SQLite locks: os_unix.c and the WAL-index of the file format document.
enum SQLiteLocks {
  /// Pending, reserved and shared bytes of the main file.
  static let main: [ClosedRange<Int64>] = [0x4000_0000...0x4000_0001, 0x4000_0002...0x4000_0201]
  /// The lock bytes 120 to 127 of a `-shm` file, and 128, which every user of it holds.
  static let shared: [ClosedRange<Int64>] = [120...127, 128...128]

  /// Whether an exclusive lock of a range belongs to a writer.
  static func writes(_ range: ClosedRange<Int64>, isShared: Bool) -> Bool {
    isShared
      ? range.contains(120)
      : range.overlaps(0x4000_0000...0x4000_0001)
        || range.overlaps(main[1])
  }
}
