import CSQLite
package import KuraCore

/// One open SQLite file.
package final class SQLiteEngine: StorageEngine {
  package let location: StoreLocation
  let options: EngineOptions
  let pool: ConnectionPool
  private let gate = WriterGate()
  private let counter = Monitor(CounterState())
  let numbers = CommitNumbers()
  /// Whether the library's hook tells the changes of rows, where it has one; tests say no.
  let allowsChangeHook: Bool

  private struct CounterState {
    var counter: CommitCounter?
    var isClosed = false
  }

  init(
    _ location: StoreLocation, _ options: EngineOptions, _ source: any ConnectionSource,
    allowsChangeHook: Bool
  ) {
    self.allowsChangeHook = allowsChangeHook
    self.location = location
    self.options = options
    pool = ConnectionPool(source, options)
  }

  deinit {
    // Before the pool, which tells the registry that the file is closed.
    counter.withLock { $0.counter = nil }
    pool.close()
  }

  /// Opens a file or memory; a first read proves that it is a database.
  static func open(
    _ location: StoreLocation, _ options: EngineOptions, allowsChangeHook: Bool = true
  ) throws(StoreError) -> SQLiteEngine {
    switch (location, options.access) {
    case (.memory, _):
      return SQLiteEngine(
        location, options, try MemorySource(options), allowsChangeHook: allowsChangeHook)
    case (.file(let path), .readOnly):
      let engine = SQLiteEngine(
        location, options, try ReadOnlySource(path, options), allowsChangeHook: allowsChangeHook)
      try engine.probe()
      return engine
    case (.file(let path), .readWrite(let create)):
      let source = try OwnFileSource(path, options, create: create)
      let engine = SQLiteEngine(
        location, options, source, allowsChangeHook: allowsChangeHook)
      do {
        try engine.prepareWriter()
      } catch {
        if source.token.isNew { FileRemoval.removeEmpty(path) }
        throw engine.named(error)
      }
      return engine
    }
  }

  private func probe() throws(StoreError) { try beginRead().end() }

  private func prepareWriter() throws(StoreError) {
    let connection = try pool.takeWriter()
    do {
      _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    } catch {
      pool.putWriter(connection, isUsable: false)
      throw error
    }
    pool.putWriter(connection, isUsable: true)
  }

  package var format: StoreFormat { .sqlite }

  package var capabilities: Capabilities {
    [.transactionalSchema, .constantTimeRename, .constantTimeDefault, .rawSQL, .multipleProcesses]
  }

  package var notices: [String] { pool.source.notices }

  package func beginRead() throws(StoreError) -> any EngineReadTransaction {
    try beginSQLRead()
  }

  func beginSQLRead() throws(StoreError) -> SQLiteTransaction {
    let reader: ConnectionPool.Reader
    do {
      reader = try pool.takeReader()
    } catch {
      throw named(error)
    }
    let number: UInt64?
    do {
      number = try beginSnapshot(reader.connection)
    } catch {
      if !reader.connection.isAutocommit { try? reader.connection.execute("ROLLBACK") }
      // A store in memory cannot open another connection.
      pool.put(reader, isUsable: reader.connection.isAutocommit)
      throw named(error)
    }
    return SQLiteTransaction(self, reader.connection, reader: reader, commitNumber: number)
  }

  /// Begins a read transaction.
  ///
  /// - Returns: The number of the commit that it shows.
  private func beginSnapshot(_ connection: SQLiteConnection) throws(StoreError) -> UInt64? {
    var before = connection.hasLog ? numbers.newest(connection) : nil
    var attempt = 0
    while true {
      attempt += 1
      try connection.execute("BEGIN")
      // The snapshot is that of the first read, not of BEGIN.
      _ = try connection.integer("SELECT 1 FROM sqlite_schema LIMIT 1")
      guard let after = numbers.newest(connection) else { return nil }
      // Without a log nobody commits beside a reader. With one, nobody committed while it began when
      // the number is the same.
      if !connection.hasLog || after == before { return after }
      guard attempt < 5 else { return nil }
      before = after
      try connection.execute("COMMIT")
    }
  }

  package func beginWrite(timeout: Duration?) throws(StoreError) -> any EngineWriteTransaction {
    guard options.access != .readOnly else {
      throw StoreError(
        .readOnly, "the store is open for reading only", path: location.path,
        suggestion: "open it for writing")
    }
    let allowed = timeout ?? options.busyTimeout
    let deadline = ContinuousClock.now + allowed
    try gate.enter(until: deadline, path: location.path)
    var taken: SQLiteConnection?
    do {
      let connection = try pool.takeWriter()
      taken = connection
      connection.setBusyTimeout(max(.zero, deadline - ContinuousClock.now))
      try connection.execute("BEGIN IMMEDIATE")
      // Nobody else commits now.
      return SQLiteWriteTransaction(
        self, connection, reader: nil, commitNumber: numbers.newest(connection))
    } catch {
      if let taken { pool.putWriter(taken, isUsable: taken.isAutocommit) }
      gate.leave()
      throw named(error)
    }
  }

  /// Ends a write: the connection goes back, the next writer comes in.
  func finishWrite(_ connection: SQLiteConnection, isUsable: Bool) {
    pool.putWriter(connection, isUsable: isUsable)
    gate.leave()
  }

  /// Names the process that holds a lock, where the system tells.
  func named(_ error: StoreError) -> StoreError {
    guard error.code == .locked, let path = location.path else { return error }
    let holders = LockHolders.processes(of: path)
    guard !holders.isEmpty else { return error }
    var named = StoreError(
      .locked, "the database is locked by \(LockHolders.describe(holders))", path: path,
      suggestion: error.suggestion, engineCode: error.engineCode)
    named.found = error.found
    return named
  }

  package func commitMarker() throws(StoreError) -> CommitMarker {
    try withCounter { counter throws(StoreError) in CommitMarker(words: [try counter.value()]) }
  }

  package func newestCommitNumber() throws(StoreError) -> UInt64? {
    try withCounter { counter throws(StoreError) in try counter.number(numbers) }
  }

  private func withCounter<R>(_ body: (CommitCounter) throws(StoreError) -> R) throws(StoreError)
    -> R
  {
    try counter.withLock { state throws(StoreError) in
      guard !state.isClosed else {
        throw StoreError(.closed, "the store was closed", path: location.path)
      }
      let counter: CommitCounter
      if let existing = state.counter {
        counter = existing
      } else {
        counter = CommitCounter(try pool.source.openReader())
        state.counter = counter
      }
      return try body(counter)
    }
  }

  package func close() throws(StoreError) {
    counter.withLock { state in
      state.isClosed = true
      state.counter = nil
    }
    pool.close()
  }
}
