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
        unlink(target + part)
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
    guard stat(source, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(
        .notAFile, "a file of the database is a device, pipe or folder", path: reportedPath,
        found: source, suggestion: "remove what is in its place")
    }
    let size = Int64(status.st_size)
    // Through the registry: closing a descriptor of a file that this process has open would drop
    // its locks.
    let result = OpenFileRegistry.shared.whileCopying(status) { copyBytes(source, target, size) }
    guard let result else {
      throw StoreError(
        .locked, "this process has the file open for writing", path: reportedPath,
        suggestion: "close that store first")
    }
    guard result == 0 else { throw FileErrors.error(result, reportedPath) }
  }

  /// Copies at most a number of bytes, and returns `errno` or 0.
  ///
  /// A file that grows meanwhile is copied again anyway.
  private static func copyBytes(_ source: String, _ target: String, _ size: Int64) -> Int32 {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { return errno }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { return errno }
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var rest = size
    while rest > 0 {
      let most = Int(min(rest, Int64(buffer.count)))
      let count = buffer.withUnsafeMutableBytes { read(input, $0.baseAddress, most) }
      if count == 0 { return 0 }
      guard count > 0 else { return errno }
      var written = 0
      while written < count {
        let part = buffer.withUnsafeBytes {
          write(output, $0.baseAddress.map { $0 + written }, count - written)
        }
        guard part > 0 else { return errno }
        written += part
      }
      rest -= Int64(count)
    }
    return 0
  }
}
