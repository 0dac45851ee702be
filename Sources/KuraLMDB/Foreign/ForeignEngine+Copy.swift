package import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

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
        let copy = try ForeignEngine.copy(original.file, size)
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

  /// Copies the first bytes of a file into one that has no name any more.
  private static func copy(_ file: PageFile, _ size: Int64) throws(StoreError) -> PageFile {
    let folder = try PrivateFolder.make(inMemory: size <= 32 << 20)
    defer { PrivateFolder.remove(folder) }
    let target = folder + "/data.mdb"
    let descriptor = unsafe open(
      FileName.bytes(of: target), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileErrors.creating(errno, target) }
    defer { close(descriptor) }
    var offset: Int64 = 0
    while offset < size {
      let bytes = try file.bytes(at: offset, count: Int(min(1 << 20, size - offset)))
      guard !bytes.isEmpty else { break }
      var done = 0
      while done < bytes.count {
        let count = unsafe bytes.withUnsafeBytes {
          unsafe pwrite(
            descriptor, $0.baseAddress.map { unsafe $0 + done }, bytes.count - done,
            off_t(offset) + off_t(done))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw FileErrors.error(errno, target) }
        done += count
      }
      offset += Int64(bytes.count)
    }
    return try PageFile(target, shownAs: file.path)
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
