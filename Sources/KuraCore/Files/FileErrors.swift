#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Turns `errno` into errors with a sentence that helps.
package enum FileErrors {
  /// The error of looking at or opening an existing file.
  package static func error(_ code: Int32, _ path: String) -> StoreError {
    var error =
      switch code {
      case ENOENT:
        missing(path)
      case ENOTDIR:
        StoreError(
          .missing, "a part of the path is not a folder", suggestion: "check the path")
      case EACCES, EPERM:
        StoreError(
          .noPermission, "the file or its folder does not allow access",
          suggestion: "check the owner and permissions")
      case EROFS:
        StoreError(
          .readOnlyLocation, "the file system is read-only", suggestion: "open it for reading")
      case EISDIR: StoreError(.isFolder, "the path is a folder", suggestion: "name a file")
      case ENAMETOOLONG:
        tooLong(path)
      case ELOOP:
        StoreError(.missing, "the path's links lead in a circle", suggestion: "check the links")
      case EMFILE, ENFILE:
        StoreError(.limitReached, "too many files are open", suggestion: "close some")
      case ENOSPC, EDQUOT, EFBIG:
        StoreError(.diskFull, "no space is left on the device", suggestion: "free space")
      default:
        StoreError(
          .ioError, "the operating system refuses: \(String(cString: strerror(code)))",
          suggestion: "check the path and the disk")
      }
    error.path = path
    error.engineCode = code
    return error
  }

  /// The error of creating a file.
  package static func creating(_ code: Int32, _ path: String) -> StoreError {
    switch code {
    case ENOENT:
      StoreError(
        .missing, "the folder of the file does not exist", path: path,
        suggestion: "make the folder first", engineCode: code)
    case EEXIST where FileStatus.at(path) == nil && linkTarget(path) != nil: error(ENOENT, path)
    case EROFS:
      StoreError(
        .readOnlyLocation, "the file system is read-only, so that no file can be made", path: path,
        suggestion: "use a folder on another file system", engineCode: code)
    case EACCES, EPERM:
      StoreError(
        .readOnlyLocation, "the folder does not allow new files", path: path,
        suggestion: "use another folder or change its permissions", engineCode: code)
    default: error(code, path)
    }
  }

  /// The error of a path that leads to nothing; a link is told from a wrong name.
  package static func missing(_ path: String) -> StoreError {
    danglingLink(path)
      ?? StoreError(.missing, "there is no such file", path: path, suggestion: "check the path")
  }

  /// The error of a link that leads to nothing; `nil` for everything that is no link.
  package static func danglingLink(_ path: String) -> StoreError? {
    guard FileStatus.at(path) == nil, let target = linkTarget(path) else { return nil }
    return StoreError(
      .missing, "the path is a link that leads to no file", path: path,
      found: "a link to \(FileName.shown(target))",
      suggestion: "put the file back there, or make the link anew")
  }

  /// Why a file that exists cannot be written; `nil` when nothing about it or its folder says so.
  ///
  /// The folder counts because engines make their side files there.
  package static func writing(_ path: String) -> StoreError? {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(path[...$0]) } ?? "."
    for (place, name) in [(path, "file"), (folder, "folder")] {
      guard access(FileName.bytes(of: place), W_OK) != 0 else { continue }
      let code = errno
      switch code {
      case EROFS:
        return StoreError(
          .readOnlyLocation, "the file system is read-only", path: path,
          suggestion: "open the file for reading only, or copy it elsewhere", engineCode: code)
      case EACCES, EPERM:
        return StoreError(
          .readOnlyLocation, "the \(name) does not allow writing", path: path,
          suggestion: "change the \(name)'s permissions, or open the file for reading only",
          engineCode: code)
      default: continue
      }
    }
    return nil
  }

  /// Where a link leads by its own words; `nil` for everything that is no link.
  private static func linkTarget(_ path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(FileName.bytes(of: path), &bytes, bytes.count)
    return count > 0 ? FileName.text(of: bytes.prefix(count).map { UInt8(bitPattern: $0) }) : nil
  }

  private static func tooLong(_ path: String) -> StoreError {
    let bytes = FileName.bytes(of: path).dropLast()
    let longest =
      bytes.split(separator: CChar(bitPattern: UInt8(ascii: "/"))).map(\.count).max() ?? 0
    if longest > 255 {
      return StoreError(
        .nameTooLong, "the name is longer than the file system allows", path: path,
        found: "\(longest) bytes", expected: "at most 255 bytes", suggestion: "use a shorter name")
    }
    return StoreError(
      .nameTooLong, "the path is longer than the operating system allows", path: path,
      found: "\(bytes.count) bytes", expected: "at most \(PATH_MAX - 1) bytes",
      suggestion: "go to its folder and use a shorter path")
  }
}
