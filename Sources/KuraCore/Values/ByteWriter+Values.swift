extension ByteWriter {
  /// Adds the bytes of an array.
  package func append(_ bytes: [UInt8]) throws(StoreError) {
    try bytes.withUnsafeBufferPointer { part throws(StoreError) in
      try append(UnsafeRawBufferPointer(part))
    }
  }

  /// Adds an integer in decimal digits.
  package func append(_ value: Int64) throws(StoreError) {
    let place = try reserve(DecimalDigits.mostBytes)
    advance(DecimalDigits.write(value, to: place) - place)
  }

  /// Adds a finite double in the shortest form that reads back as the same number; a whole number
  /// keeps its `.0`.
  ///
  /// Numbers that need an exponent are written like `1e+300`, which JSON and SQL read.
  package func append(_ value: Double) throws(StoreError) {
    let place = try reserve(DecimalDigits.mostBytes)
    advance(DecimalDigits.write(value, to: place) - place)
  }

  /// Adds bytes as hexadecimal digits.
  package func appendHex(_ bytes: UnsafeRawBufferPointer, uppercase: Bool = false)
    throws(StoreError)
  {
    // From the digit after 9 to the letter A or a.
    let gap: UInt8 = uppercase ? 7 : 39
    guard var source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    var rest = bytes.count
    while rest > 0 {
      let chunk = min(rest, capacity / 2)
      let place = try reserve(chunk &* 2)
      // Without branches and checks, so that the compiler takes sixteen bytes at a time.
      var offset = 0
      while offset < chunk {
        let (high, low) = (source[offset] >> 4, source[offset] & 15)
        place[offset &* 2] = high &+ 48 &+ (high > 9 ? gap : 0)
        place[offset &* 2 &+ 1] = low &+ 48 &+ (low > 9 ? gap : 0)
        offset &+= 1
      }
      advance(chunk &* 2)
      source += chunk
      rest -= chunk
    }
  }

  /// Adds bytes in Base64 (RFC 4648) with padding.
  package func appendBase64(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    let letters = alphabet.utf8Start
    var index = 0
    while index < bytes.count {
      let rest = bytes.count - index
      let first = UInt32(bytes[index]) << 16
      let second = rest > 1 ? UInt32(bytes[index + 1]) << 8 : 0
      let third = rest > 2 ? UInt32(bytes[index + 2]) : 0
      let word = first | second | third
      let place = try reserve(4)
      place[0] = letters[Int(word >> 18 & 63)]
      place[1] = letters[Int(word >> 12 & 63)]
      place[2] = rest > 1 ? letters[Int(word >> 6 & 63)] : UInt8(ascii: "=")
      place[3] = rest > 2 ? letters[Int(word & 63)] : UInt8(ascii: "=")
      advance(4)
      index += 3
    }
  }

  /// Adds valid UTF-8 as a JSON string: only quotes, backslashes and control characters are escaped.
  package func appendJSON(_ text: UnsafeRawBufferPointer) throws(StoreError) {
    try append(UInt8(ascii: "\""))
    var start = 0
    var index = 0
    while index < text.count {
      // Most text needs no escape: eight bytes at a time.
      if index + 8 <= text.count,
        ByteSearch.jsonEscapes(text.loadUnaligned(fromByteOffset: index, as: UInt64.self)) == 0
      {
        index += 8
        continue
      }
      let byte = text[index]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        index += 1
        continue
      }
      try append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
      try appendEscape(byte)
      index += 1
      start = index
    }
    try append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
    try append(UInt8(ascii: "\""))
  }

  /// Adds a text as a JSON string.
  package func appendJSON(_ text: String) throws(StoreError) {
    var text = text
    var failure: StoreError?
    text.withUTF8 { bytes in
      do throws(StoreError) {
        try appendJSON(UnsafeRawBufferPointer(bytes))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private func appendEscape(_ byte: UInt8) throws(StoreError) {
    switch byte {
    case UInt8(ascii: "\""): try append("\\\"")
    case UInt8(ascii: "\\"): try append("\\\\")
    case 0x08: try append("\\b")
    case 0x09: try append("\\t")
    case 0x0A: try append("\\n")
    case 0x0C: try append("\\f")
    case 0x0D: try append("\\r")
    default:
      try append("\\u00")
      try append(byte < 16 ? UInt8(48) : UInt8(49))
      try append(byte & 15 < 10 ? (byte & 15) + UInt8(48) : (byte & 15) + UInt8(87))
    }
  }
}
