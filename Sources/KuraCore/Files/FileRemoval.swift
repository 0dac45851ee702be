#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Takes back what a failed opening made.
package enum FileRemoval {
  /// Removes a file that was created for an opening that failed, only if it still has no bytes.
  package static func removeEmpty(_ path: String) {
    if let status = FileStatus.at(path), status.size == 0 { unlink(FileName.bytes(of: path)) }
  }
}
