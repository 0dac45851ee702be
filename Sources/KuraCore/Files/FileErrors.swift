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
        StoreError(.missing, "there is no such file", suggestion: "check the path")
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
        StoreError(
          .missing, "the name is longer than the file system allows",
          suggestion: "use a shorter name")
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
    case EACCES, EPERM, EROFS:
      StoreError(
        .readOnlyLocation, "the folder does not allow new files", path: path,
        suggestion: "use another folder or change its permissions", engineCode: code)
    default: error(code, path)
    }
  }
}
