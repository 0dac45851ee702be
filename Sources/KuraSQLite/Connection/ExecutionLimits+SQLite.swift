import CSQLite
import KuraCore

extension ExecutionLimits {
  /// Makes a connection obey; the connection keeps these limits alive.
  func install(on connection: SQLiteConnection) {
    connection.limits = self
    sqlite3_progress_handler(
      connection.handle, 1000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<ExecutionLimits>.fromOpaque(context).takeUnretainedValue().mustStop()
          ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
