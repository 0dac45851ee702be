import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Copies the pages of one commit as they are; the caller keeps them from being used again.
@safe
struct PageCopy {
  typealias Reading = (UnsafeMutableRawBufferPointer, Int64) throws(StoreError) -> Int

  private let pageSize: Int
  private let watch: CopyWatch
  private let read: Reading
  private static let chunk = 1 << 20

  /// Prepares a copy.
  ///
  /// - Parameter read: Fills a buffer from an offset of the file and gives the bytes read, fewer
  ///   where it ends.
  init(pageSize: Int, _ watch: CopyWatch, read: @escaping Reading) {
    self.pageSize = pageSize
    self.watch = watch
    unsafe self.read = unsafe read
  }

  /// Writes the pages of a commit to a file that is empty.
  ///
  /// - Throws: ``StoreError/Code/locked`` when two later commits took both meta pages.
  func write(_ transaction: UInt64, to file: String) throws(StoreError) {
    let (meta, pageCount) = try meta(of: transaction)
    let target = unsafe open(FileName.bytes(of: file), O_WRONLY | O_CLOEXEC)
    guard target >= 0 else { throw FileErrors.error(errno, file) }
    defer { close(target) }
    // Transaction N writes meta page N & 1; the other one gets the same state as that of N - 1, so
    // that the copy has one state only.
    for slot in 0..<2 {
      var page = meta
      let number = transaction & 1 == UInt64(slot) ? transaction : transaction &- 1
      unsafe page.withUnsafeMutableBytes { bytes in
        unsafe bytes.storeBytes(of: UInt64(slot).littleEndian, as: UInt64.self)
        unsafe bytes.storeBytes(
          of: (transaction == 0 ? 0 : number).littleEndian, toByteOffset: 144, as: UInt64.self)
      }
      try write(page[...], at: slot * pageSize, to: target, file)
    }
    var offset = 2 * pageSize
    let end = pageCount * pageSize
    var buffer = [UInt8](repeating: 0, count: PageCopy.chunk)
    while offset < end {
      try watch.report(Int64(offset / pageSize), of: Int64(pageCount))
      let count = try fill(&buffer, min(PageCopy.chunk, end - offset), at: Int64(offset))
      // Pages that nothing uses may be missing at the end.
      guard count > 0 else { break }
      try write(buffer[..<count], at: offset, to: target, file)
      offset += count
    }
    guard ftruncate(target, off_t(end)) == 0 else { throw FileErrors.error(errno, file) }
    try watch.report(Int64(pageCount), of: Int64(pageCount))
  }

  /// The meta page of a commit, which may be the older one by now, and the number of its pages.
  private func meta(of transaction: UInt64) throws(StoreError) -> (bytes: [UInt8], pageCount: Int) {
    for slot in 0..<2 {
      var page = [UInt8](repeating: 0, count: pageSize)
      guard try fill(&page, pageSize, at: Int64(slot * pageSize)) == pageSize else { continue }
      let (number, lastPage) = unsafe page.withUnsafeBytes { bytes in
        unsafe (
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 144, as: UInt64.self)),
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 136, as: UInt64.self))
        )
      }
      guard number == transaction, let last = Int(exactly: lastPage), last < Int.max / pageSize - 1
      else { continue }
      return (page, last + 1)
    }
    throw StoreError(
      .locked, "other transactions were committed while the copy began",
      suggestion: "copy again, or compact")
  }

  private func fill(_ buffer: inout [UInt8], _ count: Int, at offset: Int64) throws(StoreError)
    -> Int
  {
    var failure: StoreError?
    let found = unsafe buffer.withUnsafeMutableBytes { bytes in
      do throws(StoreError) {
        return unsafe try read(UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(count)), offset)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return found
  }

  private func write(_ bytes: ArraySlice<UInt8>, at offset: Int, to target: Int32, _ file: String)
    throws(StoreError)
  {
    var rest = bytes
    var place = offset
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe pwrite(target, buffer.baseAddress, buffer.count, off_t(place))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileErrors.error(count < 0 ? errno : ENOSPC, file) }
      rest = rest.dropFirst(count)
      place += count
    }
  }
}
