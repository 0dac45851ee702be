package import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is read with `pread` only.
///
/// It is never mapped: a file that another process cuts would kill this one with SIGBUS. Opening and
/// closing it drops no lock of liblmdb, which locks only the lock file beside it; that one is never
/// opened here.
package final class PageFile: Sendable {
  /// The path for messages.
  package let path: String
  /// The identity of the file.
  package let id: OpenFileRegistry.FileID
  /// The size in bytes when the file was opened.
  package let size: Int64
  private let descriptor: Int32

  /// Opens a file.
  ///
  /// Whether it is a database of another kind must be known before: closing a descriptor drops the
  /// locks that other libraries of this process hold on it.
  ///
  /// - Parameter name: The path for messages, when it is another one, as of a copy.
  /// - Throws: What opening files throws; ``StoreError/Code/notAFile`` for pipes and devices.
  package init(_ path: String, shownAs name: String? = nil) throws(StoreError) {
    // Without waiting: opening a pipe for reading would otherwise wait for a writer.
    let descriptor = unsafe open(
      FileName.bytes(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw FileErrors.error(errno, path) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let error = FileErrors.error(errno, path)
      close(descriptor)
      throw error
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw status.st_mode & S_IFMT == S_IFDIR
        ? FileErrors.error(EISDIR, path)
        : StoreError(
          .notAFile, "the path is a device, pipe or socket", path: path, suggestion: "name a file")
    }
    self.path = name ?? path
    self.descriptor = descriptor
    id = OpenFileRegistry.FileID(status)
    size = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  /// The size in bytes now: a writer may have made the file longer since it was opened.
  func currentSize() throws(StoreError) -> Int64 {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileErrors.error(errno, path) }
    return Int64(status.st_size)
  }

  /// Fills a buffer from an offset.
  ///
  /// - Returns: The number of bytes read, fewer than asked where the file ends.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StoreError) -> Int
  {
    var done = 0
    while done < buffer.count, let base = buffer.baseAddress {
      let (position, overflow) = offset.addingReportingOverflow(Int64(done))
      guard !overflow, position >= 0 else { return done }
      let count = unsafe pread(descriptor, base + done, buffer.count - done, off_t(position))
      if count < 0 {
        if errno == EINTR { continue }
        throw FileErrors.error(errno, path)
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Up to a number of bytes from an offset.
  func bytes(at offset: Int64, count: Int) throws(StoreError) -> [UInt8] {
    var failure: StoreError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
      do throws(StoreError) {
        filled = unsafe try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
