/// The first bytes of a file and its size, for recognising its format.
public struct FileHeader: Sendable {
  /// The most bytes that are read.
  public static let maximumByteCount = 8192
  /// The first bytes.
  public let bytes: [UInt8]
  /// The size of the file in bytes.
  public let fileSize: Int64

  /// Makes a header.
  public init(bytes: [UInt8], fileSize: Int64) {
    self.bytes = bytes
    self.fileSize = fileSize
  }

  /// Whether the bytes at an offset are the given ones.
  public func has(_ expected: some Collection<UInt8>, at offset: Int = 0) -> Bool {
    guard offset >= 0, bytes.count - offset >= expected.count else { return false }
    return bytes[offset..<(offset + expected.count)].elementsEqual(expected)
  }
}
