extension MigrationPlan {
  /// The bytes that must be free beside a store before the plan is carried out; `nil` when there is
  /// no file.
  package func spaceNeeded(at path: String, _ format: StoreFormat, withBackup: Bool) -> Int64? {
    guard let size = FileStatus.at(path)?.size else { return nil }
    let log = FileStatus.at(path + "-wal")?.size ?? 0
    // Measured: a rewrite takes as much again in the file and twice that in SQLite's log, as much
    // again and a fifth in LMDB's.
    let factor: Double = rewritesRecords ? (format == .sqlite ? 2.8 : 1.2) : 0
    let bytes = Double(size) + Double(log)
    return Int64(bytes * factor + (withBackup ? bytes : 0)) + 1 << 20
  }
}
