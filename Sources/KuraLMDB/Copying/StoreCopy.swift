import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Makes copies that take their name only when they are whole, checked and on disk.
enum StoreCopy {
  /// Writes a copy with a body, under a temporary name beside the target.
  static func make(
    at target: StoreLocation, _ body: (String) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard case .file(let path) = target else {
      throw StoreError(.invalidQuery, "the target of a copy must be a file")
    }
    guard !FileNaming.exists(path) else { throw FileNaming.targetExists(path) }
    let temporary = FileNaming.temporaryName(for: path)
    defer { unsafe unlink(FileName.bytes(of: temporary)) }
    do {
      try FileNaming.make(temporary)
      try body(temporary)
      try FileSynchronisation.flush(temporary, for: path)
      // A copy that cannot be opened again is none.
      try EnvironmentHeader.check(temporary)
    } catch {
      var error = error
      if error.path == temporary { error.path = path }
      throw error
    }
    try FileNaming.give(temporary, itsName: path)
  }
}

/// Lets a caller watch and end a copy.
struct CopyWatch {
  let limits: ExecutionLimits?
  let progress: ProgressHandler?

  /// Says how far the copy is.
  ///
  /// - Throws: What the caller's handler throws, and the reason of the limits.
  func report(_ done: Int64, of total: Int64) throws(StoreError) {
    if let limits, limits.mustStop() {
      throw limits.stopReason ?? StoreError(.cancelled, "the work was cancelled")
    }
    try progress?(done, total)
  }
}
