import CLMDB
import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Turns liblmdb's results into errors.
enum LMDBErrors {
  /// The error of a result that is not success.
  ///
  /// - Parameters:
  ///   - code: A code of lmdb.h, or `errno`.
  ///   - action: What was attempted, to follow "could not".
  static func error(_ code: Int32, doing action: String, _ path: String?) -> StoreError {
    var error = code < 0 ? library(code, action) : system(code, action, path)
    error.path = path
    error.engineCode = code
    return error
  }

  /// Whether an error says that a transaction outgrew the memory map.
  static func isMapFull(_ error: StoreError) -> Bool { error.engineCode == MDB_MAP_FULL }

  private static func library(_ code: Int32, _ action: String) -> StoreError {
    switch code {
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INCOMPATIBLE:
      StoreError(
        .damaged, "the file's content contradicts itself",
        suggestion: "check the file, or restore a backup")
    case MDB_INVALID:
      StoreError(.damaged, "the file is no LMDB environment", suggestion: "restore a backup")
    case MDB_VERSION_MISMATCH:
      StoreError(
        .newerFormat, "the file or its lock file is of another version of LMDB",
        suggestion: "close the programs that use the file, or use a newer version")
    case MDB_PANIC:
      StoreError(
        .ioError, "an earlier write to the file failed, so nothing more is written",
        suggestion: "check the disk, then open the store again")
    case MDB_MAP_FULL:
      StoreError(
        .limitReached, "the transaction outgrew the store's memory map",
        suggestion: "run it again; the map grows in between")
    case MDB_MAP_RESIZED:
      StoreError(
        .locked, "another process enlarged the file while transactions of this one go on",
        suggestion: "end them and try again")
    case MDB_DBS_FULL:
      StoreError(.limitReached, "the store has too many models and indexes")
    case MDB_READERS_FULL:
      StoreError(
        .limitReached, "all reader slots of the file are in use",
        expected: "fewer transactions that read, in all processes together",
        suggestion: "end transactions sooner")
    case MDB_TXN_FULL:
      StoreError(
        .limitReached, "the transaction changed more than LMDB allows",
        suggestion: "write in several transactions")
    case MDB_BAD_TXN:
      StoreError(
        .transactionFailed, "the transaction failed before and can only be rolled back",
        suggestion: "end it and begin another one")
    default:
      StoreError(
        .internalError,
        unsafe "LMDB could not \(action): \(String(cString: mdb_strerror(code))) (code \(code))",
        suggestion: "report this with the code")
    }
  }

  private static func system(_ code: Int32, _ action: String, _ path: String?) -> StoreError {
    switch code {
    case ENOMEM: return StoreError(.outOfMemory, "LMDB ran out of memory trying to \(action)")
    case EIO where isDiskFull(path):
      // A write that ends early is reported as EIO, whatever the reason.
      return StoreError(
        .diskFull, "no space is left for the database", suggestion: "free space and try again")
    case ENOSPC, EDQUOT, EFBIG:
      return StoreError(
        .diskFull, "no space is left for the database", suggestion: "free space and try again")
    case EIO:
      return StoreError(
        .ioError, "the operating system failed to read or write the database",
        suggestion: "check the disk, then open the store again")
    case EINVAL, EBUSY, EAGAIN:
      return StoreError(
        .internalError, unsafe "LMDB could not \(action): \(String(cString: strerror(code)))",
        suggestion: "report this with the code")
    default: return FileErrors.error(code, path ?? "")
    }
  }

  /// Whether the file or its file system has no room for a few pages more.
  private static func isDiskFull(_ path: String?) -> Bool {
    guard let path else { return false }
    var facts = statvfs()
    if unsafe statvfs(FileName.bytes(of: path), &facts) == 0, facts.f_bavail < 16 { return true }
    // A process may be allowed files of a limited size only; what was written reaches to the limit.
    var limit = rlimit()
    guard let size = FileStatus.at(path)?.size, unsafe getrlimit(sizeOfFiles, &limit) == 0 else {
      return false
    }
    return UInt64(limit.rlim_cur) < UInt64(clamping: size) &+ 65_536
  }

  #if canImport(Glibc)
    private static let sizeOfFiles = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    private static let sizeOfFiles = RLIMIT_FSIZE
  #endif
}
