import CSQLite
import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The source of stores in memory.
///
/// SQLite's own in-memory databases have no snapshots for several readers. A WAL file in the
/// system's memory file system (or temporary folder) has; it is unlinked as soon as every
/// connection has it open, so that nothing is left behind, not even by a killed process.
final class MemorySource: ConnectionSource {
  let path: String
  private let folder: String
  private let options: EngineOptions
  private let token: OpenFileRegistry.Token
  private struct Prepared: @unchecked Sendable {
    // Connections are handed over one by one under the mutex; nobody else has them.
    var writer: SQLiteConnection?
    var readers: [SQLiteConnection] = []
  }
  private let prepared = Monitor(Prepared())

  var notices: [String] { [] }

  init(_ options: EngineOptions) throws(StoreError) {
    self.options = options
    folder = try PrivateFolder.make()
    path = folder + "/memory.sqlite"
    do {
      token = try OpenFileRegistry.shared.register(path, format: .sqlite, create: true)
    } catch {
      PrivateFolder.remove(folder)
      throw error
    }
    do {
      try prepare()
    } catch {
      PrivateFolder.remove(folder)
      OpenFileRegistry.shared.release(token)
      throw error
    }
    PrivateFolder.remove(folder)
  }

  private func prepare() throws(StoreError) {
    let writer = try SQLiteConnection(path, .readWrite, reportedPath: "memory")
    try OwnFileSource.prepare(writer, options)
    try writer.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    // A first commit makes the -wal and -shm files; reading maps them in every connection.
    try writer.execute("CREATE TABLE t(x); DROP TABLE t")
    var readers: [SQLiteConnection] = []
    // One more than transactions use: the counter of commits has its own.
    for _ in 0...max(1, options.maximumReaders) {
      let reader = try SQLiteConnection(path, .readWrite, reportedPath: "memory")
      try OwnFileSource.prepare(reader, options)
      try reader.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA query_only = ON")
      reader.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
      _ = try reader.integer("SELECT count(*) FROM sqlite_schema")
      readers.append(reader)
    }
    let both = Prepared(writer: writer, readers: readers)
    prepared.withLock { $0 = both }
  }

  func openWriter() throws(StoreError) -> SQLiteConnection {
    let taken = prepared.withLock { state in
      defer { state.writer = nil }
      return Handover(connection: state.writer)
    }
    guard let connection = taken.connection else { throw MemorySource.used() }
    return connection
  }

  func openReader() throws(StoreError) -> SQLiteConnection {
    let taken = prepared.withLock { state in Handover(connection: state.readers.popLast()) }
    guard let connection = taken.connection else { throw MemorySource.used() }
    return connection
  }

  private struct Handover: @unchecked Sendable {
    // Moves one connection out of the mutex; the mutex keeps no reference.
    let connection: SQLiteConnection?
  }

  private static func used() -> StoreError {
    StoreError(.internalError, "a store in memory has no further connection")
  }

  func isCurrent() throws(StoreError) -> Bool { true }

  func finish() {
    prepared.withLock { $0 = Prepared() }
    OpenFileRegistry.shared.release(token)
  }
}
