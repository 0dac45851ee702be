package import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A database that other processes write, followed from state to state.
///
/// The file is only read: without SQLite, without a lock, and nothing in its folder changes. A private
/// copy has the last state; the pages that a commit changed go into a log beside the copy, so that
/// both states can be read by SQLite, as slowly as the caller likes, while no writer waits.
///
/// In WAL mode the pages are those of the frames behind the last one that was seen. In rollback mode,
/// and when a log was begun anew or removed, the file is compared with the copy page by page.
package final class FollowedFile {
  /// What was at the last look, so that nothing is read when nobody wrote.
  struct Marks: Equatable {
    var size: Int64
    var modified: Int64
    var nanoseconds: Int64
    /// Page count, change counter and schema cookie, among others.
    var header: [UInt8]
    var logHeader: [UInt8]
  }

  package let path: String
  let realPath: String
  let file: FileDescriptor
  let identity: OpenFileRegistry.FileID
  let limits: ExecutionLimits?
  private let folder: String
  private let token: OpenFileRegistry.Token
  private(set) var copy: CopiedPages
  /// The state that follows the copy's.
  private(set) var next: NextState?
  var marks: Marks?
  var position: LiveLog.Position?
  /// The log's size and time when it had nothing new, and whether more may have come in that moment.
  var idleLog: (status: FileStatus, isRecent: Bool)?
  var failedScans = 0

  /// The state that follows the copy's: changed pages, or a whole copy of another page size.
  enum NextState {
    case log(PageLog, pageCount: UInt32)
    case replacement(CopiedPages)
  }

  /// Copies the file's present state.
  ///
  /// - Throws: What opening files throws; ``StoreError/Code/locked`` when a writer does not let go of
  ///   the file for the time given.
  package init(_ path: String, timeout: Duration, limits: ExecutionLimits?) throws(StoreError) {
    self.path = path
    self.limits = limits
    let facts = try SQLiteFileFacts(path)
    realPath = facts.realPath
    guard let file = FileDescriptor(reading: facts.realPath) else {
      throw FileErrors.error(errno, path)
    }
    self.file = file
    identity = try file.status().id
    let token = try OpenFileRegistry.shared.register(
      path, format: .sqlite, create: false, holdsLocks: false)
    self.token = token
    file.closing = { OpenFileRegistry.shared.whenUnlocked(token, close: $0) }
    let folder = try PrivateFolder.make(inMemory: false)
    self.folder = folder
    do {
      copy = try CopiedPages(folder + "/0.sqlite", pageSize: 512)
      try begin(facts, until: ContinuousClock.now + max(timeout, .seconds(5)))
    } catch {
      PrivateFolder.remove(folder)
      throw error.at(path)
    }
  }

  deinit {
    PrivateFolder.remove(folder)
    OpenFileRegistry.shared.release(token)
  }

  private func begin(_ facts: SQLiteFileFacts, until deadline: ContinuousClock.Instant)
    throws(StoreError)
  {
    while true {
      if let scan = try scan(into: .whole) {
        marks = scan.marks
        position = scan.position
        if case .replacement(let pages)? = scan.state { copy = pages }
        return
      }
      if isHot, !isReserved { return try beginWithRollback() }
      try limits?.check()
      guard ContinuousClock.now < deadline else {
        throw StoreError(
          .locked, "somebody keeps writing to the file", path: path,
          suggestion: "wait longer with --wait, or try again")
      }
      usleep(5000)
    }
  }

  /// The state of a file whose writer was killed: what its next user will make of it.
  private func beginWithRollback() throws(StoreError) {
    let raw = folder + "/hot.sqlite"
    marks = try currentMarks()
    try ConsistentCopy.make(of: realPath, to: raw, reportedPath: path)
    let connection = try SQLiteConnection(raw, .readWrite, reportedPath: path)
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    connection.close()
    guard let source = FileDescriptor(reading: raw) else { throw FileErrors.error(errno, path) }
    defer {
      for part in ["", "-wal", "-journal", "-shm"] { unsafe unlink(FileName.bytes(of: raw + part)) }
    }
    let shape = try DatabaseShape(source, path)
    let pages = try newCopy(shape.pageSize)
    for number in 1...max(1, shape.pageCount) {
      var bytes = try source.bytes(
        at: Int64(number - 1) * Int64(shape.pageSize), count: shape.pageSize)
      if number == 1 { CopiedPages.normalise(&bytes) }
      try pages.write(bytes[...], from: number)
    }
    try pages.resize(to: shape.pageCount)
    copy = pages
  }

  private var copyNumber = 0

  /// An empty private copy.
  func newCopy(_ pageSize: Int) throws(StoreError) -> CopiedPages {
    copyNumber += 1
    return try CopiedPages(folder + "/\(copyNumber).sqlite", pageSize: pageSize)
  }

  /// An empty log beside the copy.
  func newLog() throws(StoreError) -> PageLog {
    try PageLog(copy.path + "-wal", pageSize: copy.pageSize)
  }

  // MARK: Looking

  /// Looks whether something was committed; if so, reads it.
  ///
  /// - Returns: Whether there is a state after the last one.
  /// - Throws: ``StoreError/Code/replaced`` when the path leads to another file or to none,
  ///   ``StoreError/Code/truncated``, ``StoreError/Code/damaged``.
  package func poll() throws(StoreError) -> Bool {
    if next != nil { return true }
    do throws(StoreError) {
      try checkIdentity()
      if let position, let log = LiveLog(realPath + "-wal"), try log.isSame(position) {
        return try readLog(log, from: position)
      }
      let now = try currentMarks()
      guard now != marks else { return false }
      guard let scan = try scan(into: .changes) else { return false }
      marks = scan.marks
      position = scan.position
      idleLog = nil
      next = scan.state
      return next != nil
    } catch {
      throw error.at(path)
    }
  }

  private func checkIdentity() throws(StoreError) {
    guard let status = FileStatus.at(realPath), status.id == identity else {
      throw StoreError(
        .replaced, "the file was removed or replaced", path: path, suggestion: "observe it again")
    }
    guard status.size > 0 || copy.pageCount == 0 || position != nil else {
      throw StoreError(
        .replaced, "the file was emptied", path: path, suggestion: "observe it again")
    }
  }

  func currentMarks() throws(StoreError) -> Marks {
    let status = FileStatus.at(realPath)
    let header = try file.bytes(at: 0, count: 100)
    let logHeader = try LiveLog(realPath + "-wal")?.file.bytes(at: 0, count: PageLog.headerSize)
    return Marks(
      size: status?.size ?? 0, modified: status?.modified ?? 0,
      nanoseconds: status?.modifiedNanoseconds ?? 0, header: header,
      logHeader: logHeader?.count == PageLog.headerSize ? logHeader ?? [] : [])
  }

  /// Reads what was added to the log that is known already.
  private func readLog(_ log: LiveLog, from position: LiveLog.Position) throws(StoreError) -> Bool {
    guard try log.mayGoOn(at: position) else { return false }
    guard let status = FileStatus.at(realPath + "-wal") else { return false }
    // A long transaction that is not committed yet is not read again and again.
    if let idleLog, idleLog.status == status, !idleLog.isRecent { return false }
    let isRecent = FollowedFile.isRecent(status)
    let frames = try log.frames(from: position)
    guard frames.pageCount > 0 else {
      idleLog = (status, isRecent)
      return false
    }
    let pages = try newLog()
    for (number, offset) in frames.pages.sorted(by: { $0.key < $1.key })
    where number <= frames.pageCount {
      var bytes = try log.file.bytes(at: offset, count: copy.pageSize)
      guard bytes.count == copy.pageSize else { return false }
      if number == 1 { CopiedPages.normalise(&bytes) }
      try pages.add(number, bytes)
    }
    // The log may have been begun anew meanwhile; then the file tells.
    guard try log.isSame(position) else { return false }
    try pages.commit(pageCount: frames.pageCount)
    idleLog = nil
    self.position = frames.end
    next = .log(pages, pageCount: frames.pageCount)
    return true
  }

  /// Whether a file was changed so lately that another change may leave the same time.
  static func isRecent(_ status: FileStatus) -> Bool {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let seconds = Int64(now.tv_sec) - status.modified
    guard seconds >= 0, seconds <= 1 else { return false }
    // The clock of file systems goes in steps of 10 ms at most.
    return seconds * 1_000_000_000 + Int64(now.tv_nsec) - status.modifiedNanoseconds < 12_000_000
  }

  // MARK: Both states

  /// The copy's state, which was the newest one before.
  var oldState: PageState { PageState(pages: copy, log: nil, pageCount: copy.pageCount) }

  /// The state after it.
  var newState: PageState {
    switch next {
    case .log(let log, let pageCount): PageState(pages: copy, log: log, pageCount: pageCount)
    case .replacement(let pages): PageState(pages: pages, log: nil, pageCount: pages.pageCount)
    case nil: oldState
    }
  }

  /// The pages that the states may differ in; `nil` for all.
  var changedPages: Set<UInt32>? {
    guard case .log(let log, _)? = next else { return nil }
    return Set(log.offsets.keys)
  }

  /// Reads the older state.
  func readOldState() throws(StoreError) -> SQLiteTransaction {
    try reading(copy.path, isImmutable: true)
  }

  /// Reads the newer state.
  func readNewState() throws(StoreError) -> SQLiteTransaction {
    switch next {
    case .log: try reading(copy.path, isImmutable: false)
    case .replacement(let pages): try reading(pages.path, isImmutable: true)
    case nil: try readOldState()
    }
  }

  private func reading(_ file: String, isImmutable: Bool) throws(StoreError) -> SQLiteTransaction {
    let options = EngineOptions(
      access: .readOnly, isUntrusted: true, busyTimeout: .seconds(5), maximumReaders: 2,
      limits: limits)
    let source = PrivateCopySource(file, reportedPath: path, options, isImmutable: isImmutable)
    return try SQLiteEngine(
      .file(path), options, source, allowsChangeHook: false
    ).beginSQLRead()
  }

  /// Makes the newer state the copy's.
  package func advance() throws(StoreError) {
    defer { next = nil }
    switch next {
    case .log(let log, let pageCount): try copy.apply(log, pageCount: pageCount)
    case .replacement(let pages): copy = pages
    case nil: break
    }
  }
}
