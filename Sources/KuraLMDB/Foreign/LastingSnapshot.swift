import KuraCore

/// Snapshots for work that takes its time, of files that others write meanwhile.
///
/// No writer knows of the page reader: the third commit after a state may use its pages again. So
/// when another process has the environment open, the pages of one commit are copied as fast as
/// possible, which succeeds when no two commits fall into that moment, and the copy is read.
enum LastingSnapshot {
  /// The longest file that is copied; longer ones are read in place.
  private static let longestCopy: Int64 = 256 << 20
  /// The longest file that is held in memory until its state is known to be whole, which takes less
  /// time than writing it.
  private static let longestInMemory: Int64 = 32 << 20
  /// How long it is tried at least; a file of which this is not enough changes all the time.
  private static let leastTime: Duration = .seconds(3)

  /// The newest state of a file, its own or that of a copy.
  ///
  /// - Throws: ``StoreError/Code/locked`` when writers were always faster; as
  ///   ``PageSnapshot/init(_:_:handling:valueLimit:)``.
  static func open(_ path: String, _ handling: DamageHandling, _ options: EngineOptions)
    throws(StoreError) -> PageSnapshot
  {
    let isInUse = LockFile(of: path)?.holder != nil
    let deadline = ContinuousClock.now + max(options.busyTimeout, leastTime)
    var attempts = 0
    while true {
      do throws(StoreError) {
        let original = try PageSnapshot(PageFile(path))
        let size = original.neededSize
        if isInUse, size <= longestCopy {
          return try PageSnapshot(try copy(original, size, options), handling: handling)
        }
        return handling == .refuse
          ? original : try PageSnapshot(original.file, handling: handling)
      } catch {
        if let limits = options.limits, limits.mustStop() {
          throw limits.stopReason ?? StoreError(.cancelled, "the work was cancelled")
        }
        // What is half of one commit and half of another looks damaged, but not for long.
        attempts += 1
        let mayPass = error.code == .locked || error.code.kind == .damaged && attempts < 8
        guard isInUse, mayPass, ContinuousClock.now < deadline else { throw error }
      }
    }
  }

  /// Copies the pages of a state, which was whole until the last of them was read, into a file that
  /// has no name any more.
  private static func copy(_ original: PageSnapshot, _ size: Int64, _ options: EngineOptions)
    throws(StoreError) -> PageFile
  {
    let source = original.file
    var held: [UInt8] = []
    if size <= longestInMemory {
      held = try source.bytes(at: 0, count: Int(size))
      try original.checkIsWhole()
    }
    let folder = try PrivateFolder.make(inMemory: size <= longestInMemory)
    defer { PrivateFolder.remove(folder) }
    let target = folder + "/data.mdb"
    try FileNaming.make(target)
    let bytes = held
    let pages = unsafe PageCopy(
      pageSize: original.meta.pageSize, CopyWatch(limits: options.limits, progress: nil)
    ) { buffer, offset throws(StoreError) in
      guard !bytes.isEmpty else { return unsafe try source.read(into: buffer, at: offset) }
      let part = bytes.dropFirst(Int(clamping: offset)).prefix(buffer.count)
      unsafe buffer.copyBytes(from: part)
      return part.count
    }
    try pages.write(original.meta.transaction, to: target)
    if bytes.isEmpty { try original.checkIsWhole() }
    return try PageFile(target, shownAs: source.path)
  }
}

extension PageSnapshot {
  /// The bytes up to the last page in use.
  fileprivate var neededSize: Int64 {
    let (size, overflow) = (Int64(clamping: meta.lastPage) + 1)
      .multipliedReportingOverflow(by: Int64(meta.pageSize))
    return overflow ? .max : size
  }
}
