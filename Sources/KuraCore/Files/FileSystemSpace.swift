#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The free space of a file system.
package enum FileSystemSpace {
  /// The bytes that this process may still write beside a file; `nil` when the system does not say.
  package static func available(beside path: String) -> Int64? {
    var facts = statvfs()
    guard statvfs(FileName.bytes(of: path), &facts) == 0 else { return nil }
    let (bytes, overflow) = UInt64(facts.f_bavail)
      .multipliedReportingOverflow(by: UInt64(facts.f_frsize))
    return overflow ? .max : Int64(clamping: bytes)
  }
}
