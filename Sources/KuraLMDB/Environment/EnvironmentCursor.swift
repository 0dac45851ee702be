import CLMDB
import KuraCore

/// A walk over a named database with liblmdb.
///
/// In a write transaction entries may change under the walk. The cursor then remembers the key
/// where it stands and finds its place again by it, so that it meets no entry twice, whatever was
/// written or deleted meanwhile.
@safe
final class EnvironmentCursor: KeyValueCursor {
  private let snapshot: EnvironmentSnapshot
  private let database: MDB_dbi
  // liblmdb's calls call nothing back, so exclusive access need not be checked for each of them.
  @exclusivity(unchecked) private var handle: OpaquePointer?
  /// Where liblmdb says which entry it found: memory of its own, so that no access of a member needs
  /// to be guarded while C writes to it.
  private let found: UnsafeMutablePointer<(key: MDB_val, value: MDB_val)>
  private var lastResult: Int32 = MDB_SUCCESS
  /// In a reader, the entries behind the one that was found; liblmdb's cursor then stands before them.
  @exclusivity(unchecked) private var leaf: LeafEntries?
  /// Whether entries of the leaf were found that liblmdb's cursor does not know of.
  private var isAhead = false
  /// The key at which liblmdb's cursor caught up last, in a walk forward.
  private var caughtUp = unsafe MDB_val()
  /// In a write transaction, the state in which the cursor was placed and the key it stands at.
  private var generation: UInt64 = 0
  private let place: OrderedKey?

  init(_ snapshot: EnvironmentSnapshot, _ database: MDB_dbi) {
    self.snapshot = snapshot
    self.database = database
    place = snapshot.isWriter ? OrderedKey() : nil
    unsafe found = .allocate(capacity: 1)
    unsafe found.initialize(to: (MDB_val(), MDB_val()))
  }

  deinit {
    close()
    unsafe found.deallocate()
  }

  /// The key; in a write transaction a copy, which later changes leave alone.
  @inline(__always)
  var key: UnsafeRawBufferPointer {
    if let place { return unsafe place.bytes }
    return unsafe found.pointee.key.bytes
  }

  @inline(__always)
  var value: UnsafeRawBufferPointer { unsafe found.pointee.value.bytes }

  /// Opens liblmdb's cursor in the transaction as it is now.
  func reopen() throws(StoreError) {
    release()
    let result = unsafe mdb_cursor_open(try snapshot.open(), database, &handle)
    guard result == MDB_SUCCESS else { throw snapshot.fail(result, doing: "begin a walk") }
    generation = snapshot.generation
  }

  @inline(__always)
  func first() throws(StoreError) -> Bool { try move(MDB_FIRST) }

  @inline(__always)
  func last() throws(StoreError) -> Bool { try move(MDB_LAST) }

  @inline(__always)
  func seek(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
    // liblmdb takes no key without bytes.
    guard key.count > 0 else { return try first() }
    unsafe found.pointee.key = unsafe MDB_val(key)
    return try move(MDB_SET_RANGE)
  }

  @inline(__always)
  func next() throws(StoreError) -> Bool {
    if place != nil { return try nextOfWriter() }
    if advance() { return true }
    return try result()
  }

  @inline(__always)
  func previous() throws(StoreError) -> Bool {
    if place != nil { return try previousOfWriter() }
    let result = catchUp()
    guard result == MDB_SUCCESS else { throw snapshot.fail(result, doing: "read an entry") }
    unsafe caughtUp = unsafe MDB_val()
    return try get(MDB_PREV)
  }

  func close() {
    release()
    snapshot.remove(self)
  }

  // MARK: Walks of readers

  /// Moves to the next entry of a walk that began, in a snapshot that does not change.
  ///
  /// - Returns: Whether there is one; ``result()`` tells why there is none.
  @inline(__always)
  func advance() -> Bool {
    if unsafe leaf?.read(into: found) == true {
      isAhead = true
      return true
    }
    return advanceToLeaf()
  }

  /// Moves to the next entry by liblmdb, which finds the next page.
  private func advanceToLeaf() -> Bool {
    guard let handle = unsafe handle else { return false }
    lastResult = catchUp()
    guard lastResult == MDB_SUCCESS else { return false }
    lastResult = unsafe mdb_cursor_get(
      handle, &found.pointee.key, &found.pointee.value, MDB_NEXT)
    guard lastResult == MDB_SUCCESS else { return false }
    unsafe leaf = unsafe LeafEntries(
      after: found.pointee.key, pageSize: snapshot.environment.leafPageSize)
    return true
  }

  /// Moves liblmdb's cursor to the entry that was found without it.
  ///
  /// The key is on the page where the cursor stands: liblmdb finds it there, unless the page's keys are
  /// out of order. A walk over such a page could go in circles: the keys must rise.
  private func catchUp() -> Int32 {
    unsafe leaf = nil
    guard isAhead, let handle = unsafe handle else { return MDB_SUCCESS }
    isAhead = false
    let key = unsafe found.pointee.key.mv_data
    let result = unsafe mdb_cursor_get(
      handle, &found.pointee.key, &found.pointee.value, MDB_SET_KEY)
    guard unsafe result == MDB_SUCCESS && found.pointee.key.mv_data == key,
      unsafe caughtUp.mv_data == nil
        || ByteOrder.compare(found.pointee.key.bytes, caughtUp.bytes) > 0
    else { return MDB_CORRUPTED }
    unsafe caughtUp = unsafe found.pointee.key
    return MDB_SUCCESS
  }

  /// What the last ``advance()`` says: the end, or an error.
  func result() throws(StoreError) -> Bool {
    guard unsafe handle != nil else { throw ended }
    guard lastResult == MDB_NOTFOUND else {
      throw snapshot.fail(lastResult, doing: "read an entry")
    }
    return false
  }

  /// The entry of ``advance()``.
  @inline(__always)
  var foundKey: UnsafeRawBufferPointer { unsafe found.pointee.key.bytes }
  @inline(__always)
  var foundValue: UnsafeRawBufferPointer { unsafe found.pointee.value.bytes }

  /// Closes liblmdb's cursor; the next move opens another one.
  func release() {
    unsafe leaf = nil
    isAhead = false
    unsafe caughtUp = unsafe MDB_val()
    guard let open = unsafe handle else { return }
    unsafe handle = nil
    unsafe mdb_cursor_close(open)
  }

  // MARK: Moves

  @inline(__always)
  private func move(_ operation: MDB_cursor_op) throws(StoreError) -> Bool {
    guard let place else {
      unsafe leaf = nil
      isAhead = false
      unsafe caughtUp = unsafe MDB_val()
      return try get(operation)
    }
    if unsafe handle == nil || generation != snapshot.generation { try reopen() }
    return try remembering(place, get(operation))
  }

  @inline(__always)
  private func get(_ operation: MDB_cursor_op) throws(StoreError) -> Bool {
    guard let handle = unsafe handle else { throw ended }
    let result = unsafe mdb_cursor_get(
      handle, &found.pointee.key, &found.pointee.value, operation)
    if result == MDB_SUCCESS { return true }
    guard result == MDB_NOTFOUND else { throw snapshot.fail(result, doing: "read an entry") }
    return false
  }

  /// What a cursor without a handle says: the transaction has ended, or a nested one has.
  private var ended: StoreError {
    do {
      _ = unsafe try snapshot.open()
      return StoreError(
        .internalError, "a walk was used after its end", path: snapshot.environment.path)
    } catch {
      return error
    }
  }

  private func remembering(_ place: OrderedKey, _ isFound: Bool) -> Bool {
    guard isFound else { return false }
    place.truncate()
    unsafe place.append(found.pointee.key.bytes)
    generation = snapshot.generation
    return true
  }

  private func nextOfWriter() throws(StoreError) -> Bool {
    guard let place else { return false }
    if unsafe handle != nil, generation == snapshot.generation {
      return try remembering(place, get(MDB_NEXT))
    }
    try reopen()
    unsafe found.pointee.key = unsafe MDB_val(place.bytes)
    guard try get(MDB_SET_RANGE) else { return false }
    if unsafe found.pointee.key.bytes.elementsEqual(place.bytes) {
      return try remembering(place, get(MDB_NEXT))
    }
    return remembering(place, true)
  }

  private func previousOfWriter() throws(StoreError) -> Bool {
    guard let place else { return false }
    if unsafe handle != nil, generation == snapshot.generation {
      return try remembering(place, get(MDB_PREV))
    }
    try reopen()
    unsafe found.pointee.key = unsafe MDB_val(place.bytes)
    // The first entry at or after the place; what precedes it precedes the place.
    guard try get(MDB_SET_RANGE) else { return try remembering(place, get(MDB_LAST)) }
    return try remembering(place, get(MDB_PREV))
  }
}
