import KuraCore

/// The room at the end of a writer's block, filled through a place that stays in a register.
///
/// It is of this module, not of the writer's, so that the compiler puts its steps in line. While it is
/// in use nothing else adds to the writer; what is put after the last ``commit()`` is lost.
struct ByteRoom {
  private let writer: ByteWriter
  /// Where the writer's own bytes end.
  private var start: UnsafeMutablePointer<UInt8>
  private var place: UnsafeMutablePointer<UInt8>
  private var end: UnsafeMutablePointer<UInt8>

  /// Begins where the writer is, when it has some room.
  @inline(__always)
  init(_ writer: ByteWriter) throws(StoreError) {
    self.writer = writer
    start = try writer.reserve(1)
    place = start
    end = start + writer.rest
  }

  /// Tells the writer what was put.
  @inline(__always)
  mutating func commit() {
    writer.advance(place - start)
    start = place
  }

  /// Begins again, after something else was added to the writer.
  @inline(__always)
  mutating func resume() throws(StoreError) {
    start = try writer.reserve(1)
    place = start
    end = start + writer.rest
  }

  /// Makes sure that so many bytes can be put, at most ``ByteWriter/leastCapacity``.
  @inline(__always)
  mutating func need(_ count: Int) throws(StoreError) {
    if end - place < count {
      commit()
      try writer.flush()
      try resume()
    }
  }

  /// Puts a byte, for which there is room.
  @inline(__always)
  mutating func put(_ byte: UInt8) {
    place[0] = byte
    place += 1
  }

  /// Puts the digits of an integer, for which there is room: ``DecimalDigits/mostBytes``.
  @inline(__always)
  mutating func put(_ value: Int64) { place = DecimalDigits.write(value, to: place) }

  /// Puts a finite double as ``ByteWriter/append(_:)-(Double)`` does, with room for
  /// ``DecimalDigits/mostBytes``.
  @inline(__always)
  mutating func put(_ value: Double) { place = DecimalDigits.write(value, to: place) }

  /// Adds bytes of any number, whether there is room or not.
  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard let source = bytes.baseAddress else { return }
    let count = bytes.count
    guard end - place >= count else {
      commit()
      try writer.append(bytes)
      return try resume()
    }
    let target = UnsafeMutableRawPointer(place)
    // Most texts are short: two words that overlap cost less than a call.
    if count >= 16, count <= 32 {
      ByteRoom.copyEnds(of: source, to: target, count, as: SIMD2<UInt64>.self)
    } else if count >= 8, count < 16 {
      ByteRoom.copyEnds(of: source, to: target, count, as: UInt64.self)
    } else if count >= 4, count < 8 {
      ByteRoom.copyEnds(of: source, to: target, count, as: UInt32.self)
    } else {
      target.copyMemory(from: source, byteCount: count)
    }
    place += count
  }

  /// Adds the ASCII text of a literal.
  @inline(__always)
  mutating func append(_ text: StaticString) throws(StoreError) {
    try append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Copies bytes as their first and last word, which together cover them.
  @inline(__always)
  static func copyEnds<Word: BitwiseCopyable>(
    of source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ count: Int,
    as: Word.Type
  ) {
    let offset = count &- MemoryLayout<Word>.size
    let first = source.loadUnaligned(as: Word.self)
    let last = source.loadUnaligned(fromByteOffset: offset, as: Word.self)
    target.storeBytes(of: first, as: Word.self)
    target.storeBytes(of: last, toByteOffset: offset, as: Word.self)
  }
}
