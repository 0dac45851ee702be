import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Stores in memory: files that lose their names as soon as they are open.
enum MemoryEnvironment {
  /// The free space from which on the system's memory file system is used.
  private static let leastFreeSpace: UInt64 = 1 << 30

  /// Makes a store that lives as long as its lease.
  static func make(_ settings: LMDBEnvironment.Settings) throws(StoreError) -> EnvironmentLease {
    let folder = try PrivateFolder.make(inMemory: hasMemoryFileSystem)
    // liblmdb keeps both files mapped; readers need the second one, so that lock-free modes are out.
    defer { PrivateFolder.remove(folder) }
    let file = folder + "/store"
    try FileNaming.make(file)
    try StoreCreation.writeFirstPages(file)
    var settings = settings
    settings.isPrivate = true
    return EnvironmentLease(try LMDBEnvironment(file, path: nil, settings))
  }

  private static var hasMemoryFileSystem: Bool {
    var facts = statvfs()
    guard unsafe statvfs("/dev/shm", &facts) == 0 else { return false }
    let (free, overflow) = UInt64(facts.f_bavail).multipliedReportingOverflow(
      by: UInt64(facts.f_frsize))
    return overflow || free >= leastFreeSpace
  }
}
