import KuraCore

/// Reads numbers and parts of bytes, never beyond their end.
struct BinaryReader {
  let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() throws(StoreError) -> UInt8 {
    guard position < bytes.count else { throw JSONBuilder.impossible }
    position += 1
    return bytes[position - 1]
  }

  /// A big-endian unsigned number.
  mutating func number(_ byteCount: Int) throws(StoreError) -> UInt64 {
    guard byteCount <= 8, bytes.count - position >= byteCount else { throw JSONBuilder.impossible }
    var value: UInt64 = 0
    for offset in 0..<byteCount { value = value << 8 | UInt64(bytes[position + offset]) }
    position += byteCount
    return value
  }

  mutating func part(_ count: UInt64) throws(StoreError) -> UnsafeRawBufferPointer {
    guard count <= UInt64(bytes.count - position) else { throw JSONBuilder.impossible }
    let start = position
    position += Int(count)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }
}
