import CLMDB
import KuraCore

extension LMDBEnvironment {
  /// The size of the map and the bytes of it that the file uses.
  var mapFacts: (size: Int, used: Int) {
    var facts = unsafe MDB_envinfo()
    var pages = MDB_stat()
    guard unsafe mdb_env_info(handle, &facts) == MDB_SUCCESS,
      unsafe mdb_env_stat(handle, &pages) == MDB_SUCCESS
    else { return (0, 0) }
    let (used, overflow) = unsafe (Int(facts.me_last_pgno) + 1).multipliedReportingOverflow(
      by: Int(pages.ms_psize))
    return unsafe (Int(facts.me_mapsize), overflow ? .max : used)
  }

  /// Makes room in the map before a write: twice the size when it was full or is nearly so.
  ///
  /// Transactions of this process hold addresses in the map, so it changes only while there are
  /// none.
  ///
  /// - Throws: ``StoreError/Code/timedOut`` when the map was full and readers go on past the
  ///   deadline.
  func growMapIfNeeded(until deadline: ContinuousClock.Instant) throws(StoreError) {
    let (size, used) = mapFacts
    let mustGrow = monitor.withLock { $0.isMapFull }
    let isNearlyFull = size - used < min(size / 4, 64 << 20)
    guard mustGrow || isNearlyFull, size < Int.max / 2 else { return }
    let isGrown = try monitor.wait(until: mustGrow ? deadline : .now) {
      state throws(StoreError) -> Bool? in
      guard state.live == 0 else { return nil }
      try setMapSize(size * 2, else: size, &state)
      state.isMapFull = false
      return true
    }
    guard isGrown == nil, mustGrow else { return }
    throw StoreError(
      .timedOut, "transactions that read keep the store's memory map from growing", path: path,
      suggestion: "end them and write again")
  }

  /// Takes over the size that another process gave the map.
  func adoptMapSize(until deadline: ContinuousClock.Instant) throws(StoreError) {
    let size = mapFacts.size
    let isDone = try monitor.wait(until: deadline) { state throws(StoreError) -> Bool? in
      guard state.live == 0 else { return nil }
      try setMapSize(0, else: size, &state)
      return true
    }
    guard isDone == nil else { return }
    throw LMDBErrors.error(MDB_MAP_RESIZED, doing: "enlarge the map", path)
  }

  /// Changes the map under the monitor's lock while nobody uses it.
  private func setMapSize(_ size: Int, else old: Int, _ state: inout State) throws(StoreError) {
    let result = unsafe mdb_env_set_mapsize(handle, size)
    guard result != MDB_SUCCESS else { return }
    let error = LMDBErrors.error(result, doing: "enlarge the map", path)
    // liblmdb unmapped the file before it failed.
    if unsafe mdb_env_set_mapsize(handle, old) != MDB_SUCCESS { state.failure = error }
    throw error
  }
}
