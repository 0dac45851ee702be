import KuraCore

/// One LMDB file that is read page by page, without liblmdb and without touching anything beside it.
///
/// For files that are open for reading only: nothing that is in them can hurt the process, and no
/// lock file is made or written to. No writer knows of the readers: one that commits twice while a
/// snapshot is read ends it with ``StoreError/Code/locked``.
final class PageEngine: StorageEngine {
  let location: StoreLocation
  let notices: [String] = []
  let path: String
  let options: EngineOptions
  private let file: OpenFileRegistry.FileID
  private let state = Monitor(State())

  private struct State {
    var isClosed = false
    var readers = 0
    /// The newest catalogue and the bytes by which it is known to be current.
    var catalogue: LMDBEnvironment.CachedCatalogue?
  }

  /// Opens a file; a first read proves that it can be read.
  init(_ path: String, _ options: EngineOptions) throws(StoreError) {
    location = .file(path)
    self.path = path
    self.options = options
    file = try PageFile(path).id
    let transaction = try beginReading()
    defer { transaction.end() }
    guard transaction.catalogue != nil else {
      throw StoreError(
        .foreign, "Kura did not make this LMDB file", path: path, expected: "a Kura store",
        suggestion: "read its entries")
    }
  }

  var format: StoreFormat { .lmdb }

  // What would be done to the file by an engine that writes it is part of plans.
  var capabilities: Capabilities { [.multipleProcesses, .constantTimePropertyChange] }

  func beginRead() throws(StoreError) -> any EngineReadTransaction { try beginReading() }

  func beginReading() throws(StoreError) -> PageReadTransaction {
    let deadline = ContinuousClock.now + options.busyTimeout
    try takeReader(until: deadline)
    do {
      while true {
        do throws(StoreError) {
          return try snapshot()
        } catch {
          // Writers were faster than the first look at the catalogue.
          guard error.code == .locked, ContinuousClock.now < deadline else { throw error }
        }
      }
    } catch {
      giveReaderBack()
      throw (error as? StoreError)?.at(path)
        ?? StoreError(.internalError, "reading failed in an unexpected way", path: path)
    }
  }

  private func snapshot() throws(StoreError) -> PageReadTransaction {
    // Who may map the file joins the table of readers when the file is in use, and comes here only
    // when it is at rest (``SharedReading``).
    let opened = try openFile()
    let snapshot =
      options.isUntrusted
      ? try LastingSnapshot.open(path, .refuse, options) : try PageSnapshot(opened)
    return PageReadTransaction(snapshot, try catalogue(of: snapshot), self)
  }

  /// The file, as long as its name leads to the one that was opened first.
  func openFile() throws(StoreError) -> PageFile {
    let opened = try PageFile(path)
    guard opened.id == file else {
      throw StoreError(
        .replaced, "the file was removed or replaced while it was open", path: path,
        suggestion: "close the store and open it again")
    }
    return opened
  }

  private func catalogue(of snapshot: PageSnapshot) throws(StoreError) -> Catalogue? {
    guard let reader = try CatalogueReader(snapshot) else { return nil }
    try reader.checkFormat()
    guard let found = unsafe try reader.counterBytes() else { return nil }
    let bytes = unsafe Array(found)
    if let cached = state.withLock({ $0.catalogue }), cached.bytes == bytes {
      return cached.catalogue
    }
    let catalogue = try reader.catalogue()
    state.withLock {
      $0.catalogue = LMDBEnvironment.CachedCatalogue(bytes: bytes, catalogue: catalogue)
    }
    return catalogue
  }

  func beginWrite(timeout: Duration?) throws(StoreError) -> any EngineWriteTransaction {
    throw StoreError(
      .readOnly, "the store is open for reading only", path: path,
      suggestion: "open it for writing")
  }

  func commitMarker() throws(StoreError) -> CommitMarker {
    try checkOpen()
    let opened = try openFile()
    let newest = try MetaPages(opened).meta(.newest)
    return CommitMarker(words: [newest.transaction, opened.id.device, opened.id.inode])
  }

  func newestCommitNumber() throws(StoreError) -> UInt64? {
    try checkOpen()
    return try MetaPages(try openFile()).meta(.newest).transaction
  }

  // MARK: The number of readers

  private func checkOpen() throws(StoreError) {
    try state.withLock { state throws(StoreError) in
      guard !state.isClosed else { throw closed }
    }
  }

  private func takeReader(until deadline: ContinuousClock.Instant) throws(StoreError) {
    let most = max(1, options.maximumReaders)
    let taken = try state.wait(until: deadline) { state throws(StoreError) -> Bool? in
      guard !state.isClosed else { throw closed }
      guard state.readers < most else { return nil }
      state.readers += 1
      return true
    }
    guard taken == nil else { return }
    throw StoreError(
      .timedOut, "all readers of the store are in use", path: path, found: "\(most) readers",
      suggestion: "end transactions sooner or allow more readers")
  }

  func giveReaderBack() { state.withLock { $0.readers -= 1 } }

  private var closed: StoreError {
    StoreError(.closed, "the store was closed", path: path, suggestion: "open it again")
  }

  func close() throws(StoreError) { state.withLock { $0.isClosed = true } }
}
