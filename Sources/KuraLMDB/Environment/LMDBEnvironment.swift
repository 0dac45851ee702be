import CLMDB
import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One file opened by liblmdb; a process has at most one for a file, whoever opens it.
///
/// `@unchecked Sendable`: liblmdb's environment may be used from any thread; who may map, resize and
/// close it is decided under the monitor's lock, and ``EnvironmentRegistry`` closes it after the
/// last lease.
@safe
final class LMDBEnvironment: @unchecked Sendable {
  /// How liblmdb opens a file.
  struct Settings: Sendable, Hashable {
    /// The address space to reserve at first; halved while the system refuses it.
    var firstMapSize = LMDBEnvironment.largestMapSize
    /// The folder that is removed with the environment, of a store in memory.
    var isPrivate = false
  }

  @safe
  struct State: @unchecked Sendable {
    // Transactions are in here only while they are reset and belong to nobody; the monitor's lock
    // hands each to one thread.
    var idle: [OpaquePointer] = unsafe []
    /// The transactions of this process that use the map.
    var live = 0
    /// Whether a transaction outgrew the map.
    var isMapFull = false
    /// The transaction that was dropped on another thread than its own.
    var abandoned: Abandoned?
    /// The handles of the named databases.
    var handles: [String: MDB_dbi] = [:]
    /// Whether the database of metadata was looked for; in a file without it nobody makes it.
    var hasLookedForMetadata = false
    /// The newest catalogue that was read or written.
    var catalogue: CachedCatalogue?
    /// The places of properties in the newest schema that was asked for them.
    var places: PropertyPlaces?
    /// Why the environment is beyond use, if it is.
    var failure: StoreError?
  }

  /// A catalogue and the bytes by which it is known to be current.
  struct CachedCatalogue: Sendable {
    var bytes: [UInt8]
    var catalogue: Catalogue
  }

  @safe
  struct Abandoned: @unchecked Sendable {
    // Only the thread it names takes it out.
    let transaction: OpaquePointer
    let thread: UInt
  }

  /// The path, as the first opener gave it; `nil` for a store in memory.
  let path: String?
  /// The path that stays the same when the process changes its folder, without symbolic links.
  private let location: String
  let file: OpenFileRegistry.FileID?
  let handle: OpaquePointer
  let isPrivate: Bool
  /// The size of pages that readers may look into beside liblmdb, see ``LeafEntries``; 0 for none.
  let leafPageSize: Int
  /// Lets one writer of this process in at a time.
  let gate = WriterGate()
  /// Lets one transaction at a time open handles of databases.
  let handleGate = WriterGate()
  let process = ProcessIdentity()
  let monitor = Monitor(State())

  /// The most readers of all processes together.
  static let maximumReaders: UInt32 = 1024
  /// The most databases: models and indexes.
  static let maximumDatabases: UInt32 = 16384
  /// The address space that is reserved where the system gives it.
  static let largestMapSize = 1 << 40
  /// The least address space that is tried.
  static let smallestMapSize = 64 << 20
  /// The most transactions that are kept for later readers.
  static let maximumIdle = 64

  /// Opens a file that exists; the caller holds the registry's lock.
  init(_ file: String, path: String?, _ settings: Settings) throws(StoreError) {
    self.path = path
    location = file
    isPrivate = settings.isPrivate
    self.file = settings.isPrivate ? nil : FileStatus.at(file)?.id
    var size = settings.firstMapSize
    while true {
      do {
        unsafe handle = unsafe try LMDBEnvironment.open(
          file, path, mapSize: size,
          flags: UInt32(MDB_NOSUBDIR | MDB_NOTLS) | UInt32(settings.isPrivate ? MDB_NOSYNC : 0))
        break
      } catch {
        guard error.engineCode == ENOMEM, size > LMDBEnvironment.smallestMapSize else {
          throw error
        }
        size /= 2
      }
    }
    leafPageSize = unsafe LeafEntries.pageSize(of: handle)
    do {
      try agreeOnLockFile(of: file)
    } catch {
      unsafe mdb_env_close(handle)
      throw error
    }
    // Readers that were killed would keep old pages for ever.
    var dead: Int32 = 0
    unsafe mdb_reader_check(handle, &dead)
  }

  private func agreeOnLockFile(of file: String) throws(StoreError) {
    var descriptor: Int32 = -1
    guard !isPrivate, unsafe mdb_env_get_fd(handle, &descriptor) == MDB_SUCCESS else { return }
    try LockFileAgreement.join(descriptor, lockFile: file + "-lock", for: path)
  }

  /// Closes; the caller holds the registry's lock and no transaction lives.
  func close() {
    var idle = unsafe monitor.withLock { state in
      defer { unsafe state.idle.removeAll() }
      return unsafe state.idle
    }
    // A forked child shares the lock file's table with its parent: it must not touch it.
    guard (try? process.check(path ?? "")) != nil else { return }
    while let transaction = unsafe idle.popLast() { unsafe mdb_txn_abort(transaction) }
    unsafe mdb_env_close(handle)
  }

  /// Opens an environment, or says why not; nothing stays open after an error.
  static func open(_ file: String, _ path: String?, mapSize: Int, flags: UInt32)
    throws(StoreError) -> OpaquePointer
  {
    var created: OpaquePointer?
    var result = unsafe mdb_env_create(&created)
    guard result == MDB_SUCCESS, let environment = unsafe created else {
      throw LMDBErrors.error(result, doing: "make an environment", path)
    }
    if result == MDB_SUCCESS { result = unsafe mdb_env_set_mapsize(environment, mapSize) }
    if result == MDB_SUCCESS { result = unsafe mdb_env_set_maxreaders(environment, maximumReaders) }
    if result == MDB_SUCCESS { result = unsafe mdb_env_set_maxdbs(environment, maximumDatabases) }
    if result == MDB_SUCCESS {
      result = unsafe mdb_env_open(
        environment, FileName.bytes(of: file), flags, 0o644)
    }
    guard result == MDB_SUCCESS else {
      unsafe mdb_env_close(environment)
      throw LMDBErrors.error(result, doing: "open the file", path)
    }
    unsafe keepFromOtherPrograms(environment)
    return unsafe environment
  }

  /// Closes the data file in programs that this process starts, which liblmdb forgets (`mdb.c`,
  /// MDB_O_RDWR): they would keep the locks of this process, and its file on the disk.
  private static func keepFromOtherPrograms(_ environment: OpaquePointer) {
    var descriptor: Int32 = -1
    guard unsafe mdb_env_get_fd(environment, &descriptor) == MDB_SUCCESS else { return }
    let flags = fcntl(descriptor, F_GETFD)
    guard flags >= 0 else { return }
    _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC)
  }

  /// Throws when the file's name no longer leads to the file that is open.
  func checkNotReplaced() throws(StoreError) {
    guard let path, let file else { return }
    guard FileStatus.at(location)?.id == file else {
      throw StoreError(
        .replaced, "the file was removed or replaced while it was open", path: path,
        suggestion: "close the store and open it again")
    }
  }
}
