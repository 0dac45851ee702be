package import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An LMDB file that other processes write, followed from commit to commit.
///
/// The file is only read, page by page, without a place in its table of readers: nothing in its folder
/// changes. A private copy has the last state. A page is never changed in place while it belongs to
/// one of the last states, so of the next two commits only the pages that the copy lacks are read and
/// added to it; both states are then read from the copy, as slowly as the caller likes. After three
/// commits or more, pages may have been used again, and the file is copied anew.
package final class FollowedEnvironment {
  package let path: String
  /// The last state.
  package private(set) var old: PageSnapshot
  /// The state after it, if one was found.
  package private(set) var new: PageSnapshot?
  /// Whether equal page numbers of both states mean equal pages.
  package private(set) var sharesPages = false
  private let identity: OpenFileRegistry.FileID
  private let limits: ExecutionLimits?
  private let folder: String
  private var copyNumber = 0
  private var copyPath = ""
  private var copyWriter: CopyWriter?
  /// When copying failed first, because writers were faster each time.
  private var failingSince: ContinuousClock.Instant?
  private let timeout: Duration

  /// Copies the file's present state.
  ///
  /// - Throws: What ``MetaPages/init(_:)`` and ``PageSnapshot/init(_:_:handling:valueLimit:)`` throw;
  ///   ``StoreError/Code/locked`` when writers were faster for the time given.
  package init(_ path: String, timeout: Duration, limits: ExecutionLimits?) throws(StoreError) {
    self.path = path
    self.limits = limits
    self.timeout = max(timeout, .seconds(10))
    identity = try PageFile(path).id
    folder = try PrivateFolder.make(inMemory: false)
    old = try PageSnapshot(path)
    do {
      let deadline = ContinuousClock.now + self.timeout
      while true {
        if let copied = try copy() {
          old = copied
          return
        }
        try limits?.check()
        guard ContinuousClock.now < deadline else { throw tooFast() }
      }
    } catch {
      PrivateFolder.remove(folder)
      throw (error as? StoreError)?.at(path)
        ?? StoreError(.internalError, "copying failed in an unexpected way", path: path)
    }
  }

  deinit { PrivateFolder.remove(folder) }

  private func tooFast() -> StoreError {
    StoreError(
      .locked, "writers are faster than the file can be read", path: path,
      suggestion: "observe it when fewer commits come, or wait longer with --wait")
  }

  // MARK: Looking

  /// Looks whether something was committed; if so, reads it.
  ///
  /// - Returns: Whether there is a state after the last one.
  /// - Throws: ``StoreError/Code/replaced`` when the path leads to another file or to none,
  ///   ``StoreError/Code/truncated``, ``StoreError/Code/damaged``, ``StoreError/Code/locked`` when
  ///   writers were faster for a long time.
  package func poll() throws(StoreError) -> Bool {
    if new != nil { return true }
    do throws(StoreError) {
      let file = try openFile()
      let newest = try MetaPages(file).meta(.newest)
      guard newest.transaction != old.meta.transaction else { return false }
      let found = try pull(file)
      guard found else {
        let since = failingSince ?? ContinuousClock.now
        failingSince = since
        guard ContinuousClock.now < since + timeout else { throw tooFast() }
        return false
      }
      failingSince = nil
      return true
    } catch {
      let isNoneAnyMore: Set<StoreError.Code> = [.empty, .unknownFormat, .unsupportedFormat]
      guard isNoneAnyMore.contains(error.code) else { throw error.at(path) }
      throw StoreError(
        .damaged, "the file was overwritten: \(error.message)", path: path,
        suggestion: "restore a backup")
    }
  }

  private func openFile() throws(StoreError) -> PageFile {
    guard let status = FileStatus.at(path), status.id == identity else {
      throw StoreError(
        .replaced, "the file was removed or replaced", path: path, suggestion: "observe it again")
    }
    guard status.size > 0 else {
      throw StoreError(
        .replaced, "the file was emptied", path: path, suggestion: "observe it again")
    }
    return try PageFile(path)
  }

  /// Takes the newest state into the copy.
  private func pull(_ file: PageFile) throws(StoreError) -> Bool {
    do throws(StoreError) {
      let live = try PageSnapshot(file)
      let (distance, isOlder) = live.meta.transaction.subtractingReportingOverflow(
        old.meta.transaction)
      // Transaction N uses pages again that transaction N - 2 and earlier ones freed (mdb_page_alloc),
      // so those of state T have other content from T + 3 on at the earliest.
      if !isOlder, distance <= 2, live.meta.pageSize == old.meta.pageSize {
        return try pullChanges(live)
      }
    } catch {
      guard error.code == .locked || error.code == .truncated else { throw error }
    }
    guard let copied = try copy() else { return false }
    sharesPages = false
    new = copied
    return true
  }

  /// Adds the pages of a state that the copy lacks.
  private func pullChanges(_ live: PageSnapshot) throws(StoreError) -> Bool {
    guard let writer = copyWriter else { return false }
    unsafe live.source.tee = { number, bytes throws(StoreError) in
      unsafe try writer.write(bytes, at: Int64(number) * Int64(live.meta.pageSize))
    }
    defer { unsafe live.source.tee = nil }
    // What is read on the way is what is new.
    let difference = SnapshotDifference(from: old, to: live, sharesPages: true)
    for pair in try difference.changedDatabases({ _ throws(StoreError) in }) {
      try limits?.check()
      try difference.changes(from: pair.old, to: pair.new) { _ throws(StoreError) in }
    }
    try live.checkIsWhole()
    try writer.extend(to: (Int64(clamping: live.meta.lastPage) + 1) * Int64(live.meta.pageSize))
    new = PageSnapshot(privateCopy: try PageFile(copyPath, shownAs: path), live.meta)
    sharesPages = true
    return true
  }

  /// Copies all pages of the newest state; `nil` when writers were faster.
  private func copy() throws(StoreError) -> PageSnapshot? {
    copyNumber += 1
    let target = folder + "/\(copyNumber).mdb"
    var isKept = false
    defer { if !isKept { unsafe unlink(FileName.bytes(of: target)) } }
    let before = copyPath
    do throws(StoreError) {
      let live = try PageSnapshot(path)
      try FileNaming.make(target)
      let file = live.file
      let pages = unsafe PageCopy(
        pageSize: live.meta.pageSize, CopyWatch(limits: limits, progress: nil)
      ) { buffer, offset throws(StoreError) in unsafe try file.read(into: buffer, at: offset) }
      try pages.write(live.meta.transaction, to: target)
      try live.checkIsWhole()
      let snapshot = PageSnapshot(
        privateCopy: try PageFile(target, shownAs: path), live.meta)
      copyWriter = try CopyWriter(target)
      copyPath = target
      isKept = true
      // Who reads the copy before has it open.
      if !before.isEmpty { unsafe unlink(FileName.bytes(of: before)) }
      return snapshot
    } catch {
      guard error.code == .locked || error.code == .truncated && failingSince == nil else {
        throw error
      }
      return nil
    }
  }

  /// Makes the newer state the last one.
  package func advance() {
    if let new { old = new }
    new = nil
  }

  /// What changed from the last state to the newer one.
  package var difference: SnapshotDifference {
    SnapshotDifference(from: old, to: new ?? old, sharesPages: new == nil || sharesPages)
  }
}

/// The private copy as it is written.
private final class CopyWriter {
  private let descriptor: Int32
  private let path: String

  init(_ path: String) throws(StoreError) {
    let opened = unsafe open(FileName.bytes(of: path), O_RDWR | O_CLOEXEC)
    guard opened >= 0 else { throw FileErrors.error(errno, path) }
    descriptor = opened
    self.path = path
  }

  deinit { close(descriptor) }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StoreError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe pwrite(
        descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done,
        off_t(offset + Int64(done)))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileErrors.error(count < 0 ? errno : ENOSPC, path) }
      done += count
    }
  }

  /// Makes the file at least so long.
  func extend(to size: Int64) throws(StoreError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileErrors.error(errno, path) }
    guard Int64(status.st_size) < size else { return }
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw FileErrors.error(errno, path) }
  }
}
