import KuraCore

/// The `-wal` file of a database that others write, read without a lock.
///
/// Frames prove themselves by checksums that go through the whole log, so a frame that is being
/// written, or of an earlier log in the same file, is never taken for a committed one.
struct LiveLog {
  /// The place behind the last frame that was seen.
  struct Position: Equatable {
    let header: [UInt8]
    var offset: Int64
    var checksum: LogFacts.Checksum

    /// What tells the frames of this log from those of earlier ones in the same file.
    var salts: ArraySlice<UInt8> { header[16..<24] }
    var pageSize: Int { Int(header.bigEndian32(8)) }
  }

  /// The frames of committed transactions from a position on.
  struct Frames {
    /// The newest frame of each page, as the offset of its bytes.
    var pages: [UInt32: Int64] = [:]
    /// The pages of the database after the last transaction; 0 when there was none.
    var pageCount: UInt32 = 0
    var end: Position
  }

  let file: FileDescriptor

  /// Opens a log; `nil` when there is none.
  init?(_ path: String) {
    guard let file = FileDescriptor(reading: path) else { return nil }
    self.file = file
  }

  /// The place before the first frame; `nil` when the file does not begin as a log does.
  func start() throws(StoreError) -> Position? {
    let header = try file.bytes(at: 0, count: PageLog.headerSize)
    guard header.count == PageLog.headerSize,
      header.bigEndian32(0) & 0xFFFF_FFFE == 0x377F_0682
    else { return nil }
    var checksum = LogFacts.Checksum(isBigEndian: header[3] == 0x83)
    checksum.add(header, from: 0, count: 24)
    let position = Position(header: header, offset: Int64(PageLog.headerSize), checksum: checksum)
    let size = position.pageSize
    guard checksum.matches(header, 24), size >= 512, size <= 65_536, size & (size - 1) == 0 else {
      return nil
    }
    return position
  }

  /// Whether the log is still the one that a position is of.
  func isSame(_ position: Position) throws(StoreError) -> Bool {
    try file.bytes(at: 0, count: PageLog.headerSize) == position.header
  }

  /// Whether a frame of the same log may stand at a position.
  func mayGoOn(at position: Position) throws(StoreError) -> Bool {
    let frame = try file.bytes(at: position.offset, count: PageLog.frameHeaderSize)
    return frame.count == PageLog.frameHeaderSize && frame[8..<16] == position.salts
  }

  /// Reads the frames of all transactions that were committed behind a position.
  func frames(from position: Position) throws(StoreError) -> Frames {
    var committed = Frames(end: position)
    var open: [UInt32: Int64] = [:]
    var place = position
    var frame = [UInt8](repeating: 0, count: PageLog.frameHeaderSize + position.pageSize)
    while try file.read(into: &frame, count: frame.count, at: place.offset) == frame.count {
      guard frame[8..<16] == position.salts else { break }
      place.checksum.add(frame, from: 0, count: 8)
      place.checksum.add(frame, from: PageLog.frameHeaderSize, count: position.pageSize)
      guard place.checksum.matches(frame, 16) else { break }
      open[frame.bigEndian32(0)] = place.offset + Int64(PageLog.frameHeaderSize)
      place.offset += Int64(frame.count)
      let pageCount = frame.bigEndian32(4)
      if pageCount > 0 {
        committed.pages.merge(open) { _, new in new }
        committed.pageCount = pageCount
        committed.end = place
        open = [:]
      }
    }
    return committed
  }
}
