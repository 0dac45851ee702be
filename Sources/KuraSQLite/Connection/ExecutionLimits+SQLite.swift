import CSQLite
import KuraCore

extension ExecutionLimits {
  /// Makes a connection obey; the connection keeps these limits alive.
  func install(on connection: SQLiteConnection) {
    connection.limits = self
    unsafe sqlite3_progress_handler(
      connection.handle, 1000,
      { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<ExecutionLimits>.fromOpaque(context).takeUnretainedValue()
          .mustStop()
          ? 1 : 0
      }, unsafe Unmanaged.passUnretained(self).toOpaque())
  }
}
