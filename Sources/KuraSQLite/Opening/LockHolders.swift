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

  private struct Lock {
    var process: Int32
    var isExclusive: Bool
    var range: ClosedRange<Int64>
  }

  private static func name(of process: Int32) -> String? {
    read("/proc/\(process)/comm").flatMap { text in
      text.isEmpty ? nil : text.split(separator: "\n").first.map(String.init)
    }
  }

  private static func locks(on path: String) -> [Lock] {
    #if os(Linux)
      guard let status = FileStatus.at(path), let text = read("/proc/locks") else { return [] }
      let minor = (status.id.device & 0xFF) | (status.id.device >> 12 & 0xFFFFFF00)
      let major = status.id.device >> 8 & 0xFFF
      func matches(_ place: Substring) -> Bool {
        let parts = place.split(separator: ":")
        guard parts.count == 3, UInt64(parts[2]) == status.id.inode else { return false }
        return UInt64(parts[0], radix: 16) == major && UInt64(parts[1], radix: 16) == minor
      }
      return text.split(separator: "\n").compactMap { line in
        // "12: POSIX  ADVISORY  WRITE 4711 08:01:131 1073741824 1073742335"
        let words = line.split(separator: " ").filter { $0 != "->" }
        guard words.count >= 8, words[1] == "POSIX", let process = Int32(words[4]),
          matches(words[5]), let first = Int64(words[6])
        else { return nil }
        let last = words[7] == "EOF" ? Int64.max : Int64(words[7]) ?? first
        guard first <= last else { return nil }
        return Lock(process: process, isExclusive: words[3] == "WRITE", range: first...last)
      }
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

  private static func probe(_ path: String, _ ranges: [ClosedRange<Int64>]) -> [Lock] {
    let descriptor = unsafe open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var found: [Lock] = []
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
        Lock(
          process: lock.l_pid, isExclusive: lock.l_type == Int16(F_WRLCK),
          range: first...(first + max(1, Int64(lock.l_len)) - 1)))
    }
    return found
  }

  private static func read(_ path: String) -> String? {
    let descriptor = unsafe open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < 16 << 20 {
      let count = unsafe chunk.withUnsafeMutableBytes { buffer in
        #if canImport(Glibc)
          unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
          unsafe Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #else
          unsafe Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
      }
      guard count > 0 else { break }
      bytes += chunk.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
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
