import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the bytes of a database and its side files say, read without SQLite and without a lock.
///
/// Source: sqlite.org/fileformat2.html, sections 1.3 (header), 3 (rollback journal), 4 (WAL).
package struct SQLiteFileFacts: Sendable {
  /// The path with all links followed: side files are beside that one.
  package let realPath: String
  /// The size of the file in bytes.
  package let fileSize: Int64
  /// The first 100 bytes, fewer when the file is shorter.
  package let header: [UInt8]
  /// The size of the `-wal` file; `nil` when there is none.
  package let logSize: Int64?
  /// The size of the `-journal` file; `nil` when there is none.
  package let journalSize: Int64?
  /// Whether the journal begins with its magic number: a zeroed one (PERSIST) is not hot.
  package let journalHasHeader: Bool
  /// The size of the `-shm` file; `nil` when there is none.
  package let sharedMemorySize: Int64?

  /// Whether somebody else holds SQLite's locks, also somebody whose process number is not visible,
  /// as one in another container; not known when this process holds locks itself.
  let isLocked: Bool

  /// Reads the facts; the header is empty when this process holds locks on the file.
  init(_ path: String) throws(StoreError) {
    guard let resolved = FileName.resolved(path) else { throw FileErrors.error(errno, path) }
    realPath = resolved
    var status = stat()
    guard unsafe stat(FileName.bytes(of: realPath), &status) == 0 else {
      throw FileErrors.error(errno, path)
    }
    fileSize = Int64(status.st_size)
    logSize = try SQLiteFileFacts.sideFileSize(realPath, "-wal", path)
    journalSize = try SQLiteFileFacts.sideFileSize(realPath, "-journal", path)
    sharedMemorySize = try SQLiteFileFacts.sideFileSize(realPath, "-shm", path)
    let file = realPath
    let seen = OpenFileRegistry.shared.whileUnlocked(status) {
      (SQLiteFileFacts.firstBytes(of: file, 100), LockHolders.isLocked(file))
    }
    header = seen?.0 ?? []
    isLocked = seen?.1 ?? false
    // Nobody locks journals, so opening and closing one drops nothing.
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    journalHasHeader =
      (journalSize ?? 0) >= 28 && SQLiteFileFacts.firstBytes(of: file + "-journal", 8) == magic
  }

  /// The size of a side file; `nil` when there is none.
  ///
  /// A pipe or device in its place could be read for ever, and SQLite opens whatever is there.
  private static func sideFileSize(_ file: String, _ suffix: String, _ path: String)
    throws(StoreError) -> Int64?
  {
    guard let status = FileStatus.at(file + suffix) else { return nil }
    guard status.isRegularFile else {
      throw StoreError(
        .notAFile, "the \(suffix) file beside the database is a folder, device, pipe or socket",
        path: path, suggestion: "copy the database without it to another folder")
    }
    return status.size
  }

  static func firstBytes(of path: String, _ count: Int) -> [UInt8] {
    let descriptor = unsafe open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
    }
    return Array(bytes.prefix(max(0, read)))
  }

  /// A big-endian number of the header; `nil` when the header is not known.
  package func number(_ offset: Int, _ count: Int) -> UInt32? {
    guard header.count >= offset + count else { return nil }
    return header[offset..<(offset + count)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The page size in bytes; `nil` when the header has none that is allowed.
  package var pageSize: Int64? {
    guard let stored = number(16, 2) else { return nil }
    let size = stored == 1 ? 65_536 : Int64(stored)
    return size >= 512 && size & (size - 1) == 0 ? size : nil
  }

  /// Whether the header says that the file is in WAL mode.
  package var isWALMode: Bool { number(18, 1) == 2 || number(19, 1) == 2 }

  /// The pages that the header counts; `nil` when SQLite itself would not believe the number.
  package var headerPageCount: Int64? {
    guard let count = number(28, 4), count > 0, number(24, 4) == number(92, 4) else { return nil }
    return Int64(count)
  }

  /// An error of SQLite with what the bytes say about its cause.
  func explained(_ error: StoreError) -> StoreError {
    guard error.code == .damaged || error.code == .unknownFormat, header.count == 100,
      header.starts(with: "SQLite format 3\0".utf8)
    else {
      return error
    }
    let path = error.path
    if let version = number(19, 1), version > 2 {
      return StoreError(
        .newerFormat, "the file needs a newer SQLite to be read", path: path,
        found: "read version \(version)", expected: "1 or 2", suggestion: "update SQLite",
        engineCode: error.engineCode)
    }
    guard pageSize != nil else {
      return StoreError(
        .damaged, "the header is damaged: its page size is not one that SQLite allows", path: path,
        found: "\(number(16, 2) ?? 0)", expected: "a power of two from 512 to 65536",
        suggestion: "restore a backup", engineCode: error.engineCode)
    }
    guard var truncation = truncation(path) else { return error }
    truncation.engineCode = error.engineCode
    return truncation
  }

  /// The error of a file that has less bytes than its header counts pages; `nil` when it has enough,
  /// and
  /// when a log or journal has the rest.
  func truncation(_ path: String?) -> StoreError? {
    guard !hasLog, !hasHotJournal, let size = pageSize, let pages = headerPageCount,
      pages * size > fileSize
    else { return nil }
    return StoreError(
      .truncated, "the file ends before its header says that it does", path: path,
      found: "\(fileSize) bytes", expected: "\(pages * size) bytes: \(pages) pages of \(size)",
      suggestion: "look for a backup or an intact copy")
  }

  /// Whether a rollback journal waits to be rolled back.
  package var hasHotJournal: Bool { journalHasHeader && fileSize > 0 }

  /// Whether a log has frames that may not be in the main file yet.
  package var hasLog: Bool { (logSize ?? 0) > 0 }
}
