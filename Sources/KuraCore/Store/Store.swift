/// One open database with its schema: the way to read and write records.
///
/// A store may be used from any thread and task. Reading sees one snapshot for the whole closure;
/// writing is one at a time, takes effect as a whole when the closure returns, and not at all when
/// it throws.
///
/// ```swift
/// try await store.write { transaction in
///   try transaction.insert("Dog", ["name": "Rex", "age": 3])
/// }
/// let names = try await store.read { transaction in
///   try transaction.records(Query("Dog")).map { try $0.value("name", as: String.self) }
/// }
/// ```
///
/// Each call exists twice: the asynchronous form runs the closure on a thread of the store, so that
/// no thread of Swift's cooperative pool waits; the synchronous form runs it on the caller's thread.
public final class Store: Sendable {
  /// How the store was opened.
  public let configuration: StoreConfiguration
  /// The schema in use: the configuration's, or the file's own when the store was opened read-only
  /// because they differ.
  public let schema: Schema
  /// Whether the store is open for reading only.
  public let isReadOnly: Bool

  let engine: any StorageEngine
  let layouts: [String: ModelLayout]
  /// The models as queries need them.
  let catalogue: ModelCatalogue
  /// The models whose records take those of owning lists with them.
  let ownership: Set<String>
  let lifetime: StoreLifetime
  let hub = CommitHub()
  let watcher = Watcher()
  let writerThread = WorkerThreads(maximum: 1)
  let readerThreads: WorkerThreads

  /// Whether the engine closes with the store; a migration's steps see a store of their own over an
  /// engine that stays open.
  private let ownsEngine: Bool

  init(
    _ engine: any StorageEngine, _ configuration: StoreConfiguration, schema: Schema,
    isReadOnly: Bool, ownsEngine: Bool = true
  ) {
    self.engine = engine
    self.ownsEngine = ownsEngine
    self.configuration = configuration
    self.schema = schema
    self.isReadOnly = isReadOnly
    layouts = Dictionary(
      schema.models.map { ($0.name, ModelLayout($0)) }, uniquingKeysWith: { first, _ in first })
    catalogue = ModelCatalogue(schema, layouts)
    ownership = schema.ownership
    lifetime = StoreLifetime(path: configuration.location.path)
    readerThreads = WorkerThreads(maximum: configuration.maximumReaders)
  }

  deinit {
    // Nobody can see an error any more, and a closed engine takes no harm.
    if ownsEngine { try? engine.close() }
  }

  /// What the user should know about how the file was opened.
  public var notices: [String] { engine.notices }

  /// The format of the store's file.
  public var format: StoreFormat { engine.format }

  /// What the backend can do beyond the contract that all backends keep.
  public var capabilities: Capabilities { engine.capabilities }

  // MARK: Transactions

  /// Reads one snapshot on the calling thread.
  ///
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; ``StoreError/Code/timedOut``, ``StoreError/Code/locked``,
  ///   ``StoreError/Code/closed``, ``StoreError/Code/replaced``,
  ///   ``StoreError/Code/usedAfterFork``.
  @discardableResult
  public func read<R>(_ body: (ReadTransaction) throws -> R) throws -> R {
    try lifetime.enter()
    defer { lifetime.leave() }
    let transaction = ReadTransaction(try engine.beginRead(), self)
    defer { transaction.engineTransaction.end() }
    return try body(transaction)
  }

  /// Writes on the calling thread: all that the body does, or nothing when it throws.
  ///
  /// The body may run again from its beginning when the backend had to make room for what it wrote;
  /// what it did before was undone.
  ///
  /// - Parameter timeout: How long to wait for other writers; `nil` is the configuration's busy
  ///   timeout.
  /// - Returns: What the body returns, after the commit.
  /// - Throws: What the body throws; ``StoreError/Code/nestedWrite`` inside a write of the same
  ///   store, ``StoreError/Code/timedOut``, ``StoreError/Code/locked``,
  ///   ``StoreError/Code/readOnly``, ``StoreError/Code/closed``, ``StoreError/Code/diskFull``,
  ///   ``StoreError/Code/commitOutcomeUnknown``.
  @discardableResult
  public func write<R>(
    timeout: Duration? = nil, _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    try write(timeout: timeout, skipping: [], body)
  }

  /// Writes without telling some observers of what is written.
  func write<R>(
    timeout: Duration?, skipping: Set<CommitHub.ID>, _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    try lifetime.enter()
    defer { lifetime.leave() }
    guard !isReadOnly else {
      throw StoreError(
        .readOnly, "the store is open for reading only", path: configuration.location.path,
        suggestion: "open it for writing")
    }
    while true {
      let engineTransaction = try engine.beginWrite(timeout: timeout)
      // A second end does nothing; after an error it rolls back.
      defer { engineTransaction.end() }
      do {
        return try write(engineTransaction, skipping, body)
      } catch {
        engineTransaction.end()
        guard engineTransaction.isWorthRepeating else { throw error }
      }
    }
  }

  private func write<R>(
    _ engineTransaction: any EngineWriteTransaction, _ skipping: Set<CommitHub.ID>,
    _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    let recorder = hub.recorder()
    if let recorder { engineTransaction.recordChanges(in: recorder) }
    let transaction = WriteTransaction(engineTransaction, self)
    let result = try body(transaction)
    guard !transaction.isBroken else {
      throw StoreError(
        .transactionFailed, "a savepoint could not be rolled back, so nothing was written",
        path: configuration.location.path)
    }
    try commit(engineTransaction, recorder, skipping)
    return result
  }

  private func commit(
    _ transaction: any EngineWriteTransaction, _ recorder: ChangeRecorder?,
    _ skipping: Set<CommitHub.ID>
  ) throws(StoreError) {
    guard let recorder else {
      try transaction.commit()
      // Somebody may have begun to observe in the meantime.
      if hub.isObserved { hub.wakeAll() }
      return
    }
    let changes = recorder.changeSet()
    hub.beginCommit()
    do {
      try transaction.commit()
    } catch {
      hub.failCommit()
      throw error
    }
    hub.endCommit(
      transaction.committedNumber, changes, noted: recorder.wanted, skipping: skipping)
  }

  /// A value that differs whenever anybody, in any process, committed in between; cheap.
  ///
  /// - Throws: ``StoreError/Code/closed`` and what reading throws.
  public func commitMarker() throws(StoreError) -> CommitMarker {
    try lifetime.enter()
    defer { lifetime.leave() }
    return try engine.commitMarker()
  }

  /// Closes the store when its running transactions have ended; more calls do nothing.
  ///
  /// Transactions that have not begun throw ``StoreError/Code/closed``.
  ///
  /// - Parameter timeout: How long to wait for running transactions; `nil` is the configuration's
  ///   busy timeout.
  /// - Throws: ``StoreError/Code/timedOut`` when a transaction runs on; the store then stays open.
  ///   ``StoreError/Code/locked`` at once inside a transaction of this store.
  public func close(timeout: Duration? = nil) throws(StoreError) {
    guard try lifetime.close(within: timeout ?? configuration.busyTimeout) else { return }
    writerThread.close()
    readerThreads.close()
    hub.wakeAll()
    try engine.close()
  }

  /// The layout of a model of the schema.
  ///
  /// - Throws: ``StoreError/Code/unknownModel`` with the nearest name.
  func layout(of model: String) throws(StoreError) -> ModelLayout {
    if let layout = layouts[model] { return layout }
    let hint = closestMatch(model, in: layouts.keys.sorted())
    throw StoreError(
      .unknownModel, "there is no model \"\(model.prefix(80))\"",
      path: configuration.location.path, suggestion: hint.map { "did you mean \"\($0)\"?" })
  }
}
