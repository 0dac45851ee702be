package import KuraCore

/// One LMDB file that another program made, open for reading.
///
/// Nothing is mapped, locked or written, and the table of readers is not used: a writer does not know
/// of this reader. What it writes over is noticed instead; see ``PageSnapshot/checkIsWhole()``.
package final class ForeignEngine: StorageEngine {
  /// LMDB.
  package var format: StoreFormat { .lmdb }
  /// The location, as the caller gave it.
  package let location: StoreLocation
  /// The file that holds the data.
  package let path: String
  /// What the caller should know: nothing.
  package let notices: [String] = []
  let options: EngineOptions
  private let isClosed = Monitor(false)

  /// Opens a file, or the data file of a folder.
  ///
  /// - Throws: What opening files throws, and what ``MetaPages/init(_:)`` throws; a file that was cut
  ///   off can be opened, and its ``check(_:progress:)`` says so.
  package init(_ path: String, _ options: EngineOptions) throws(StoreError) {
    location = .file(path)
    self.path = DataFile.path(of: path)
    self.options = options
    _ = try MetaPages(try PageFile(self.path))
  }

  /// Reading is all.
  package var capabilities: Capabilities { .multipleProcesses }

  /// The newest state of the file.
  ///
  /// - Parameter handling: What damage does that reading meets later; a file without a whole newest
  ///   meta page, or that was cut off, throws in any case.
  package func snapshot(_ handling: DamageHandling = .refuse) throws(StoreError) -> PageSnapshot {
    try checkOpen()
    var attempts = 0
    while true {
      do {
        let file = try PageFile(path)
        let snapshot = try PageSnapshot(file)
        return handling == .refuse ? snapshot : try PageSnapshot(file, handling: .salvage)
      } catch {
        // A writer may have made the file longer after its size was asked.
        attempts += 1
        guard attempts < 4, error.code == .truncated || error.code == .locked else { throw error }
      }
    }
  }

  /// The newest state of the file, for work that takes its time; see ``LastingSnapshot``.
  ///
  /// - Throws: As ``snapshot(_:)``.
  package func lastingSnapshot(_ handling: DamageHandling = .refuse) throws(StoreError)
    -> PageSnapshot
  {
    try checkOpen()
    return try LastingSnapshot.open(path, handling, options)
  }

  /// Does short work on a snapshot, again when a writer was faster.
  package func reading<R>(
    _ handling: DamageHandling = .refuse, _ body: (PageSnapshot) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let deadline = ContinuousClock.now + max(options.busyTimeout, .seconds(3))
    while true {
      do {
        return try body(try snapshot(handling))
      } catch {
        guard error.code == .locked, ContinuousClock.now < deadline else { throw error }
        try checkLimits()
      }
    }
  }

  private func checkOpen() throws(StoreError) {
    guard !isClosed.withLock({ $0 }) else {
      throw StoreError(.closed, "the file was closed", path: path, suggestion: "open it again")
    }
  }

  func checkLimits() throws(StoreError) {
    if let limits = options.limits, limits.mustStop() {
      throw limits.stopReason ?? StoreError(.cancelled, "the work was cancelled")
    }
  }

  /// Begins to read the newest state.
  package func beginRead() throws(StoreError) -> any EngineReadTransaction {
    transaction(try snapshot())
  }

  /// A transaction on a state that is open.
  package func transaction(_ snapshot: PageSnapshot) -> ForeignReadTransaction {
    ForeignReadTransaction(snapshot, options.limits)
  }

  /// Files of other programs are not changed.
  package func beginWrite(timeout: Duration?) throws(StoreError) -> any EngineWriteTransaction {
    throw StoreError(
      .readOnly, "LMDB files of other programs are read and not changed", path: path,
      suggestion: "load a dump into a new file")
  }

  /// The number of the newest transaction, and the file's identity.
  package func commitMarker() throws(StoreError) -> CommitMarker {
    let file = try PageFile(path)
    let newest = try MetaPages(file).byAge.first?.transaction ?? 0
    return CommitMarker(words: [newest, file.id.device, file.id.inode])
  }

  /// Not offered yet.
  package func copy(
    to target: StoreLocation, compacting: Bool, progress: ProgressHandler?
  ) throws(StoreError) {
    throw StoreError(
      .unsupportedFormat, "LMDB files of other programs are not copied", path: path,
      suggestion: "dump the file and load the dump into a new one")
  }

  /// Looks for damage; see ``PageCheck``.
  package func check(_ depth: CheckDepth, progress: ProgressHandler?) throws(StoreError)
    -> CheckReport
  {
    do throws(StoreError) {
      return try check(try PageFile(path), depth, progress)
    } catch {
      // A writer went over what was read.
      guard error.code == .locked else { throw error }
      return try check(try lastingSnapshot(.salvage).file, depth, progress)
    }
  }

  private func check(_ file: PageFile, _ depth: CheckDepth, _ progress: ProgressHandler?)
    throws(StoreError) -> CheckReport
  {
    let limits = options.limits
    let check = try PageCheck(file, depth: depth) { done, total throws(StoreError) in
      if let limits, limits.mustStop() {
        throw limits.stopReason ?? StoreError(.cancelled, "the work was cancelled")
      }
      try progress?(done, total)
    }
    return try check.run()
  }

  /// Ends the use of the file.
  package func close() throws(StoreError) { isClosed.withLock { $0 = true } }
}
