/// Reads JSON (RFC 8259) without building anything: what is valid, and where values end.
///
/// Nesting has an end, nothing recurses, and nothing outside the bytes is read.
struct JSONText {
  /// The deepest nesting that is accepted.
  static let maximumDepth = 64
  /// The deepest nesting of a value that is written inside others and has to be read again.
  static let maximumValueDepth = 48

  let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Whether bytes are one JSON value and nothing else; they must be UTF-8.
  static func isValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var text = JSONText(bytes)
    guard text.skipValue(depth: maximumValueDepth) else { return false }
    text.skipSpace()
    return text.position == bytes.count
  }

  /// The next byte that is no space, if there is one.
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  /// Goes over one byte when it is the next one.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// Goes over one value.
  mutating func skipValue(depth most: Int = maximumDepth) -> Bool {
    // One bit a level: whether it is an object.
    var objects: UInt64 = 0
    var depth = 0
    while true {
      skipSpace()
      guard position < bytes.count else { return false }
      switch bytes[position] {
      case UInt8(ascii: "{"):
        guard depth < most else { return false }
        depth += 1
        objects = objects << 1 | 1
        position += 1
        skipSpace()
        if next != UInt8(ascii: "}") {
          guard skipName() else { return false }
          continue
        }
      case UInt8(ascii: "["):
        guard depth < most else { return false }
        depth += 1
        objects <<= 1
        position += 1
        skipSpace()
        if next != UInt8(ascii: "]") { continue }
      case UInt8(ascii: "\""):
        guard skipString() else { return false }
      case UInt8(ascii: "-"), 0x30...0x39:
        guard skipNumber() else { return false }
      case UInt8(ascii: "t"):
        guard skip("true") else { return false }
      case UInt8(ascii: "f"):
        guard skip("false") else { return false }
      case UInt8(ascii: "n"):
        guard skip("null") else { return false }
      default: return false
      }
      // After a value: what closes, then a comma.
      closing: while depth > 0 {
        skipSpace()
        guard let byte = next else { return false }
        position += 1
        switch byte {
        case UInt8(ascii: "}") where objects & 1 == 1, UInt8(ascii: "]") where objects & 1 == 0:
          objects >>= 1
          depth -= 1
        case UInt8(ascii: ","):
          guard objects & 1 == 0 || skipName() else { return false }
          break closing
        default: return false
        }
      }
      if depth == 0 { return true }
    }
  }

  /// Goes over a member's name and the colon.
  private mutating func skipName() -> Bool {
    skipSpace()
    guard skipString() else { return false }
    skipSpace()
    return skip(UInt8(ascii: ":"))
  }

  /// Goes over a string.
  mutating func skipString() -> Bool {
    guard skip(UInt8(ascii: "\"")) else { return false }
    let count = bytes.count
    while position < count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case 0..<0x20: return false
      case UInt8(ascii: "\\"):
        guard position < count else { return false }
        let escape = bytes[position]
        position += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
          UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
          break
        case UInt8(ascii: "u"):
          guard count - position >= 4 else { return false }
          for offset in 0..<4 where !JSONText.isHexDigit(bytes[position + offset]) { return false }
          position += 4
        default: return false
        }
      default: break
      }
    }
    return false
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  private mutating func skipNumber() -> Bool {
    _ = skip(UInt8(ascii: "-"))
    guard let first = next, (0x30...0x39).contains(first) else { return false }
    position += 1
    if first != UInt8(ascii: "0") { skipDigits() }
    if skip(UInt8(ascii: ".")) {
      guard skipDigits() > 0 else { return false }
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      guard skipDigits() > 0 else { return false }
    }
    return true
  }

  @discardableResult
  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
    return position - start
  }

  private mutating func skip(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for offset in 0..<count where bytes[position + offset] != word.utf8Start[offset] {
      return false
    }
    position += count
    return true
  }
}
