import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Changed pages in the form of a `-wal` file beside a private copy, so that SQLite reads the copy
/// as it was and as it is with them.
///
/// Source: sqlite.org/fileformat2.html, section 4.
final class PageLog {
  static let headerSize = 32
  static let frameHeaderSize = 24

  let pageSize: Int
  private let path: String
  private let file: FileDescriptor
  /// Where the bytes of each page are.
  private(set) var offsets: [UInt32: Int64] = [:]
  private var checksum = LogFacts.Checksum(isBigEndian: false)
  private var end = Int64(PageLog.headerSize)
  private var held: (page: UInt32, bytes: [UInt8])?
  private static let salts: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1]

  /// Makes an empty log.
  init(_ path: String, pageSize: Int) throws(StoreError) {
    self.path = path
    self.pageSize = pageSize
    file = try FileDescriptor(making: path)
    var header = [UInt8](repeating: 0, count: PageLog.headerSize)
    header.setBigEndian32(0x377F_0682, at: 0)
    header.setBigEndian32(3_007_000, at: 4)
    header.setBigEndian32(UInt32(truncatingIfNeeded: pageSize), at: 8)
    header.replaceSubrange(16..<24, with: PageLog.salts)
    checksum.add(header, from: 0, count: 24)
    header.setBigEndian32(checksum.first, at: 24)
    header.setBigEndian32(checksum.second, at: 28)
    try file.write(header[...], at: 0)
  }

  deinit { unsafe unlink(FileName.bytes(of: path)) }

  /// Adds a page; a later one of the same number replaces it.
  func add(_ page: UInt32, _ bytes: [UInt8]) throws(StoreError) {
    if let held { try write(held.page, held.bytes, pageCount: 0) }
    held = (page, bytes)
  }

  /// Ends the transaction; only then are the pages valid.
  func commit(pageCount: UInt32) throws(StoreError) {
    guard let held else { return }
    try write(held.page, held.bytes, pageCount: pageCount)
    self.held = nil
  }

  private func write(_ page: UInt32, _ bytes: [UInt8], pageCount: UInt32) throws(StoreError) {
    var frame = [UInt8](repeating: 0, count: PageLog.frameHeaderSize)
    frame.setBigEndian32(page, at: 0)
    frame.setBigEndian32(pageCount, at: 4)
    frame.replaceSubrange(8..<16, with: PageLog.salts)
    checksum.add(frame, from: 0, count: 8)
    checksum.add(bytes, from: 0, count: pageSize)
    frame.setBigEndian32(checksum.first, at: 16)
    frame.setBigEndian32(checksum.second, at: 20)
    try file.write((frame + bytes)[...], at: end)
    offsets[page] = end + Int64(PageLog.frameHeaderSize)
    end += Int64(PageLog.frameHeaderSize + bytes.count)
  }

  /// Whether no page is in it.
  var isEmpty: Bool { held == nil && offsets.isEmpty }

  /// Whether a page is in it.
  func has(_ number: UInt32) -> Bool { held?.page == number || offsets[number] != nil }

  /// The bytes of a page; `nil` when it is not changed.
  func page(_ number: UInt32) throws(StoreError) -> [UInt8]? {
    if let held, held.page == number { return held.bytes }
    guard let offset = offsets[number] else { return nil }
    return try file.bytes(at: offset, count: pageSize)
  }
}
