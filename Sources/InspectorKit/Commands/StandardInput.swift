import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A database on standard input: copied to a private file, because databases are read at places.
enum StandardInput {
  static func copyToTemporaryFile() throws(StoreError) -> String {
    let folder = try PrivateFolder.make(inMemory: false)
    do throws(StoreError) {
      let path = folder + "/" + name
      let descriptor = open(
        FileName.bytes(of: path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw FileErrors.creating(errno, path) }
      defer { close(descriptor) }
      try copy(to: descriptor)
      return path
    } catch {
      PrivateFolder.remove(folder)
      throw error
    }
  }

  private static let name = "stdin"

  private static func copy(to descriptor: Int32) throws(StoreError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      try Interruption.check()
      let count = buffer.withUnsafeMutableBytes { readDescriptor(0, $0.baseAddress, $0.count) }
      if count == 0 { return }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileErrors.error(errno, "standard input") }
      var offset = 0
      while offset < count {
        let written = buffer.withUnsafeBytes {
          writeDescriptor(descriptor, $0.baseAddress.map { $0 + offset }, count - offset)
        }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { throw FileErrors.error(errno, "the copy of standard input") }
        offset += written
      }
    }
  }

  /// Removes the file, its side files and its folder.
  static func remove(_ path: String) {
    PrivateFolder.remove(String(path.dropLast(name.utf8.count + 1)))
  }
}

#if canImport(Glibc)
  private let readDescriptor = Glibc.read
  private let writeDescriptor = Glibc.write
#elseif canImport(Musl)
  private let readDescriptor = Musl.read
  private let writeDescriptor = Musl.write
#else
  private let readDescriptor = Darwin.read
  private let writeDescriptor = Darwin.write
#endif
