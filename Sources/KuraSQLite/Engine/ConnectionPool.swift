import KuraCore

/// The connections of one engine: one writer and a limited number of readers.
final class ConnectionPool: Sendable {
  private struct State: @unchecked Sendable {
    // A connection is used by one transaction at a time: it is either idle in here, under the
    // monitor's lock, or held by the transaction that took it out.
    var idle: [SQLiteConnection] = []
    var writer: SQLiteConnection?
    var readersInUse = 0
    var isWriterInUse = false
    /// How many threads are closing connections that they took out.
    var closers = 0
    var isClosed = false
    var isFinished = false
    var generation = 0

    var shouldFinish: Bool {
      isClosed && !isFinished && readersInUse == 0 && !isWriterInUse && closers == 0
    }

    /// Begins a generation of readers; gives the idle ones of the last to be closed.
    mutating func renew() -> [Box] {
      generation += 1
      closers += 1
      defer { idle.removeAll() }
      return idle.map(Box.init)
    }

    /// Takes out what is idle; the writer is last, so that its close truncates the log, and stays
    /// as long as readers need the log.
    mutating func takeIdle() -> [Box] {
      defer { idle.removeAll() }
      guard readersInUse == 0, let last = writer else { return idle.map(Box.init) }
      writer = nil
      return idle.map(Box.init) + [Box(last)]
    }
  }

  /// A reader and the generation of the file that it was opened for.
  struct Reader {
    let connection: SQLiteConnection
    let generation: Int
  }

  private let monitor: Monitor<State>
  let source: any ConnectionSource
  private let options: EngineOptions
  private let process = ProcessIdentity()

  init(_ source: any ConnectionSource, _ options: EngineOptions) {
    self.source = source
    self.options = options
    monitor = Monitor(State())
  }

  deinit { finish() }

  private final class Box: @unchecked Sendable {
    // Carries a connection into or out of the lock's closures. Whoever puts one in gives it up, and
    // who takes one out removes it from the state: one owner at any time.
    let connection: SQLiteConnection
    init(_ connection: SQLiteConnection) { self.connection = connection }
  }

  /// Takes a reader, waiting for one at most the busy timeout.
  func takeReader() throws(StoreError) -> Reader {
    try process.check(source.path)
    let isCurrent = try source.isCurrent()
    let deadline = ContinuousClock.now + options.busyTimeout
    let most = max(1, options.maximumReaders)
    enum Turn { case open(Int), use(Box, Int) }
    // Readers in use are as stale as idle ones: the generation keeps them from coming back.
    if !isCurrent { closeAll(monitor.withLock { $0.renew() }) }
    let turn = try monitor.wait(until: deadline) { state throws(StoreError) -> Turn? in
      guard !state.isClosed else { throw ConnectionPool.closed(source.path) }
      if let connection = state.idle.popLast() {
        state.readersInUse += 1
        return .use(Box(connection), state.generation)
      }
      guard state.readersInUse < most else { return nil }
      state.readersInUse += 1
      return .open(state.generation)
    }
    switch turn {
    case .use(let box, let generation):
      return Reader(connection: box.connection, generation: generation)
    case .open(let generation):
      do {
        return Reader(connection: try source.openReader(), generation: generation)
      } catch {
        let mustFinish = monitor.withLock { state in
          state.readersInUse -= 1
          return state.shouldFinish
        }
        if mustFinish { finish() }
        throw error
      }
    case nil:
      throw StoreError(
        .timedOut, "all readers of the store are in use", path: source.path,
        found: "\(most) readers",
        suggestion: "end transactions sooner or allow more readers")
    }
  }

  /// Gives a reader back; one that failed to end its transaction is closed.
  func put(_ reader: Reader, isUsable: Bool) {
    // Closed before the count falls: whoever comes back last finishes the source.
    let box = Box(reader.connection)
    let isKept = monitor.withLock { state in
      guard isUsable, !state.isClosed, state.generation == reader.generation else { return false }
      state.idle.append(box.connection)
      return true
    }
    if !isKept { box.connection.close() }
    let mustFinish = monitor.withLock { state in
      state.readersInUse -= 1
      return state.shouldFinish
    }
    if mustFinish { finish() }
  }

  /// Takes the writer; the caller holds the writer gate.
  func takeWriter() throws(StoreError) -> SQLiteConnection {
    try process.check(source.path)
    _ = try source.isCurrent()
    let box = try monitor.withLock { state throws(StoreError) -> Box? in
      guard !state.isClosed else { throw ConnectionPool.closed(source.path) }
      state.isWriterInUse = true
      defer { state.writer = nil }
      return state.writer.map(Box.init)
    }
    if let box { return box.connection }
    do {
      return try source.openWriter()
    } catch {
      let mustFinish = monitor.withLock { state in
        state.isWriterInUse = false
        return state.shouldFinish
      }
      if mustFinish { finish() }
      throw error
    }
  }

  /// Gives the writer back.
  func putWriter(_ connection: SQLiteConnection, isUsable: Bool) {
    let box = Box(connection)
    let isKept = monitor.withLock { state in
      guard isUsable, !state.isClosed else { return false }
      state.writer = box.connection
      return true
    }
    if !isKept { box.connection.close() }
    let mustFinish = monitor.withLock { state in
      state.isWriterInUse = false
      return state.shouldFinish
    }
    if mustFinish { finish() }
  }

  /// Closes what is idle; what is in use follows when it is given back.
  func close() {
    closeAll(
      monitor.withLock { state in
        state.isClosed = true
        state.closers += 1
        return state.takeIdle()
      })
  }

  /// Closes connections that the caller took out and counted itself for as a closer.
  ///
  /// Closing reads and writes files, so it happens outside the lock; the source is finished only
  /// when nobody is at it any more.
  private func closeAll(_ boxes: [Box]) {
    for box in boxes { box.connection.close() }
    let mustFinish = monitor.withLock { state in
      state.closers -= 1
      return state.shouldFinish
    }
    if mustFinish { finish() }
  }

  private func finish() {
    let rest = monitor.withLock { state -> [Box]? in
      guard !state.isFinished else { return nil }
      state.isFinished = true
      return state.takeIdle()
    }
    guard let rest else { return }
    for box in rest { box.connection.close() }
    source.finish()
  }

  private static func closed(_ path: String) -> StoreError {
    StoreError(.closed, "the store was closed", path: path, suggestion: "open it again")
  }
}
