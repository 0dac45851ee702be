import CLMDB
import KuraCore

extension LMDBEnvironment {
  /// Begins a read transaction of the newest commit.
  ///
  /// - Throws: ``StoreError/Code/limitReached`` when all slots of the file are in use,
  ///   ``StoreError/Code/locked`` when the map must grow and others use it.
  func beginReading(until deadline: ContinuousClock.Instant) throws(StoreError) -> OpaquePointer {
    try process.check(path ?? "")
    try checkNotReplaced()
    var hasCheckedReaders = false
    while true {
      let idle = try monitor.withLock { state throws(StoreError) -> Idle in
        if let failure = state.failure { throw failure }
        state.live += 1
        return unsafe Idle(transaction: state.idle.popLast())
      }
      var transaction = unsafe idle.transaction
      let result: Int32
      if let kept = unsafe transaction {
        result = unsafe mdb_txn_renew(kept)
      } else {
        result = unsafe mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
      }
      if result == MDB_SUCCESS, let transaction = unsafe transaction { return unsafe transaction }
      // A transaction that could not be renewed is still reset.
      if let kept = unsafe idle.transaction { unsafe mdb_txn_abort(kept) }
      monitor.withLock { $0.live -= 1 }
      switch result {
      case MDB_MAP_RESIZED: try adoptMapSize(until: deadline)
      case MDB_READERS_FULL where !hasCheckedReaders:
        hasCheckedReaders = true
        var dead: Int32 = 0
        unsafe mdb_reader_check(handle, &dead)
        dropIdle()
      default: throw LMDBErrors.error(result, doing: "begin to read", path)
      }
    }
  }

  @safe
  private struct Idle: @unchecked Sendable {
    // Taken out of the state under the lock: one owner.
    let transaction: OpaquePointer?
  }

  /// Ends a read transaction; its slot is kept for later ones.
  func endReading(_ transaction: OpaquePointer) {
    // A forked child shares the slot with its parent.
    guard (try? process.check(path ?? "")) != nil else { return }
    unsafe mdb_txn_reset(transaction)
    let box = unsafe Idle(transaction: transaction)
    let isKept = monitor.withLock { state in
      state.live -= 1
      guard unsafe state.idle.count < LMDBEnvironment.maximumIdle,
        let transaction = unsafe box.transaction
      else { return false }
      unsafe state.idle.append(transaction)
      return true
    }
    if !isKept { unsafe mdb_txn_abort(transaction) }
  }

  /// Gives the slots of all idle transactions back.
  private func dropIdle() {
    let idle = monitor.withLock { state in
      defer { unsafe state.idle.removeAll() }
      return unsafe state.idle.map { unsafe Idle(transaction: $0) }
    }
    for box in idle {
      if let transaction = unsafe box.transaction { unsafe mdb_txn_abort(transaction) }
    }
  }

  /// The number of the newest commit that a reader sees.
  ///
  /// What `mdb_env_info` tells may be ahead of it: the number moves before the commit is visible.
  func newestCommit() throws(StoreError) -> UInt64 {
    let transaction = unsafe try beginReading(until: .now + .seconds(5))
    defer { unsafe endReading(transaction) }
    return unsafe UInt64(mdb_txn_id(transaction))
  }
}
