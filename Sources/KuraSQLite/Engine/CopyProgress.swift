import CSQLite
import KuraCore

/// Lets a caller watch and stop one long statement.
final class CopyProgress {
  private let limits: ExecutionLimits?
  private let progress: ProgressHandler?
  private let total: Int64
  private let done: () -> Int64
  private var refusal: StoreError?

  private init(
    _ limits: ExecutionLimits?, _ progress: ProgressHandler?, _ total: Int64,
    _ done: @escaping () -> Int64
  ) {
    self.limits = limits
    self.progress = progress
    self.total = total
    self.done = done
  }

  /// Runs a body and asks the handler now and then; what it throws ends the body.
  static func watch(
    _ connection: SQLiteConnection, _ limits: ExecutionLimits?, _ progress: ProgressHandler?,
    _ total: Int64, done: @escaping () -> Int64, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    guard progress != nil else { return try body() }
    let watcher = CopyProgress(limits, progress, total, done)
    unsafe sqlite3_progress_handler(
      connection.handle, 100_000,
      { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<CopyProgress>.fromOpaque(context).takeUnretainedValue().mustStop()
          ? 1 : 0
      }, unsafe Unmanaged.passUnretained(watcher).toOpaque())
    defer {
      // A connection has one handler: that of its limits comes back.
      unsafe sqlite3_progress_handler(connection.handle, 0, nil, nil)
      limits?.install(on: connection)
      withExtendedLifetime(watcher) {}
    }
    do {
      try body()
    } catch {
      throw watcher.refusal ?? error
    }
  }

  private func mustStop() -> Bool {
    if limits?.mustStop() == true { return true }
    do throws(StoreError) {
      try progress?(done(), total)
      return false
    } catch {
      refusal = error
      return true
    }
  }
}
