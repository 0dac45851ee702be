import CSQLite
import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The source of files that are only read: the opening ladder.
///
/// Not a byte, name or time in the file's folder changes. What SQLite itself would do to a file at
/// rest (roll back a hot journal, make or remove `-wal` and `-shm`) is done in a private copy, or
/// not needed because nobody else has the file open.
final class ReadOnlySource: ConnectionSource {
  /// How the file is read; the first rule that fits decides.
  enum Rung: Equatable {
    /// With SQLite's locks: a file in rollback mode, or a WAL file that is in use, whose side files
    /// exist already.
    case locked
    /// Promised not to change: a WAL file at rest without a log. Reading it with locks would leave a
    /// `-shm` behind.
    case immutable
    /// Without locks and with the log's index in private memory: a WAL file at rest with a log.
    case privateIndex
    /// From a private copy: a hot journal, which must be rolled back first, and everything else that
    /// cannot be read in place.
    case copy(String)

    /// Whether nothing but the file's times and sizes tells that somebody wrote meanwhile.
    var readsInPlaceWithoutLocks: Bool { self == .immutable || self == .privateIndex }
  }

  let path: String
  let facts: SQLiteFileFacts
  private let options: EngineOptions
  private let token: OpenFileRegistry.Token

  private struct State {
    var rung: Rung
    var signature: [FileStatus?]
    var copyFolder: String?
    /// Whether a connection was opened in place.
    var hasOpened = false
    var notices: [String]
  }
  private let state: Monitor<State>

  var notices: [String] { state.withLock { $0.notices } }
  /// The folder of the private copy, while there is one.
  var copyFolder: String? { state.withLock { $0.copyFolder } }
  /// How the file is read.
  var rung: Rung { state.withLock { $0.rung } }

  init(_ path: String, _ options: EngineOptions) throws(StoreError) {
    self.path = path
    self.options = options
    // Taken before the facts: a change after this moment shows.
    let signature = ReadOnlySource.signature(try SQLiteFileFacts(path).realPath)
    let facts = try SQLiteFileFacts(path)
    self.facts = facts
    try ReadOnlySource.checkLength(facts, path)
    let seen = ReadOnlySource.rung(facts)
    token = try OpenFileRegistry.shared.register(
      path, format: .sqlite, create: false, holdsLocks: seen == .locked)
    // A writer of this process may have come in between; from here on it is seen.
    let isShared = seen.readsInPlaceWithoutLocks && OpenFileRegistry.shared.holdsLocks(token.file)
    let rung = isShared ? Rung.locked : seen
    if rung == .locked { OpenFileRegistry.shared.takeLocks(token) }
    state = Monitor(
      State(
        rung: rung, signature: signature, copyFolder: nil,
        notices: ReadOnlySource.notices(facts, rung)))
    do {
      if case .copy = rung { try makeCopy() }
    } catch {
      finish()
      throw error
    }
  }

  // MARK: The ladder

  static func rung(_ facts: SQLiteFileFacts) -> Rung {
    guard !SQLiteErrors.isBeyondLongestPath(facts.realPath) else {
      return .copy("read from a private copy, because its path is longer than SQLite allows")
    }
    // An empty header means that this process has locks on the file: side files exist, locks work.
    guard !facts.header.isEmpty || facts.fileSize == 0 else { return .locked }
    if facts.fileSize == 0, facts.logSize != nil || facts.journalSize != nil {
      // SQLite takes side files of an empty database for remnants and removes them, also on a
      // connection that may only read (`pagerOpenWalIfPresent`, `hasHotJournal`).
      return .copy("the file is empty; SQLite would remove the files beside it")
    }
    let isInUse = facts.isLocked || !LockHolders.processes(of: facts.realPath).isEmpty
    // Before the log: a switch of the journal mode that was not finished leaves a journal beside a
    // header that says WAL.
    if facts.hasHotJournal, !isInUse {
      return .copy(
        "showing the state after rolling back an unfinished transaction; the original is untouched")
    }
    if facts.isWALMode || facts.hasLog {
      if isInUse { return .locked }
      return facts.hasLog ? .privateIndex : .immutable
    }
    return .locked
  }

  private static func notices(_ facts: SQLiteFileFacts, _ rung: Rung) -> [String] {
    var notices: [String] = []
    if facts.fileSize == 0 {
      notices.append("the file is empty, which SQLite takes for a database")
    }
    if rung == .immutable, facts.logSize == nil {
      notices.append(
        "WAL mode but no -wal file beside it; recent transactions may be missing")
    }
    return notices
  }

  func openReader() throws(StoreError) -> SQLiteConnection {
    let current = state.withLock { $0 }
    do {
      let connection = try open(current)
      state.withLock { $0.hasOpened = true }
      return connection
    } catch {
      // In place only reading is allowed; what needs more is read from a copy.
      let needsCopy: Set<StoreError.Code> = [.readOnly, .readOnlyLocation, .noPermission, .ioError]
      guard needsCopy.contains(error.code), current.copyFolder == nil,
        unsafe access(FileName.bytes(of: facts.realPath), R_OK) == 0
      else { throw facts.explained(error) }
      state.withLock {
        $0.rung = .copy("read from a private copy, because it cannot be read in place")
      }
      // A connection of an earlier reader may hold locks; then the copy is refused.
      if !current.hasOpened { OpenFileRegistry.shared.giveLocksBack(token) }
      try makeCopy()
      return try open(state.withLock { $0 })
    }
  }

  /// Throws when the file ends inside its last page, whose missing part SQLite would read as zeros.
  ///
  /// A whole page less SQLite would find by itself. The facts are of a moment without a lock, so that
  /// a second look has to see the same, with nobody at work.
  private static func checkLength(_ facts: SQLiteFileFacts, _ path: String) throws(StoreError) {
    guard facts.truncation(path) != nil, let now = try? SQLiteFileFacts(facts.realPath),
      !now.isLocked, let error = now.truncation(path)
    else { return }
    throw error
  }

  private func open(_ state: State) throws(StoreError) -> SQLiteConnection {
    let connection: SQLiteConnection
    switch state.rung {
    case .locked:
      connection = try SQLiteConnection(facts.realPath, .readOnly, reportedPath: path)
      connection.countsCommits = true
    case .immutable:
      connection = try SQLiteConnection(facts.realPath, .immutable, reportedPath: path)
    case .privateIndex:
      connection = try SQLiteConnection(
        facts.realPath, .init(flags: SQLITE_OPEN_READONLY, vfs: "unix-none"), reportedPath: path)
    case .copy:
      let copy = (state.copyFolder ?? "") + "/copy.sqlite"
      connection = try SQLiteConnection(copy, .readWrite, reportedPath: path)
    }
    if state.rung.readsInPlaceWithoutLocks {
      let (token, file, signature) = (token, facts.realPath, state.signature)
      connection.closing = { OpenFileRegistry.shared.whenUnlocked(token, close: $0) }
      connection.isUnchanged = { ReadOnlySource.signature(file) == signature }
    }
    if state.rung == .privateIndex { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
    // A log without frames counts as checkpointed, and even a read-only connection would remove it.
    connection.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    connection.setBusyTimeout(options.busyTimeout)
    try UntrustedSettings.apply(
      to: connection, fileSize: facts.fileSize + (facts.logSize ?? 0),
      trustsSchema: !options.isUntrusted)
    options.limits?.install(on: connection)
    // The first read shows whether this rung holds.
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    return connection
  }

  func openWriter() throws(StoreError) -> SQLiteConnection {
    throw StoreError(
      .readOnly, "the store is open for reading only", path: path,
      suggestion: "open it for writing")
  }

  // MARK: Change under way

  /// The files whose change makes what was read without locks stale.
  private static func signature(_ path: String) -> [FileStatus?] {
    ["", "-wal", "-journal"].map { FileStatus.at(path + $0) }
  }

  func isCurrent() throws(StoreError) -> Bool {
    let current = state.withLock { $0 }
    if case .copy = current.rung { return true }
    let signature = ReadOnlySource.signature(facts.realPath)
    guard signature != current.signature else { return true }
    guard signature[0]?.id == token.file else {
      throw StoreError(
        .replaced, "the file was removed or replaced while it was open", path: path,
        suggestion: "close the store and open it again")
    }
    guard signature[0]?.size != 0 || signature[1] == nil else {
      throw StoreError(
        .replaced, "the file was emptied while it was open", path: path,
        suggestion: "close the store and open it again")
    }
    // Somebody wrote. With locks SQLite sees that by itself, unless the log came or went.
    let isLogKept = (signature[1] == nil) == (current.signature[1] == nil)
    if current.rung == .locked, isLogKept {
      state.withLock { $0.signature = signature }
      return true
    }
    let isInUse =
      OpenFileRegistry.shared.holdsLocks(token.file)
      || !LockHolders.processes(of: facts.realPath).isEmpty
    let hasLog = (signature[1]?.size ?? 0) > 0
    let rung: Rung = isInUse ? .locked : hasLog ? .privateIndex : .immutable
    if rung == .locked { OpenFileRegistry.shared.takeLocks(token) }
    state.withLock {
      $0.rung = rung
      $0.signature = signature
    }
    return false
  }

  func finish() {
    let folder = state.withLock { state in
      defer { state.copyFolder = nil }
      return state.copyFolder
    }
    if let folder { PrivateFolder.remove(folder) }
    OpenFileRegistry.shared.release(token)
  }

  // MARK: The private copy

  private func makeCopy() throws(StoreError) {
    let folder = try PrivateFolder.make(inMemory: false)
    do {
      try ConsistentCopy.make(of: facts.realPath, to: folder + "/copy.sqlite", reportedPath: path)
      let connection = try SQLiteConnection(
        folder + "/copy.sqlite", .readWrite, reportedPath: path)
      // Rolls the journal back, or replays the log, in the copy.
      _ = try? connection.integer("SELECT count(*) FROM sqlite_schema")
      connection.close()
    } catch {
      PrivateFolder.remove(folder)
      throw error
    }
    let isFirst = state.withLock { state in
      guard state.copyFolder == nil else { return false }
      state.copyFolder = folder
      if case .copy(let notice) = state.rung { state.notices.append(notice) }
      return true
    }
    // Two threads may have needed one at the same time.
    if !isFirst { PrivateFolder.remove(folder) }
  }
}
