#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Brings files to the disk.
package enum FileSynchronisation {
  /// Returns when the content of a file is on the disk.
  package static func flush(_ file: String, for path: String) throws(StoreError) {
    let descriptor = open(FileName.bytes(of: file), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileErrors.error(errno, path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileErrors.error(errno, path) }
  }
}
