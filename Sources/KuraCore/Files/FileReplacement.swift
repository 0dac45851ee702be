#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Puts a copy of one file in the place of another, whole or not at all.
package enum FileReplacement {
  /// Copies beside the target, removes what belongs to the old file, and gives the copy its name.
  ///
  /// - Parameter sidecars: What a file's name is followed by for those that belong to its old content; a
  ///   log that stayed would be applied to the new one.
  package static func replace(_ path: String, by source: String, sidecars: [String])
    throws(StoreError)
  {
    let temporary = FileNaming.temporaryName(for: path)
    try FileNaming.make(temporary)
    defer { unlink(FileName.bytes(of: temporary)) }
    try copy(source, to: temporary, for: path)
    for suffix in sidecars { unlink(FileName.bytes(of: path + suffix)) }
    guard rename(FileName.bytes(of: temporary), FileName.bytes(of: path)) == 0 else {
      throw FileErrors.creating(errno, path)
    }
    FileNaming.flushFolder(of: path)
  }

  private static func copy(_ source: String, to target: String, for path: String)
    throws(StoreError)
  {
    let input = open(FileName.bytes(of: source), O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw FileErrors.error(errno, source) }
    defer { close(input) }
    let output = open(FileName.bytes(of: target), O_WRONLY | O_CLOEXEC)
    guard output >= 0 else { throw FileErrors.creating(errno, path) }
    defer { close(output) }
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(input, &chunk, chunk.count)
      guard count >= 0 else { throw FileErrors.error(errno, source) }
      if count == 0 { break }
      var written = 0
      while written < count {
        let result = chunk.withUnsafeBytes { bytes in
          write(output, bytes.baseAddress?.advanced(by: written), count - written)
        }
        guard result > 0 else { throw FileErrors.creating(errno, path) }
        written += result
      }
    }
    guard fsync(output) == 0 else { throw FileErrors.creating(errno, path) }
  }
}
