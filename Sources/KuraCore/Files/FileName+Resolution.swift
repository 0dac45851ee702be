#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension FileName {
  /// The absolute path of something that is there, without symbolic links; `nil` with `errno` set
  /// when there is nothing.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(FileName.bytes(of: path), nil) else { return nil }
    defer { free(resolved) }
    return text(of: resolved)
  }
}
