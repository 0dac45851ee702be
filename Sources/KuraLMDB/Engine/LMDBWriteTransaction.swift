import CLMDB
import KuraCore

/// The one write transaction of an LMDB file.
///
/// liblmdb's lock belongs to the thread that began: every call must come from it.
final class LMDBWriteTransaction: KeyValueTransaction<EnvironmentSnapshot>, EngineWriteTransaction {
  /// What a savepoint goes back to.
  private struct Savepoint {
    let catalogue: Catalogue?
    let hasChangedCatalogue: Bool
    let newHandles: [String: MDB_dbi]
    let expectedModels: [String: UInt32]
    let notes: ChangeRecorder.Mark?
  }

  private let durability: Durability
  private let thread = currentThread()
  private var savepoints: [Savepoint] = []
  private var writers: [UInt32: ModelWriter] = [:]
  private var lastWriter: ModelWriter?
  private var lastLayout: ModelLayout?
  /// Whether rows of the last layout are rows of all properties in their order.
  private(set) var isLastLayoutWhole = false
  private(set) var hasChangedCatalogue = false
  /// Whether the commit itself found no room in the map.
  private var outgrewMap = false
  /// The numbers of models that are referred to and do not exist yet, or no longer, by name.
  var expectedModels: [String: UInt32] = [:]
  /// Whether references of inserted records are looked up; off while a migration proves them itself.
  var checksReferences = true
  /// Where changes are noted, if anybody wants to know them.
  private(set) var recorder: ChangeRecorder?
  /// The number of the commit, when it used one up.
  private(set) var committedNumber: UInt64?
  /// The database of metadata and catalogue.
  let metadata: WriteTarget

  init(
    _ snapshot: EnvironmentSnapshot, _ catalogue: Catalogue, limits: ExecutionLimits?,
    durability: Durability
  ) throws(StoreError) {
    self.durability = durability
    guard let database = try snapshot.database(LMDBFormat.metadataDatabase) else {
      throw StoreError(.internalError, "a store has no metadata", path: snapshot.environment.path)
    }
    metadata = WriteTarget(database)
    super.init(snapshot, catalogue, path: snapshot.environment.path, limits: limits)
  }

  deinit { end() }

  override var mayChange: Bool { true }

  /// That of the commit before the transaction.
  override var commitNumber: UInt64? { snapshot.number.map { $0 &- 1 } }

  private var environment: LMDBEnvironment { snapshot.environment }

  override func checkOpen() throws(StoreError) {
    try super.checkOpen()
    guard currentThread() == thread else {
      throw StoreError(
        .wrongThread, "a write transaction was used on another thread than its own",
        path: life.path, suggestion: "use it only inside the closure, on the closure's thread")
    }
    _ = unsafe try snapshot.open()
  }

  /// Ends without a commit, whoever ends: roll back and let the next writer in.
  override func end() {
    guard !life.isEnded else { return }
    super.end()
    guard let transaction = unsafe snapshot.close() else { return }
    if currentThread() == thread {
      unsafe environment.abortWriting(transaction)
    } else {
      unsafe environment.abandon(transaction, of: thread)
    }
  }

  /// Whether the transaction failed because it outgrew the memory map, which grows before the next
  /// one begins.
  var isWorthRepeating: Bool {
    outgrewMap || snapshot.failure.map(LMDBErrors.isMapFull) ?? false
  }

  func commit() throws(StoreError) {
    try checkOpen()
    do {
      try environment.checkNotReplaced()
      while !savepoints.isEmpty { try releaseSavepoint() }
      if hasChangedCatalogue { try writeCounters() }
    } catch {
      end()
      throw error
    }
    let handles = snapshot.newHandles
    super.end()
    guard let transaction = unsafe snapshot.close() else { return }
    // A transaction that wrote no page does not use its number up.
    let number = unsafe snapshot.hasWritten ? UInt64(mdb_txn_id(transaction)) : nil
    let result = unsafe environment.commitWriting(transaction)
    guard result == MDB_SUCCESS else { throw commitFailure(result) }
    committedNumber = number
    environment.keepHandles(handles)
    // The name may have gone while the commit was on its way.
    do {
      try environment.checkNotReplaced()
    } catch {
      var error = error
      error.outcome = .unknown
      throw error
    }
  }

  private func commitFailure(_ result: Int32) -> StoreError {
    if result == MDB_MAP_FULL {
      outgrewMap = true
      environment.noteMapFull()
    }
    let error = LMDBErrors.error(result, doing: "commit", life.path)
    guard error.code == .ioError else { return error }
    // The page that makes a commit current is written last; whether it arrived is not known.
    return StoreError(
      .commitOutcomeUnknown, "the commit failed and may be durable nevertheless",
      path: life.path, suggestion: "open the store again and look", outcome: .unknown,
      engineCode: result)
  }

  // MARK: Savepoints

  func beginSavepoint() throws(StoreError) {
    try checkOpen()
    try snapshot.beginNested()
    savepoints.append(
      Savepoint(
        catalogue: catalogue, hasChangedCatalogue: hasChangedCatalogue,
        newHandles: snapshot.newHandles, expectedModels: expectedModels, notes: recorder?.mark()))
  }

  func releaseSavepoint() throws(StoreError) {
    try checkOpen()
    try checkSavepoint()
    savepoints.removeLast()
    try snapshot.commitNested()
  }

  func rollBackToSavepoint() throws(StoreError) {
    try super.checkOpen()
    try checkSavepoint()
    let savepoint = savepoints.removeLast()
    try snapshot.abortNested()
    if let notes = savepoint.notes { recorder?.rollBack(to: notes) }
    snapshot.newHandles = savepoint.newHandles
    hasChangedCatalogue = savepoint.hasChangedCatalogue
    expectedModels = savepoint.expectedModels
    if let catalogue = savepoint.catalogue { replaceCatalogue(catalogue) }
  }

  private func checkSavepoint() throws(StoreError) {
    guard !savepoints.isEmpty else {
      throw StoreError(
        .transactionFailed, "the transaction has no savepoint", path: life.path)
    }
  }

  /// Runs a call that changes several records: all of it, or nothing.
  func atomically<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try beginSavepoint()
    let result: R
    do {
      result = try body()
    } catch {
      // The first error is the one that helps; a transaction that cannot go on says so later.
      try? rollBackToSavepoint()
      throw error
    }
    try releaseSavepoint()
    return result
  }

  // MARK: Models

  /// What is kept ready for writing a layout's model.
  @inline(__always)
  func writer(_ layout: ModelLayout) throws(StoreError) -> ModelWriter {
    if let lastWriter, lastLayout === layout { return lastWriter }
    return try findWriter(layout)
  }

  private func findWriter(_ layout: ModelLayout) throws(StoreError) -> ModelWriter {
    let binding = try source(layout).binding
    let writer = try writer(binding.model.id)
    lastWriter = writer
    lastLayout = layout
    isLastLayoutWhole = binding.isWhole
    return writer
  }

  func writer(_ model: UInt32) throws(StoreError) -> ModelWriter {
    if let writer = writers[model] { return writer }
    guard let catalogue, let entry = catalogue.models[model] else {
      throw StoreError(.internalError, "a model is not in the catalogue", path: life.path)
    }
    let writer = try located { () throws(StoreError) in
      try ModelWriter(entry, catalogue, snapshot)
    }
    writer.note(in: recorder)
    writers[model] = writer
    return writer
  }

  func recordChanges(in recorder: ChangeRecorder) {
    self.recorder = recorder
    for writer in writers.values { writer.note(in: recorder) }
  }

  private func replaceCatalogue(_ changed: Catalogue) {
    setCatalogue(changed)
    writers.removeAll()
    lastWriter = nil
    lastLayout = nil
  }

  // MARK: Metadata and catalogue

  func setMetadata(_ name: String, _ value: StoredValue) throws(StoreError) {
    try checkOpen()
    let key = LMDBFormat.MetadataKey.value(name)
    guard !value.isNull else {
      try remove(key)
      return
    }
    guard let bytes = MetadataValue.bytes(value) else {
      throw StoreError(.notStorable, "the metadata value cannot be stored", path: life.path)
    }
    try put(key, bytes)
  }

  func setSchema(_ schema: Schema) throws(StoreError) {
    try checkOpen()
    let json = Array(schema.canonicalJSON.utf8)
    try put(LMDBFormat.MetadataKey.schema, json)
    try put(LMDBFormat.MetadataKey.schema(version: schema.version), json)
  }

  /// Writes an entry of the metadata.
  func put(_ key: [UInt8], _ value: [UInt8]) throws(StoreError) {
    let keyBytes = OrderedKey(key)
    let valueBytes = OrderedKey(value)
    _ = unsafe try snapshot.put(keyBytes.bytes, valueBytes.bytes, into: metadata, isNew: false)
  }

  /// Removes an entry of the metadata.
  func remove(_ key: [UInt8]) throws(StoreError) {
    let keyBytes = OrderedKey(key)
    _ = unsafe try snapshot.delete(keyBytes.bytes, from: metadata)
  }

  /// Takes over a changed catalogue whose changed entries are written.
  func change(
    _ counters: Catalogue.Counters, _ models: [UInt32: CatalogueModel]
  ) {
    hasChangedCatalogue = true
    replaceCatalogue(Catalogue(counters, models))
  }

  private func writeCounters() throws(StoreError) {
    guard let catalogue else { return }
    var counters = catalogue.counters
    counters.change += 1
    try put(LMDBFormat.MetadataKey.next, CatalogueJSON.encode(counters))
  }

  /// Notes in the catalogue that a database has a cut key, so that its order is no longer trusted.
  func noteCut(_ database: String, of model: UInt32) throws(StoreError) {
    guard let catalogue, var entry = catalogue.models[model], !entry.cut.contains(database) else {
      return
    }
    entry.cut.insert(database)
    try put(LMDBFormat.MetadataKey.model(model), entry.json)
    var models = catalogue.models
    models[model] = entry
    hasChangedCatalogue = true
    // What is kept ready for writing stays right: only the order of walks is another one.
    setCatalogue(Catalogue(catalogue.counters, models))
  }
}

extension OrderedKey {
  /// A buffer with bytes as they are.
  convenience init(_ bytes: [UInt8]) {
    self.init()
    unsafe bytes.withUnsafeBytes { unsafe append($0) }
  }
}
