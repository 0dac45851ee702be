import KuraCore

/// One open LMDB file.
final class LMDBEngine: StorageEngine {
  let location: StoreLocation
  let options: EngineOptions
  let notices: [String] = []
  private let state: Monitor<State>

  private struct State {
    /// `nil` after the close; transactions that go on hold the lease themselves.
    var lease: EnvironmentLease?
    var readers = 0
  }

  init(_ location: StoreLocation, _ options: EngineOptions, _ lease: EnvironmentLease) {
    self.location = location
    self.options = options
    state = Monitor(State(lease: lease))
  }

  /// Opens a file or memory; a first read proves that it is one of Kura's.
  static func open(
    _ location: StoreLocation, _ options: EngineOptions, _ settings: LMDBEnvironment.Settings
  ) throws(StoreError) -> any StorageEngine {
    let lease: EnvironmentLease
    switch (location, options.access) {
    case (.memory, _): lease = try MemoryEnvironment.make(settings)
    case (.file(let path), .readOnly):
      guard !options.isUntrusted, let shared = try SharedReading.lease(path, settings) else {
        return try readingOnly(path, options)
      }
      lease = shared
    case (.file(let path), .readWrite(let create)):
      lease = try EnvironmentRegistry.shared.open(path, create: create, settings)
    }
    let engine = LMDBEngine(location, options, lease)
    let reader = try engine.beginReading()
    defer { reader.end() }
    guard reader.catalogue != nil || options.access == .readOnly else {
      throw StoreError(
        .foreign, "Kura did not make this LMDB file", path: location.path,
        expected: "a Kura store or no file", suggestion: "open it for reading")
    }
    return engine
  }

  /// Opens a file for reading page by page: one of Kura's, or anybody's.
  private static func readingOnly(_ path: String, _ options: EngineOptions) throws(StoreError)
    -> any StorageEngine
  {
    do {
      return try PageEngine(path, options)
    } catch {
      // Who looks into a damaged file wants to see the entries that are left of it.
      let isDamaged = error.code.kind == .damaged && options.isUntrusted
      guard error.code == .foreign || isDamaged else { throw error }
      return try ForeignEngine(path, options)
    }
  }

  var format: StoreFormat { .lmdb }

  var capabilities: Capabilities {
    [
      .transactionalSchema, .constantTimeRename, .constantTimeDefault,
      .constantTimePropertyChange, .multipleProcesses, .threadBoundWrites,
    ]
  }

  // MARK: Transactions

  func beginRead() throws(StoreError) -> any EngineReadTransaction { try beginReading() }

  func beginReading() throws(StoreError) -> LMDBReadTransaction {
    let deadline = ContinuousClock.now + options.busyTimeout
    let lease = try takeReader(until: deadline)
    do {
      return try snapshot(lease, until: deadline)
    } catch {
      giveReaderBack()
      throw error.at(location.path)
    }
  }

  /// A snapshot whose databases all have handles.
  private func snapshot(_ lease: EnvironmentLease, until deadline: ContinuousClock.Instant)
    throws(StoreError) -> LMDBReadTransaction
  {
    let environment = lease.environment
    var attempt = 0
    while true {
      attempt += 1
      let handles = environment.monitor.withLock { $0.handles }
      let transaction = unsafe try environment.beginReading(until: deadline)
      let snapshot = unsafe EnvironmentSnapshot(
        lease, transaction, isWriter: false, handles: handles)
      let found: LMDBEnvironment.CatalogueState
      do throws(StoreError) {
        found = try environment.catalogue(of: snapshot)
      } catch {
        LMDBEngine.end(snapshot)
        throw error
      }
      switch found {
      case .ready(let catalogue):
        return LMDBReadTransaction(snapshot, catalogue, self, limits: options.limits)
      case .lacksHandles(let names):
        LMDBEngine.end(snapshot)
        try environment.openHandles(names, until: deadline)
        try checkTime(deadline, attempt)
      }
    }
  }

  private static func end(_ snapshot: EnvironmentSnapshot) {
    if let transaction = unsafe snapshot.close() {
      unsafe snapshot.environment.endReading(transaction)
    }
  }

  /// Handles are needed again only when somebody made a model in between, so that who does not wait
  /// for others gets a few rounds all the same.
  private func checkTime(_ deadline: ContinuousClock.Instant, _ attempt: Int) throws(StoreError) {
    guard attempt < 4 || ContinuousClock.now < deadline else { throw changing }
  }

  private var changing: StoreError {
    StoreError(
      .timedOut, "the store's models change all the time", path: location.path,
      suggestion: "try again")
  }

  func beginWrite(timeout: Duration?) throws(StoreError) -> any EngineWriteTransaction {
    guard options.access != .readOnly else {
      throw StoreError(
        .readOnly, "the store is open for reading only", path: location.path,
        suggestion: "open it for writing")
    }
    let deadline = ContinuousClock.now + (timeout ?? options.busyTimeout)
    let lease = try lease()
    do {
      return try writing(lease, until: deadline)
    } catch {
      throw error.at(location.path)
    }
  }

  private func writing(_ lease: EnvironmentLease, until deadline: ContinuousClock.Instant)
    throws(StoreError) -> LMDBWriteTransaction
  {
    let environment = lease.environment
    var attempt = 0
    while true {
      attempt += 1
      let transaction = unsafe try environment.beginWriting(options.durability, until: deadline)
      // No handle is opened beside a write.
      let snapshot = unsafe EnvironmentSnapshot(
        lease, transaction, isWriter: true,
        handles: environment.monitor.withLock { $0.handles })
      var missing: [String] = []
      do throws(StoreError) {
        switch try environment.catalogue(of: snapshot) {
        case .ready(let catalogue?):
          return try LMDBWriteTransaction(
            snapshot, catalogue, limits: options.limits, durability: options.durability)
        case .ready(nil):
          throw StoreError(.foreign, "Kura did not make this LMDB file", path: location.path)
        case .lacksHandles(let names): missing = names
        }
      } catch {
        if let transaction = unsafe snapshot.close() {
          unsafe environment.abortWriting(transaction)
        }
        throw error
      }
      if let transaction = unsafe snapshot.close() { unsafe environment.abortWriting(transaction) }
      try environment.openHandles(missing, until: deadline)
      try checkTime(deadline, attempt)
    }
  }

  func commitMarker() throws(StoreError) -> CommitMarker {
    let environment = try lease().environment
    return CommitMarker(words: [
      try environment.newestCommit(), environment.file?.device ?? 0, environment.file?.inode ?? 0,
    ])
  }

  func newestCommitNumber() throws(StoreError) -> UInt64? {
    try lease().environment.newestCommit()
  }

  // MARK: The number of readers

  /// The lease of an engine that is open.
  func lease() throws(StoreError) -> EnvironmentLease {
    try state.withLock { state throws(StoreError) in
      guard let lease = state.lease else { throw closed }
      return lease
    }
  }

  private func takeReader(until deadline: ContinuousClock.Instant) throws(StoreError)
    -> EnvironmentLease
  {
    let most = max(1, options.maximumReaders)
    let lease = try state.wait(until: deadline) { state throws(StoreError) -> EnvironmentLease? in
      guard let lease = state.lease else { throw closed }
      guard state.readers < most else { return nil }
      state.readers += 1
      return lease
    }
    if let lease { return lease }
    throw StoreError(
      .timedOut, "all readers of the store are in use", path: location.path,
      found: "\(most) readers", suggestion: "end transactions sooner or allow more readers")
  }

  func giveReaderBack() { state.withLock { $0.readers -= 1 } }

  private var closed: StoreError {
    StoreError(.closed, "the store was closed", path: location.path, suggestion: "open it again")
  }

  func close() throws(StoreError) {
    // The lease is dropped outside of the lock: the last one closes the file.
    let lease = state.withLock { state in
      defer { state.lease = nil }
      return state.lease
    }
    withExtendedLifetime(lease) {}
  }
}
