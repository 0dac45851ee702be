import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Page size and page count of a database, as its header has them.
struct DatabaseShape: Equatable {
  let pageSize: Int
  /// The pages that the header counts, else those that the file has.
  let pageCount: UInt32
  let isWALMode: Bool

  /// Reads the header.
  ///
  /// - Throws: ``StoreError/Code/damaged`` when it is none.
  init(_ file: FileDescriptor, _ path: String) throws(StoreError) {
    let header = try file.bytes(at: 0, count: 100)
    let stored = header.bigEndian16(16)
    let size = stored == 1 ? 65_536 : stored
    guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8), size >= 512,
      size & (size - 1) == 0
    else {
      throw StoreError(
        .damaged, "the file does not begin as a database does", path: path,
        suggestion: "restore a backup")
    }
    pageSize = size
    isWALMode = header[18] == 2
    let counted = header.bigEndian32(28)
    let isCurrent = header.bigEndian32(24) == header.bigEndian32(92)
    pageCount =
      counted > 0 && isCurrent
      ? counted : UInt32(clamping: try file.status().size / Int64(size))
  }
}

extension FollowedFile {
  /// What a scan makes.
  enum ScanTarget {
    /// A new private copy.
    case whole
    /// The pages that differ from the private copy.
    case changes
  }

  /// A scan that succeeded.
  struct Scan {
    /// The state that was read; `nil` when it is that of the copy.
    var state: NextState?
    var marks: Marks
    var position: LiveLog.Position?
  }

  private static let pendingByte: Int64 = 0x4000_0000

  /// Whether a journal waits to be rolled back, or belongs to a writer at work.
  var isHot: Bool {
    SQLiteFileFacts.firstBytes(of: realPath + "-journal", 8)
      == [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  }

  /// Whether somebody is in a write transaction: with its lock, a journal is not yet to be rolled back.
  var isReserved: Bool {
    let reserved = FollowedFile.pendingByte + 1
    return file.isWriteLocked(reserved...reserved)
  }

  /// Whether the file itself is being written, or was left unfinished.
  private var isUnsettled: Bool {
    let pending = FollowedFile.pendingByte
    return file.isWriteLocked(pending...pending)
      || file.isWriteLocked((pending + 2)...(pending + 511)) || isHot && !isReserved
  }

  /// Reads the file's newest state.
  ///
  /// - Returns: `nil` when a writer was at work; then it is tried again with the next look.
  func scan(into target: ScanTarget) throws(StoreError) -> Scan? {
    for _ in 0..<3 {
      if let found = try scanOnce(target) {
        failedScans = 0
        return found
      }
      if isUnsettled { break }
    }
    failedScans += 1
    // A writer that commits faster than the file can be read is kept out for that time, as by any
    // other reader.
    guard failedScans > 20, let shape = try? DatabaseShape(file, path), !shape.isWALMode else {
      return nil
    }
    let reader = try? SQLiteConnection(realPath, .readOnly, reportedPath: path)
    reader?.closing = file.closing
    reader?.setBusyTimeout(.seconds(1))
    defer { reader?.close() }
    guard (try? reader?.execute("BEGIN")) != nil,
      (try? reader?.integer("SELECT count(*) FROM sqlite_schema")) != nil
    else { return nil }
    let found = try scanOnce(target)
    if found != nil { failedScans = 0 }
    return found
  }

  private func scanOnce(_ target: ScanTarget) throws(StoreError) -> Scan? {
    let log = LiveLog(realPath + "-wal")
    let start = try log?.start()
    guard start != nil || !isUnsettled else { return nil }
    guard var status = FileStatus.at(realPath), status.size > 0 || start != nil else {
      return try emptyScan()
    }
    let isWALMode = try file.bytes(at: 18, count: 1) == [2]
    if start == nil, isWALMode {
      // Without a log, and in WAL mode without a counter that each commit changes, nothing but the
      // time tells that somebody wrote meanwhile.
      var waited = 0
      while FollowedFile.isRecent(status), waited < 8 {
        usleep(3000)
        waited += 1
        guard let again = FileStatus.at(realPath) else { return nil }
        status = again
      }
    }
    let before = try currentMarks()
    guard start == nil || before.logHeader == start?.header else { return nil }
    let shape: DatabaseShape
    if status.size >= 100 {
      shape = try DatabaseShape(file, path)
      guard start == nil || start?.pageSize == shape.pageSize else { return nil }
    } else {
      return nil
    }
    // SQLite takes a log beside an empty file for a remnant.
    let isWhole = target == .whole || shape.pageSize != copy.pageSize || copy.pageCount == 0
    let sink = try isWhole ? ScanSink(newCopy(shape.pageSize), nil) : ScanSink(copy, newLog())
    // The file first and the log afterwards: what a checkpoint may have written over meanwhile is in
    // the log's frames, which replace it.
    try sink.scan(file, pages: UInt32(clamping: status.size / Int64(shape.pageSize)), limits)
    var pageCount = shape.pageCount
    var position = start
    if let log, let start {
      let frames = try log.frames(from: start)
      for (number, offset) in frames.pages.sorted(by: { $0.key < $1.key }) {
        try sink.take(number, try log.file.bytes(at: offset, count: shape.pageSize))
      }
      guard try log.isSame(start) else { return nil }
      if frames.pageCount > 0 { pageCount = frames.pageCount }
      position = frames.end
    }
    let after = try currentMarks()
    guard after.logHeader == before.logHeader else { return nil }
    if start == nil {
      guard after == before, !isUnsettled else { return nil }
    }
    if start == nil, Int64(pageCount) * Int64(shape.pageSize) > status.size {
      throw StoreError(
        .truncated, "the file ends before its header says that it does", path: path,
        found: "\(status.size) bytes", expected: "\(pageCount) pages of \(shape.pageSize)",
        suggestion: "look for a backup or an intact copy")
    }
    return Scan(state: try sink.finish(pageCount), marks: after, position: position)
  }

  /// An empty file, which SQLite takes for a database without tables.
  private func emptyScan() throws(StoreError) -> Scan? {
    guard copy.pageCount == 0 else { return nil }
    return Scan(state: nil, marks: try currentMarks(), position: nil)
  }
}

/// Where a scan puts pages: into a new copy, or those that differ from the copy into a log.
final class ScanSink {
  private let copy: CopiedPages
  private let log: PageLog?
  private static let chunk = 1 << 20

  init(_ copy: CopiedPages, _ log: PageLog?) {
    self.copy = copy
    self.log = log
  }

  /// Goes through a file.
  func scan(_ file: FileDescriptor, pages: UInt32, _ limits: ExecutionLimits?) throws(StoreError) {
    let size = copy.pageSize
    let perChunk = max(1, ScanSink.chunk / size)
    var buffer = [UInt8](repeating: 0, count: perChunk * size)
    var mine = buffer
    var number: UInt32 = 1
    while number <= pages {
      try limits?.check()
      let count = min(perChunk, Int(pages - number) + 1)
      let found =
        try file.read(
          into: &buffer, count: count * size, at: Int64(number - 1) * Int64(size)) / size
      guard found > 0 else { return }
      if number == 1 { CopiedPages.normalise(&buffer) }
      if let log {
        let known = try copy.read(into: &mine, from: number, count: found) / size
        for index in ScanSink.differences(buffer, mine, size, found, known: known) {
          try log.add(
            number + UInt32(index), Array(buffer[(index * size)..<((index + 1) * size)]))
        }
      } else {
        try copy.write(buffer[..<(found * size)], from: number)
      }
      number += UInt32(found)
    }
  }

  /// The pages of two blocks that are not the same.
  private static func differences(
    _ theirs: [UInt8], _ mine: [UInt8], _ size: Int, _ count: Int, known: Int
  ) -> [Int] {
    unsafe theirs.withUnsafeBytes { theirs in
      unsafe mine.withUnsafeBytes { mine in
        guard let left = theirs.baseAddress, let right = mine.baseAddress else { return [] }
        return (0..<count).filter { index in
          guard index < known else { return true }
          return unsafe memcmp(left + index * size, right + index * size, size) != 0
        }
      }
    }
  }

  /// Takes a page that a log has.
  func take(_ number: UInt32, _ bytes: [UInt8]) throws(StoreError) {
    guard bytes.count == copy.pageSize, number >= 1 else { return }
    var bytes = bytes
    if number == 1 { CopiedPages.normalise(&bytes) }
    guard let log else { return try copy.write(bytes[...], from: number) }
    // What the file has may differ although the log's page, which counts, does not.
    let isKnown = log.has(number)
    if !isKnown, number <= copy.pageCount, try copy.page(number) == bytes { return }
    try log.add(number, bytes)
  }

  /// The state that was read; `nil` when it is that of the copy.
  func finish(_ pageCount: UInt32) throws(StoreError) -> FollowedFile.NextState? {
    guard let log else {
      try copy.resize(to: pageCount)
      return .replacement(copy)
    }
    if log.isEmpty {
      guard pageCount != copy.pageCount else { return nil }
      try log.add(1, copy.page(1))
    }
    try log.commit(pageCount: pageCount)
    return .log(log, pageCount: pageCount)
  }
}
