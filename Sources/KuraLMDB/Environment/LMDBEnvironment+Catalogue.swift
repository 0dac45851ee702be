import CLMDB
import KuraCore

extension LMDBEnvironment {
  /// Whether a snapshot's catalogue is known and its databases have handles.
  enum CatalogueState {
    /// The catalogue; `nil` when Kura did not make the file.
    case ready(Catalogue?)
    /// These databases must be opened first, and the snapshot taken anew.
    case lacksHandles([String])
  }

  /// Finds the catalogue of a snapshot: the one in memory when nothing changed.
  func catalogue(of snapshot: EnvironmentSnapshot) throws(StoreError) -> CatalogueState {
    guard let reader = try CatalogueReader(snapshot) else {
      // Another transaction may have found the metadata since this one began.
      let isKnown = monitor.withLock {
        $0.hasLookedForMetadata && $0.handles[LMDBFormat.metadataDatabase] == nil
      }
      return isKnown ? .ready(nil) : .lacksHandles([LMDBFormat.metadataDatabase])
    }
    guard let bytes = unsafe try reader.counterBytes() else {
      throw StoreError(
        .damaged, "the store's catalogue is missing", path: path, suggestion: "restore a backup")
    }
    if let cached = monitor.withLock({ $0.catalogue }), unsafe bytes.elementsEqual(cached.bytes) {
      return .ready(cached.catalogue)
    }
    let copy = unsafe Array(bytes)
    let catalogue = try reader.catalogue()
    var missing: [String] = []
    for name in catalogue.databases where try snapshot.database(name) == nil {
      missing.append(name)
    }
    guard missing.isEmpty else { return .lacksHandles(missing) }
    remember(CachedCatalogue(bytes: copy, catalogue: catalogue))
    return .ready(catalogue)
  }

  /// Keeps a catalogue for later snapshots, unless a newer one is known.
  func remember(_ catalogue: CachedCatalogue) {
    monitor.withLock { state in
      let known = state.catalogue?.catalogue.counters.change ?? 0
      if catalogue.catalogue.counters.change >= known { state.catalogue = catalogue }
    }
  }

  /// Opens databases for the whole process.
  ///
  /// liblmdb lets one transaction at a time open handles (lmdb.h, `mdb_dbi_open`), and they are known
  /// to those that begin later.
  func openHandles(_ names: [String], until deadline: ContinuousClock.Instant) throws(StoreError) {
    try handleGate.enter(until: deadline, path: path)
    defer { handleGate.leave() }
    let transaction = unsafe try beginReading(until: deadline)
    var opened: [String: MDB_dbi] = [:]
    var failure: StoreError?
    for name in names where failure == nil {
      var handle: MDB_dbi = 0
      var flags: UInt32 = 0
      var result = unsafe mdb_dbi_open(transaction, name, 0, &handle)
      if result == MDB_NOTFOUND { continue }
      if result == MDB_SUCCESS { result = unsafe mdb_dbi_flags(transaction, handle, &flags) }
      if result != MDB_SUCCESS {
        failure = LMDBErrors.error(result, doing: "open a database", path)
      } else if flags != 0 {
        failure = StoreError(
          .damaged, "the database \"\(name)\" is not ordered as Kura's are", path: path,
          suggestion: "check the file, or restore a backup")
      } else {
        opened[name] = handle
      }
    }
    // Only a commit keeps the handles.
    let result = unsafe mdb_txn_commit(transaction)
    monitor.withLock { state in
      state.live -= 1
      guard result == MDB_SUCCESS else { return }
      state.handles.merge(opened) { _, new in new }
      if names.contains(LMDBFormat.metadataDatabase) { state.hasLookedForMetadata = true }
    }
    if let failure { throw failure }
    guard result == MDB_SUCCESS else {
      throw LMDBErrors.error(result, doing: "open a database", path)
    }
  }

  /// Takes over the handles of a committed transaction.
  func keepHandles(_ handles: [String: MDB_dbi]) {
    guard !handles.isEmpty else { return }
    monitor.withLock { $0.handles.merge(handles) { _, new in new } }
  }
}
