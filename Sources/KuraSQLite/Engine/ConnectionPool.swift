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
    var isClosed = false
    var isFinished = false
    var generation = 0

    var shouldFinish: Bool { isClosed && !isFinished && readersInUse == 0 && !isWriterInUse }
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

  /// Puts a first connection in, which the engine opened to see whether the file can be used.
  func adopt(writer: sending SQLiteConnection) {
    let box = Box(writer)
    monitor.withLock { $0.writer = box.connection }
  }

  /// Puts a reader in.
  func adopt(reader: sending SQLiteConnection) {
    let box = Box(reader)
    monitor.withLock { $0.idle.append(box.connection) }
  }

  private final class Box: @unchecked Sendable {
    // Carries a connection through a closure; `sending` proves that nobody else has it.
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
    let turn = try monitor.wait(until: deadline) { state throws(StoreError) -> Turn? in
      guard !state.isClosed else { throw ConnectionPool.closed(source.path) }
      if !isCurrent, !state.idle.isEmpty {
        state.generation += 1
        state.idle.removeAll()
      }
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
        monitor.withLock { $0.readersInUse -= 1 }
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
    let box = Box(reader.connection)
    let mustFinish = monitor.withLock { state in
      state.readersInUse -= 1
      if isUsable, !state.isClosed, state.generation == reader.generation {
        state.idle.append(box.connection)
      } else {
        box.connection.close()
      }
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
      monitor.withLock { $0.isWriterInUse = false }
      throw error
    }
  }

  /// Gives the writer back.
  func putWriter(_ connection: SQLiteConnection, isUsable: Bool) {
    let box = Box(connection)
    let mustFinish = monitor.withLock { state in
      state.isWriterInUse = false
      if isUsable, !state.isClosed {
        state.writer = box.connection
      } else {
        box.connection.close()
      }
      return state.shouldFinish
    }
    if mustFinish { finish() }
  }

  /// Closes what is idle; what is in use follows when it is given back.
  func close() {
    let mustFinish = monitor.withLock { state in
      state.isClosed = true
      state.idle.forEach { $0.close() }
      state.idle.removeAll()
      if state.readersInUse == 0 {
        // Last, so that its close truncates the log.
        state.writer?.close()
        state.writer = nil
      }
      return state.shouldFinish
    }
    if mustFinish { finish() }
  }

  private func finish() {
    let isFirst = monitor.withLock { state in
      defer { state.isFinished = true }
      guard !state.isFinished else { return false }
      state.idle.forEach { $0.close() }
      state.idle.removeAll()
      state.writer?.close()
      state.writer = nil
      return true
    }
    if isFirst { source.finish() }
  }

  private static func closed(_ path: String) -> StoreError {
    StoreError(.closed, "the store was closed", path: path, suggestion: "open it again")
  }
}
