#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that appear under their name only when they are whole.
package enum FileNaming {
  /// Whether a name is taken, be it by a link to nothing.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(FileName.bytes(of: path), &status) == 0
  }

  /// A name beside a path that nobody else uses.
  package static func temporaryName(for path: String) -> String {
    "\(path).\(getpid()).\(UInt64.random(in: 0...UInt64.max)).partial"
  }

  /// Makes an empty file of a new name.
  package static func make(_ path: String) throws(StoreError) {
    let descriptor = open(
      FileName.bytes(of: path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FileErrors.creating(errno, path) }
    // The file is new, so that nobody in this process has locks on it.
    close(descriptor)
  }

  /// Moves a file to its name unless that is taken, and brings the name to the disk.
  package static func give(_ temporary: String, itsName path: String) throws(StoreError) {
    // `link` refuses an existing target, which `rename` would replace.
    if link(FileName.bytes(of: temporary), FileName.bytes(of: path)) != 0 {
      let reason = errno
      switch reason {
      case EEXIST: throw targetExists(path)
      case EPERM, ENOSYS, EOPNOTSUPP, EMLINK: try move(temporary, to: path)
      default: throw FileErrors.creating(reason, path)
      }
    }
    flushFolder(of: path)
  }

  /// Brings a file's name to the disk.
  package static func flushFolder(of path: String) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(FileName.bytes(of: folder), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Some file systems cannot flush folders; the copy is whole all the same.
    _ = fsync(descriptor)
  }

  /// Where a file system has no hard links: takes the name with an empty file first, which fails when
  /// it is taken, and replaces that.
  private static func move(_ temporary: String, to path: String) throws(StoreError) {
    do {
      try make(path)
    } catch {
      throw error.engineCode == EEXIST ? targetExists(path) : error
    }
    guard rename(FileName.bytes(of: temporary), FileName.bytes(of: path)) == 0 else {
      let reason = errno
      unlink(FileName.bytes(of: path))
      throw FileErrors.creating(reason, path)
    }
  }

  package static func targetExists(_ path: String) -> StoreError {
    StoreError(
      .targetExists, "the target exists already", path: path,
      suggestion: "name another target, or remove this one first")
  }
}
