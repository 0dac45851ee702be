#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the operating system says of a path.
package struct FileStatus: Equatable, Sendable {
  package let id: OpenFileRegistry.FileID
  package let size: Int64
  package let modified: Int64
  package let modifiedNanoseconds: Int64
  package let isRegularFile: Bool

  /// The status of a path, links followed; `nil` when there is nothing.
  package static func at(_ path: String) -> FileStatus? {
    var status = stat()
    guard stat(FileName.bytes(of: path), &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return FileStatus(
      id: OpenFileRegistry.FileID(status), size: Int64(status.st_size),
      modified: Int64(time.tv_sec), modifiedNanoseconds: Int64(time.tv_nsec),
      isRegularFile: status.st_mode & S_IFMT == S_IFREG)
  }
}
