#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A temporary file without a name: nobody else finds it, and it is gone when the process ends.
final class SpillFile {
  private let descriptor: Int32
  private let folder: String
  /// The number of bytes written.
  private(set) var size: Int64 = 0

  /// Makes a file in the folder for temporary files.
  init() throws(StoreError) {
    // Not a memory file system: the file is there to spare memory.
    let folder = try PrivateFolder.make(inMemory: false)
    defer { PrivateFolder.remove(folder) }
    let path = folder + "/sort"
    let descriptor = open(
      FileName.bytes(of: path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileErrors.creating(errno, path) }
    self.descriptor = descriptor
    self.folder = folder
    // The name goes with the folder; the open file stays.
  }

  deinit { close(descriptor) }

  /// Adds bytes at the end.
  func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, base + done, bytes.count - done, off_t(size))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileErrors.error(count < 0 ? errno : EIO, folder) }
      done += count
      size += Int64(count)
    }
  }

  /// Fills a buffer with the bytes from an offset on, which must all be there.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) {
    guard let base = buffer.baseAddress else { return }
    var done = 0
    while done < buffer.count {
      let count = pread(descriptor, base + done, buffer.count - done, off_t(offset + Int64(done)))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileErrors.error(count < 0 ? errno : EIO, folder) }
      done += count
    }
  }

  /// Gives the space back and begins anew.
  func clear() throws(StoreError) {
    while ftruncate(descriptor, 0) != 0 {
      guard errno == EINTR else { throw FileErrors.error(errno, folder) }
    }
    size = 0
  }
}
