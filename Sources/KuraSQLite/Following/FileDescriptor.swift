import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open file that is read and written at offsets.
final class FileDescriptor {
  let number: Int32
  private let path: String
  /// Closes at a time when that does no harm; `nil` closes at once.
  var closing: ((@escaping () -> Void) -> Void)?

  /// Opens a file; `nil` when it is not there.
  init?(reading path: String) {
    let opened = unsafe open(
      FileName.bytes(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard opened >= 0 else { return nil }
    number = opened
    self.path = path
  }

  /// Makes a file of this process alone.
  init(making path: String) throws(StoreError) {
    let opened = unsafe open(
      FileName.bytes(of: path), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw FileErrors.creating(errno, path) }
    number = opened
    self.path = path
  }

  deinit {
    let number = number
    if let closing { closing { close(number) } } else { close(number) }
  }

  /// What the system says of the open file, whatever its name leads to by now.
  func status() throws(StoreError) -> (id: OpenFileRegistry.FileID, size: Int64) {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw FileErrors.error(errno, path) }
    return (OpenFileRegistry.FileID(status), Int64(status.st_size))
  }

  /// Fills bytes from an offset.
  ///
  /// - Returns: The number of bytes read, fewer than asked where the file ends.
  func read(into bytes: inout [UInt8], count: Int, at offset: Int64) throws(StoreError) -> Int {
    let wanted = min(count, bytes.count)
    var done = 0
    while done < wanted {
      let part = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          number, buffer.baseAddress.map { unsafe $0 + done }, wanted - done,
          off_t(offset + Int64(done)))
      }
      if part < 0, errno == EINTR { continue }
      guard part >= 0 else { throw FileErrors.error(errno, path) }
      if part == 0 { break }
      done += part
    }
    return done
  }

  /// Up to a number of bytes from an offset.
  func bytes(at offset: Int64, count: Int) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, count))
    let found = try read(into: &bytes, count: count, at: offset)
    if found < bytes.count { bytes.removeLast(bytes.count - found) }
    return bytes
  }

  /// Writes bytes at an offset.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(StoreError) {
    var rest = bytes
    var place = offset
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe pwrite(number, buffer.baseAddress, buffer.count, off_t(place))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileErrors.error(count < 0 ? errno : ENOSPC, path) }
      rest = rest.dropFirst(count)
      place += Int64(count)
    }
  }

  /// Cuts or extends the file.
  func resize(to size: Int64) throws(StoreError) {
    guard ftruncate(number, off_t(size)) == 0 else { throw FileErrors.error(errno, path) }
  }

  /// Whether another process holds a lock that keeps readers out of a range.
  func isWriteLocked(_ range: ClosedRange<Int64>) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(range.lowerBound)
    lock.l_len = off_t(range.count)
    return unsafe fcntl(number, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }
}

/// Big-endian numbers of SQLite's files.
extension Array where Element == UInt8 {
  /// The number of four bytes at an offset; 0 where the bytes end.
  func bigEndian32(_ offset: Int) -> UInt32 {
    guard offset >= 0, offset <= count - 4 else { return 0 }
    return self[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The number of two bytes at an offset; 0 where the bytes end.
  func bigEndian16(_ offset: Int) -> Int {
    guard offset >= 0, offset <= count - 2 else { return 0 }
    return Int(self[offset]) << 8 | Int(self[offset + 1])
  }

  /// Writes a number of four bytes.
  mutating func setBigEndian32(_ value: UInt32, at offset: Int) {
    guard offset >= 0, offset <= count - 4 else { return }
    for index in 0..<4 {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index))
    }
  }
}
