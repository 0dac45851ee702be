import CLMDB
import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension LMDBEnvironment {
  /// Begins the write transaction of the calling thread, which must also end it: liblmdb's lock
  /// belongs to the thread.
  ///
  /// - Throws: ``StoreError/Code/nestedWrite``, ``StoreError/Code/timedOut``,
  ///   ``StoreError/Code/locked``.
  func beginWriting(_ durability: Durability, until deadline: ContinuousClock.Instant)
    throws(StoreError) -> OpaquePointer
  {
    try process.check(path ?? "")
    finishAbandoned()
    try gate.enter(until: deadline, path: path)
    do {
      try checkNotReplaced()
      try lockFile(until: deadline)
    } catch {
      gate.leave()
      throw error
    }
    do {
      // A transaction gives new databases the numbers that were free when it began.
      try handleGate.enter(until: deadline, path: path)
    } catch {
      unlockFile()
      gate.leave()
      throw error
    }
    do {
      return unsafe try beginLocked(durability, until: deadline)
    } catch {
      handleGate.leave()
      unlockFile()
      gate.leave()
      throw error
    }
  }

  private func beginLocked(_ durability: Durability, until deadline: ContinuousClock.Instant)
    throws(StoreError) -> OpaquePointer
  {
    try growMapIfNeeded(until: deadline)
    // A commit's data is always on the disk before the page that makes it current, so that a power
    // cut never costs consistency; without the sync of that page it may cost the last commits.
    let flags = UInt32(durability == .relaxed ? MDB_NOMETASYNC : 0)
    while true {
      try monitor.withLock { state throws(StoreError) in
        if let failure = state.failure { throw failure }
        state.live += 1
      }
      var transaction: OpaquePointer?
      let result = unsafe mdb_txn_begin(handle, nil, flags, &transaction)
      if result == MDB_SUCCESS, let transaction = unsafe transaction { return unsafe transaction }
      monitor.withLock { $0.live -= 1 }
      guard result == MDB_MAP_RESIZED else {
        throw LMDBErrors.error(result, doing: "begin to write", path)
      }
      try adoptMapSize(until: deadline)
    }
  }

  /// Commits; whatever comes out, the transaction is over.
  func commitWriting(_ transaction: OpaquePointer) -> Int32 {
    let result = unsafe mdb_txn_commit(transaction)
    leaveWriting()
    return result
  }

  /// Rolls back.
  func abortWriting(_ transaction: OpaquePointer) {
    unsafe mdb_txn_abort(transaction)
    leaveWriting()
  }

  /// Notes that a transaction outgrew the map.
  func noteMapFull() { monitor.withLock { $0.isMapFull = true } }

  private func leaveWriting() {
    monitor.withLock { $0.live -= 1 }
    handleGate.leave()
    unlockFile()
    gate.leave()
  }

  // MARK: A transaction that its thread lost

  /// Keeps a transaction that was dropped on another thread until its own thread writes again: the
  /// lock of liblmdb cannot be given back by another one.
  func abandon(_ transaction: OpaquePointer, of thread: UInt) {
    let abandoned = unsafe Abandoned(transaction: transaction, thread: thread)
    monitor.withLock { $0.abandoned = abandoned }
  }

  private func finishAbandoned() {
    let thread = currentThread()
    let found = monitor.withLock { state -> Abandoned? in
      guard let abandoned = state.abandoned, abandoned.thread == thread else { return nil }
      state.abandoned = nil
      return abandoned
    }
    if let found { unsafe abortWriting(found.transaction) }
  }

  // MARK: Writers of other processes

  /// Waits for writers of other processes: liblmdb's own lock knows no end of waiting.
  ///
  /// The lock is one on the data file, which liblmdb itself never locks; it goes with the process.
  private func lockFile(until deadline: ContinuousClock.Instant) throws(StoreError) {
    guard path != nil, let descriptor else { return }
    var pause: UInt32 = 50
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: break
      // A file system without such locks: liblmdb's own lock keeps writers apart.
      default: return
      }
      guard ContinuousClock.now < deadline else {
        throw StoreError(
          .locked, "another process is writing to the store", path: path,
          suggestion: "try again, or allow a longer wait")
      }
      usleep(pause)
      pause = min(pause * 2, 5000)
    }
  }

  private func unlockFile() {
    guard path != nil, let descriptor else { return }
    flock(descriptor, LOCK_UN)
  }

  private var descriptor: Int32? {
    var descriptor: Int32 = -1
    return unsafe mdb_env_get_fd(handle, &descriptor) == MDB_SUCCESS && descriptor >= 0
      ? descriptor : nil
  }
}
