import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Copies a database with its side files so that all parts are of one moment.
enum ConsistentCopy {
  private static let parts = ["", "-wal", "-journal"]

  /// Copies until nothing changed meanwhile, at most five times.
  static func make(of source: String, to target: String, reportedPath: String) throws(StoreError) {
    for _ in 0..<5 {
      let before = parts.map { FileStatus.at(source + $0) }
      for (part, status) in zip(parts, before) {
        unsafe unlink(FileName.bytes(of: target + part))
        if status != nil { try copy(source + part, to: target + part, reportedPath) }
      }
      if parts.map({ FileStatus.at(source + $0) }) == before { return }
    }
    throw StoreError(
      .locked, "the file changes faster than it can be copied", path: reportedPath,
      suggestion: "try again when its writer is idle")
  }

  private static func copy(_ source: String, to target: String, _ reportedPath: String)
    throws(StoreError)
  {
    var status = stat()
    guard unsafe stat(FileName.bytes(of: source), &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(
        .notAFile, "a file of the database is a device, pipe or folder", path: reportedPath,
        found: source, suggestion: "remove what is in its place")
    }
    // Through the registry: closing a descriptor of a file that this process has open would drop
    // its locks.
    let result = OpenFileRegistry.shared.whileUnlocked(status) { copyBytes(source, target) }
    guard let result else {
      throw StoreError(
        .locked, "this process has the file open for writing", path: reportedPath,
        suggestion: "close that store first")
    }
    guard result == 0 else { throw FileErrors.error(result, reportedPath) }
  }

  /// Copies bytes, leaving the holes of a sparse file; returns `errno` or 0.
  ///
  /// A damaged or hostile file may be sparse and claim far more bytes than the disk has.
  private static func copyBytes(_ source: String, _ target: String) -> Int32 {
    let input = unsafe open(FileName.bytes(of: source), O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { return errno }
    defer { close(input) }
    let output = unsafe open(
      FileName.bytes(of: target), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { return errno }
    defer { close(output) }
    var status = stat()
    var space = statvfs()
    guard unsafe fstat(input, &status) == 0, unsafe fstatvfs(output, &space) == 0 else {
      return errno
    }
    let (needed, overflow) = Int64(status.st_blocks).multipliedReportingOverflow(by: 512)
    let free = Double(space.f_bavail) * Double(space.f_frsize)
    guard !overflow, Double(needed) < free else { return ENOSPC }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var start: off_t = 0
    while start < status.st_size {
      var end = off_t(status.st_size)
      #if os(Linux)
        // The numbers of SEEK_DATA and SEEK_HOLE. A file system without them reports no holes.
        let data = lseek(input, start, 3)
        if data < 0, errno == ENXIO { break }
        if data >= 0 {
          start = data
          let hole = lseek(input, data, 4)
          if hole > data { end = hole }
        }
      #endif
      let result = copyPart(input, output, from: start, to: end, &buffer)
      guard result == 0 else { return result }
      start = end
    }
    return ftruncate(output, off_t(status.st_size)) == 0 ? 0 : errno
  }

  private static func copyPart(
    _ input: Int32, _ output: Int32, from first: off_t, to end: off_t, _ buffer: inout [UInt8]
  ) -> Int32 {
    var start = first
    while start < end {
      let wanted = min(buffer.count, Int(end - start))
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe pread(input, $0.baseAddress, wanted, start)
      }
      if count == 0 { return 0 }
      guard count > 0 else { return errno }
      var written = 0
      while written < count {
        let part = unsafe buffer.withUnsafeBytes {
          unsafe pwrite(
            output, $0.baseAddress.map { unsafe $0 + written }, count - written,
            start + off_t(written))
        }
        guard part > 0 else { return errno }
        written += part
      }
      start += off_t(count)
    }
    return 0
  }
}
