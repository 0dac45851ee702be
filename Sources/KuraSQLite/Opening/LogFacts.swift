import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a `-wal` file holds, told by its own checksums.
///
/// Source: sqlite.org/fileformat2.html, section 4. Nobody locks the log, so opening and closing it
/// drops no lock.
package struct LogFacts: Sendable, Hashable {
  /// Whether the header is that of a log with a right checksum.
  package var isValid = false
  /// The page size of the log.
  package var pageSize = 0
  /// The frames up to the last one that ends a transaction.
  package var committedFrameCount = 0
  /// The frames after it that belong to the same log, of a transaction that was not finished.
  package var unfinishedFrameCount = 0
  /// The pages of the database after the last transaction.
  package var databasePageCount = 0
  /// Whether the log is longer than was looked at.
  package var isPartial = false

  /// The most bytes that are looked at.
  private static let maximumByteCount: Int64 = 1 << 28

  /// Reads a log; a missing or unreadable one has no frames.
  package init(_ path: String) {
    let descriptor = unsafe open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: 32)
    guard LogFacts.read(descriptor, 0, into: &header), header[0] == 0x37, header[1] == 0x7F,
      header[2] == 0x06, header[3] == 0x82 || header[3] == 0x83
    else { return }
    var sum = Checksum(isBigEndian: header[3] == 0x83)
    pageSize = LogFacts.number(header, 8)
    sum.add(header, from: 0, count: 24)
    guard sum.matches(header, 24), pageSize >= 512, pageSize <= 65_536,
      pageSize & (pageSize - 1) == 0
    else { return }
    isValid = true
    var frame = [UInt8](repeating: 0, count: 24 + pageSize)
    var offset: Int64 = 32
    var count = 0
    while LogFacts.read(descriptor, offset, into: &frame) {
      // Salts tell the frames of this log from those of an earlier one in the same file.
      guard frame[8..<16] == header[16..<24] else { break }
      sum.add(frame, from: 0, count: 8)
      sum.add(frame, from: 24, count: pageSize)
      guard sum.matches(frame, 16) else { break }
      count += 1
      let pages = LogFacts.number(frame, 4)
      if pages > 0 {
        committedFrameCount = count
        databasePageCount = pages
      }
      offset += Int64(frame.count)
      guard offset < LogFacts.maximumByteCount else {
        isPartial = true
        break
      }
    }
    unfinishedFrameCount = count - committedFrameCount
  }

  private static func read(_ descriptor: Int32, _ offset: Int64, into bytes: inout [UInt8]) -> Bool
  {
    let count = bytes.count
    return unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, count, off_t(offset)) == count
    }
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The running checksum over a log.
  struct Checksum: Equatable {
    let isBigEndian: Bool
    var first: UInt32 = 0
    var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ bytes: [UInt8], from start: Int, count: Int) {
      unsafe bytes.withUnsafeBytes { bytes in
        var offset = start
        while offset + 8 <= min(start + count, bytes.count) {
          let left = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let right = unsafe bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          first &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
          second &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
          offset += 8
        }
      }
    }

    func matches(_ bytes: [UInt8], _ offset: Int) -> Bool {
      LogFacts.number(bytes, offset) == Int(first)
        && LogFacts.number(bytes, offset + 4) == Int(second)
    }
  }
}
