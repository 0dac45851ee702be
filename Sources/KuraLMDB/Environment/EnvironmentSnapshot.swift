import CLMDB
import KuraCore

/// One transaction of liblmdb as a snapshot: of the newest commit, or of the one write.
///
/// A snapshot belongs to one thread at a time; that of a write to the thread that began it.
@safe
final class EnvironmentSnapshot: KeyValueSnapshot {
  typealias Database = MDB_dbi

  let lease: EnvironmentLease
  /// The transaction, or the innermost of the nested ones; `nil` after the end.
  private(set) var transaction: OpaquePointer?
  /// Whether this is the write transaction.
  let isWriter: Bool
  /// Moves with everything that may move the bytes of entries: changes and nested transactions.
  private(set) var generation: UInt64 = 0
  /// The first failure of a write, after which liblmdb refuses everything.
  private(set) var failure: StoreError? { didSet { hasFailed = failure != nil } }
  /// Whether there is a ``failure``: every call asks, and to look into the error copies it.
  private(set) var hasFailed = false
  /// The handles of databases that this transaction made.
  var newHandles: [String: MDB_dbi] = [:]
  /// Whether something was written that was not undone, so that a commit uses the number up.
  var hasWritten = false
  private let handles: [String: MDB_dbi]
  private var outer: [OpaquePointer] = unsafe []
  /// ``hasWritten`` when each of the nested transactions began.
  private var outerWrites: [Bool] = []
  /// The cursors of ``WriteTarget``s, valid in one epoch.
  var writeCursors: [OpaquePointer] = unsafe []
  private(set) var epoch: UInt64 = 1
  private var cursors: [ObjectIdentifier: Weak] = [:]
  /// In a reader that searches often, the trees of databases by their handles.
  private var trees: [TreeLookup?] = []
  /// The databases whose trees were looked for.
  private var knownTrees: Set<MDB_dbi> = []
  /// The searches by liblmdb before trees are looked for.
  private var untilTrees = 8

  private struct Weak {
    weak var cursor: EnvironmentCursor?
  }

  /// - Parameter handles: The handles that were open when the transaction began: liblmdb refuses those
  ///   that were opened later.
  init(
    _ lease: EnvironmentLease, _ transaction: OpaquePointer, isWriter: Bool,
    handles: [String: MDB_dbi]
  ) {
    self.lease = lease
    unsafe self.transaction = unsafe transaction
    self.isWriter = isWriter
    self.handles = handles
  }

  var environment: LMDBEnvironment { lease.environment }

  // MARK: Reading

  func database(_ name: String) throws(StoreError) -> MDB_dbi? { newHandles[name] ?? handles[name] }

  func count(_ database: MDB_dbi) throws(StoreError) -> Int64 {
    var facts = MDB_stat()
    let result = unsafe mdb_stat(try open(), database, &facts)
    guard result == MDB_SUCCESS else { throw fail(result, doing: "count entries") }
    return Int64(clamping: facts.ms_entries)
  }

  func cursor(_ database: MDB_dbi) throws(StoreError) -> EnvironmentCursor {
    let cursor = EnvironmentCursor(self, database)
    try cursor.reopen()
    cursors[ObjectIdentifier(cursor)] = Weak(cursor: cursor)
    return cursor
  }

  @inline(__always)
  func value(_ key: UnsafeRawBufferPointer, in database: MDB_dbi) throws(StoreError)
    -> UnsafeRawBufferPointer?
  {
    if Int(database) < trees.count, let tree = trees[Int(database)], unsafe transaction != nil {
      switch unsafe tree.find(key) {
      case .found(let value): return unsafe value
      case .missing: return nil
      case .unknown: break
      }
    }
    return unsafe try valueByLibrary(key, database)
  }

  private func valueByLibrary(_ key: UnsafeRawBufferPointer, _ database: MDB_dbi)
    throws(StoreError) -> UnsafeRawBufferPointer?
  {
    var keyValue = unsafe MDB_val(key)
    var found = unsafe MDB_val()
    let transaction = unsafe try open()
    if !isWriter { unsafe prepareTree(database, transaction) }
    let result = unsafe mdb_get(transaction, database, &keyValue, &found)
    if result == MDB_SUCCESS { return unsafe found.bytes }
    guard result == MDB_NOTFOUND else { throw fail(result, doing: "read an entry") }
    return nil
  }

  /// Makes the tree of a database ready when there are many searches.
  private func prepareTree(_ database: MDB_dbi, _ transaction: OpaquePointer) {
    guard untilTrees <= 0 else {
      untilTrees -= 1
      return
    }
    guard knownTrees.insert(database).inserted,
      let name = handles.first(where: { $0.value == database })?.key
    else { return }
    let tree = unsafe Array(name.utf8).withUnsafeBytes { name in
      var key = unsafe MDB_val(name)
      var record = unsafe MDB_val()
      // liblmdb's number of the main database (MAIN_DBI), which every transaction has open.
      guard unsafe mdb_get(transaction, 1, &key, &record) == MDB_SUCCESS else {
        return nil as TreeLookup?
      }
      return unsafe TreeLookup(
        record.bytes, pageSize: environment.leafPageSize, in: environment.handle)
    }
    guard let tree else { return }
    let missing = Int(database) - trees.count + 1
    if missing > 0 { trees += repeatElement(nil, count: missing) }
    trees[Int(database)] = tree
  }

  /// The transaction.
  ///
  /// - Throws: ``StoreError/Code/transactionEnded``, ``StoreError/Code/transactionFailed``.
  @inline(__always)
  func open() throws(StoreError) -> OpaquePointer {
    guard let transaction = unsafe transaction, !hasFailed else { throw closed }
    return unsafe transaction
  }

  private var closed: StoreError {
    if unsafe transaction != nil, let failure {
      var error = StoreError(
        .transactionFailed, "the transaction failed before and can only be rolled back",
        path: environment.path, suggestion: "end it and begin another one")
      error.engineCode = failure.engineCode
      return error
    }
    return StoreError(
      .transactionEnded, "the transaction has ended", path: environment.path,
      suggestion: "use transaction and cursors only inside the closure")
  }

  /// The error of a result; a write transaction is dead after it.
  func fail(_ code: Int32, doing action: String) -> StoreError {
    let error = LMDBErrors.error(code, doing: action, environment.path)
    if isWriter {
      if failure == nil { failure = error }
      if code == MDB_MAP_FULL { environment.noteMapFull() }
    }
    return error
  }

  // MARK: Writing

  /// Notes that bytes of entries may have moved.
  @inline(__always)
  func noteChange() { generation &+= 1 }

  /// Begins a transaction inside the transaction.
  func beginNested() throws(StoreError) {
    let parent = unsafe try open()
    closeCursors()
    var nested: OpaquePointer?
    let result = unsafe mdb_txn_begin(environment.handle, parent, 0, &nested)
    guard result == MDB_SUCCESS, let nested = unsafe nested else {
      throw fail(result, doing: "begin a savepoint")
    }
    unsafe outer.append(parent)
    outerWrites.append(hasWritten)
    unsafe transaction = unsafe nested
    noteChange()
  }

  /// Ends the innermost nested transaction and keeps its changes.
  func commitNested() throws(StoreError) {
    let nested = unsafe try open()
    guard let parent = unsafe outer.popLast() else { return }
    outerWrites.removeLast()
    closeCursors()
    unsafe transaction = unsafe parent
    noteChange()
    let result = unsafe mdb_txn_commit(nested)
    guard result == MDB_SUCCESS else { throw fail(result, doing: "end a savepoint") }
  }

  /// Undoes the innermost nested transaction; a failure inside it goes with it.
  func abortNested() throws(StoreError) {
    guard let nested = unsafe transaction else { throw closed }
    guard let parent = unsafe outer.popLast() else { return }
    hasWritten = outerWrites.popLast() ?? false
    closeCursors()
    unsafe mdb_txn_abort(nested)
    unsafe transaction = unsafe parent
    noteChange()
    // liblmdb marks the outer ones only when the map is full or the disk failed.
    guard let failed = failure else { return }
    guard failed.engineCode != MDB_MAP_FULL else { throw closed }
    failure = nil
  }

  /// The number of the commit that a reader sees, or that a writer would make; `nil` after the end.
  var number: UInt64? { unsafe transaction.map { unsafe UInt64(mdb_txn_id($0)) } }

  /// The number of nested transactions.
  var depth: Int { unsafe outer.count }

  // MARK: The end

  /// Gives the outermost transaction to the one who ends it; everything throws from now on.
  func close() -> OpaquePointer? {
    guard let innermost = unsafe transaction else { return nil }
    closeCursors()
    unsafe transaction = nil
    // Ending the outermost one ends the nested ones first.
    defer { unsafe outer.removeAll() }
    return unsafe outer.first ?? innermost
  }

  func remove(_ cursor: EnvironmentCursor) { cursors[ObjectIdentifier(cursor)] = nil }

  /// Closes what is open in the innermost transaction; cursors that are used again open again.
  func closeCursors() {
    for weak in cursors.values { weak.cursor?.release() }
    while let cursor = unsafe writeCursors.popLast() { unsafe mdb_cursor_close(cursor) }
    epoch &+= 1
  }
}
