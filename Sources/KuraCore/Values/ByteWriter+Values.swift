extension ByteWriter {
  /// Adds the bytes of an array.
  package func append(_ bytes: [UInt8]) throws(StoreError) {
    try bytes.withUnsafeBufferPointer { part throws(StoreError) in
      try append(UnsafeRawBufferPointer(part))
    }
  }

  /// Adds an integer in decimal digits.
  package func append(_ value: Int64) throws(StoreError) {
    var place = try reserve(20)
    var count = 0
    if value < 0 {
      place[0] = UInt8(ascii: "-")
      place += 1
      count = 1
    }
    count += ByteWriter.write(value.magnitude, to: place)
    advance(count)
  }

  /// Writes the decimal digits of a number and returns how many there are, at most 20.
  @inline(__always)
  private static func write(_ value: UInt64, to place: UnsafeMutablePointer<UInt8>) -> Int {
    var count = 1
    var bound: UInt64 = 10
    while value >= bound {
      count += 1
      let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
      if overflow { break }
      bound = next
    }
    var rest = value
    var position = count
    while position > 0 {
      position -= 1
      let quotient = rest / 10
      place[position] = UInt8(truncatingIfNeeded: 48 &+ (rest &- quotient &* 10))
      rest = quotient
    }
    return count
  }

  /// Adds a double that has at most six decimals and fifteen digits; says whether it did.
  ///
  /// Fifteen digits name one double each, so the digits found here are the shortest that do.
  private func appendShort(_ value: Double) throws(StoreError) -> Bool {
    let magnitude = abs(value)
    guard magnitude >= 0.001, magnitude < 1e8 else { return false }
    let scaled = (magnitude * 1e6).rounded()
    guard scaled / 1e6 == magnitude else { return false }
    let number = UInt64(scaled)
    var (whole, fraction) = (number / 1_000_000, number % 1_000_000)
    var place = try reserve(20)
    let start = place
    if value < 0 {
      place[0] = UInt8(ascii: "-")
      place += 1
    }
    place += ByteWriter.write(whole, to: place)
    place[0] = UInt8(ascii: ".")
    place += 1
    var divisor: UInt64 = 100_000
    repeat {
      whole = fraction / divisor
      place[0] = UInt8(truncatingIfNeeded: 48 &+ whole)
      place += 1
      fraction -= whole * divisor
      divisor /= 10
    } while fraction > 0
    advance(place - start)
    return true
  }

  /// Adds a finite double in the shortest form that reads back as the same number; a whole number
  /// keeps its `.0`.
  ///
  /// Numbers that need an exponent are written like `1e+300`, which JSON and SQL read.
  package func append(_ value: Double) throws(StoreError) {
    if value == value.rounded(.towardZero), abs(value) < 1e15 {
      if value == 0, value.sign == .minus { return try append("-0.0") }
      try append(Int64(value))
      return try append(".0")
    }
    if try appendShort(value) { return }
    try append(value.description)
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
        ByteWriter.isPlainJSON(text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
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

  /// Whether none of eight bytes is a control character, a quote or a backslash.
  @inline(__always)
  private static func isPlainJSON(_ word: UInt64) -> Bool {
    let (ones, high): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let quotes = word ^ ones &* 0x22
    let backslashes = word ^ ones &* 0x5C
    let found =
      (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
      | (backslashes &- ones) & ~backslashes
    return found & high == 0
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
