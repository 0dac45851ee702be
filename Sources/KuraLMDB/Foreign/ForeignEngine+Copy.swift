package import KuraCore

extension ForeignEngine {
  /// The longest file that is copied so that a writer cannot go over what is read.
  private static let longestCopy: Int64 = 256 << 20

  /// The newest state of the file, for work that takes its time.
  ///
  /// When other processes have the environment open it is that of a private copy, which costs one
  /// quick reading; a long file is read in place.
  ///
  /// - Throws: As ``snapshot(_:)``.
  package func lastingSnapshot(_ handling: DamageHandling = .refuse) throws(StoreError)
    -> PageSnapshot
  {
    guard LockFile(of: path)?.holder != nil else { return try snapshot(handling) }
    var attempts = 0
    while attempts < 8 {
      attempts += 1
      try checkLimits()
      let original = try snapshot()
      let size = original.neededSize
      guard size <= ForeignEngine.longestCopy else { break }
      do {
        let copy = try copy(original, size)
        // As long as this does not throw, no page of the state was written over.
        try original.checkIsWhole()
        return try PageSnapshot(copy, handling: handling)
      } catch {
        // The writer was faster, or the copy has the beginning of another commit.
        guard error.code == .locked || error.code.kind == .damaged else { throw error }
      }
    }
    return try snapshot(handling)
  }

  /// Copies the pages of a snapshot into a file that has no name any more.
  private func copy(_ original: PageSnapshot, _ size: Int64) throws(StoreError) -> PageFile {
    let folder = try PrivateFolder.make(inMemory: size <= 32 << 20)
    defer { PrivateFolder.remove(folder) }
    let target = folder + "/data.mdb"
    try FileNaming.make(target)
    let source = original.file
    let pages = unsafe PageCopy(
      pageSize: original.meta.pageSize, CopyWatch(limits: options.limits, progress: nil)
    ) { buffer, offset throws(StoreError) in unsafe try source.read(into: buffer, at: offset) }
    try pages.write(original.meta.transaction, to: target)
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
