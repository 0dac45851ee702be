import CZlib
import KuraCore

/// Decompresses zlib and gzip data with the system's zlib.
enum Inflation {
  /// The most bytes that one value may become.
  static let maximumSize = 64 << 20

  /// Whether bytes begin like zlib data (RFC 1950, section 2.2) or gzip data (RFC 1952).
  static func mayBeCompressed(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 8 else { return false }
    if bytes[0] == 0x1F, bytes[1] == 0x8B, bytes[2] == 8 { return true }
    return bytes[0] == 0x78 && bytes[1] & 0x20 == 0
      && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
  }

  /// Decompresses bytes that are one compressed stream and nothing else.
  ///
  /// - Returns: `nil` when they are not, or when the result is too long.
  static func inflate(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var stream = z_stream()
    guard bytes.count <= Int(UInt32.max), kura_inflate_init(&stream) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    // zlib does not write into its input.
    stream.next_in = UnsafeMutablePointer(
      mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.avail_in = UInt32(bytes.count)
    var result: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let status = block.withUnsafeMutableBufferPointer { block in
        stream.next_out = block.baseAddress
        stream.avail_out = UInt32(block.count)
        return CZlib.inflate(&stream, Z_NO_FLUSH)
      }
      let count = block.count - Int(stream.avail_out)
      guard result.count + count <= maximumSize else { return nil }
      result += block[..<count]
      if status == Z_STREAM_END { return stream.avail_in == 0 ? result : nil }
      guard status == Z_OK else { return nil }
    }
  }
}
