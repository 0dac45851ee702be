import CSQLite
import KuraCore

/// Numbers the commits of one file, whoever makes them.
///
/// SQLite counts commits in 32 bits: in the header of the log's index (walformat.html, `iChange`), or
/// without a log in the file's own (fileformat2.html, "file change counter"). The upper half of a number
/// changes when that count begins anew, as after a recovery of the log, so that numbers before and after
/// are never next to each other.
final class CommitNumbers: Sendable {
  private struct Reading {
    let isLog: Bool
    let count: UInt32
    /// How many pages the log has, and what changes when it begins anew.
    let frames: UInt32
    let salts: UInt64

    /// Whether this may be the state after some more commits.
    func mayFollow(_ earlier: Reading) -> Bool {
      guard isLog == earlier.isLog, count >= earlier.count else { return false }
      guard isLog, salts == earlier.salts else { return true }
      // Each commit adds at least one page.
      return frames >= earlier.frames && frames - earlier.frames >= count - earlier.count
    }
  }

  private struct State {
    var last: Reading?
    var epoch: UInt64 = 0
  }

  private let state = Monitor(State())

  /// The number of the newest commit; `nil` when it is not known.
  ///
  /// On a connection that was not seen in WAL mode, only inside a transaction.
  func newest(_ connection: SQLiteConnection) -> UInt64? {
    guard connection.countsCommits else { return nil }
    // Read under the lock, so that what is read later is not older.
    return state.withLock { state in
      guard let reading = CommitNumbers.read(connection) else { return nil }
      if let last = state.last, !reading.mayFollow(last) { state.epoch &+= 1 }
      state.last = reading
      return state.epoch << 32 | UInt64(reading.count)
    }
  }

  private static func read(_ connection: SQLiteConnection) -> Reading? {
    if connection.hasLog { return log(connection) }
    var header = [UInt8](repeating: 0, count: 28)
    let isRead = unsafe header.withUnsafeMutableBytes { bytes in
      unsafe kura_sqlite3_read_file(
        connection.handle, bytes.baseAddress, Int32(bytes.count), 0) != 0
    }
    guard isRead else { return nil }
    // Bytes 18 and 19 are 2 in WAL mode, which a connection with a lock on the file then is in too, and
    // stays until its end.
    guard header[18] != 2 else {
      guard !connection.isAutocommit else { return nil }
      connection.hasLog = true
      return log(connection)
    }
    let count = header[24...].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    return Reading(isLog: false, count: count, frames: 0, salts: 0)
  }

  private static func log(_ connection: SQLiteConnection) -> Reading? {
    var header = [UInt64](repeating: 0, count: 6)
    return unsafe header.withUnsafeMutableBytes { bytes in
      guard unsafe kura_sqlite3_log_header(connection.handle, bytes.baseAddress) != 0 else {
        return nil
      }
      // The numbers are in the byte order of the machine.
      return unsafe Reading(
        isLog: true, count: bytes.load(fromByteOffset: 8, as: UInt32.self),
        frames: bytes.load(fromByteOffset: 16, as: UInt32.self),
        salts: bytes.load(fromByteOffset: 32, as: UInt64.self))
    }
  }
}
