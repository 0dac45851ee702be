extension String {
  /// Makes a text of bytes that were found to be UTF-8 when they were read, without another check where
  /// the standard library allows that.
  init(validUTF8 bytes: UnsafeRawBufferPointer) {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      let isASCII = bytes.baseAddress.map { UTF8Validation.isASCII($0, bytes.count) } ?? true
      let units = bytes.assumingMemoryBound(to: UInt8.self).span
      self.init(copying: UTF8Span(unchecked: units, isKnownASCII: isASCII))
    } else {
      self.init(decoding: bytes, as: UTF8.self)
    }
  }
}
