/// A range of bytes in memory that is only read inside its bounds.
///
/// Numbers are little-endian and aligned to nothing (`mdb.c`: pages are copied around as bytes), so
/// each field is read by itself. An offset outside gives 0: what was read from a file is checked
/// before it is used, and a check that was forgotten must not become a read of foreign memory.
@safe
struct PageBytes {
  let base: UnsafeRawPointer
  let count: Int

  init(_ base: UnsafeRawPointer, count: Int) {
    unsafe self.base = unsafe base
    self.count = max(0, count)
  }

  @inline(__always)
  func uint16(_ offset: Int) -> Int {
    guard offset >= 0, offset <= count &- 2 else { return 0 }
    return unsafe Int(
      UInt16(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
  }

  @inline(__always)
  func uint32(_ offset: Int) -> UInt32 {
    guard offset >= 0, offset <= count &- 4 else { return 0 }
    return unsafe UInt32(
      littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always)
  func uint64(_ offset: Int) -> UInt64 {
    guard offset >= 0, offset <= count &- 8 else { return 0 }
    return unsafe UInt64(
      littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// A part, cut where the bytes end.
  @inline(__always)
  func slice(_ offset: Int, _ length: Int) -> UnsafeRawBufferPointer {
    guard offset >= 0, offset <= count else {
      return unsafe UnsafeRawBufferPointer(start: base, count: 0)
    }
    return unsafe UnsafeRawBufferPointer(
      start: base + offset, count: max(0, min(length, count &- offset)))
  }

  /// A part as bytes of its own, cut where the bytes end.
  func part(_ offset: Int, _ length: Int) -> PageBytes {
    let slice = unsafe slice(offset, length)
    return unsafe PageBytes(slice.baseAddress ?? base, count: slice.count)
  }
}
