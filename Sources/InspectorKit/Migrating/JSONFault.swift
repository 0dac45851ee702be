/// Finds where a text stops to be JSON, with comments, trailing commas and quotes of both kinds.
///
/// The decoder only says that a text is none.
struct JSONFault {
  private let bytes: [UInt8]
  private var place = 0

  /// The line and column of the first fault, from 1; `nil` when this reader finds none.
  static func position(in text: String) -> (line: Int, column: Int)? {
    var reader = JSONFault(bytes: Array(text.utf8))
    guard !reader.read() else { return nil }
    let before = reader.bytes.prefix(min(reader.place, reader.bytes.count))
    let line = before.count { $0 == 0x0A } + 1
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    // Columns count characters, so that an editor shows the same.
    return (line, String(decoding: before[start...], as: UTF8.self).count + 1)
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private func has(_ text: StaticString, at place: Int) -> Bool {
    text.withUTF8Buffer { place < bytes.count && bytes[place...].starts(with: $0) }
  }

  /// Reads the whole text; `false` with the place of the fault.
  ///
  /// What is open is kept in a list, so that no nesting is too deep.
  private mutating func read() -> Bool {
    var open: [UInt8] = []
    repeat {
      guard skipBlank(), let byte = next else { return false }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        place += 1
        open.append(byte)
        guard skipBlank() else { return false }
        if next != closing(byte) {
          guard byte != UInt8(ascii: "{") || readName() else { return false }
          continue
        }
      default:
        guard readValue() else { return false }
      }
      guard close(&open) else { return false }
    } while !open.isEmpty
    return skipBlank() && next == nil
  }

  private func closing(_ byte: UInt8?) -> UInt8 {
    byte == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
  }

  /// Reads what follows a value, up to where the next value begins.
  private mutating func close(_ open: inout [UInt8]) -> Bool {
    while let last = open.last {
      guard skipBlank() else { return false }
      if next == closing(last) {
        place += 1
        open.removeLast()
        continue
      }
      guard next == UInt8(ascii: ",") else { return false }
      place += 1
      guard skipBlank() else { return false }
      if next == closing(last) { continue }
      return last != UInt8(ascii: "{") || readName()
    }
    return true
  }

  /// Reads a member's name and the colon.
  private mutating func readName() -> Bool {
    guard readValue(), skipBlank(), next == UInt8(ascii: ":") else { return false }
    place += 1
    return true
  }

  /// Reads a text in quotes, or a word such as a number.
  private mutating func readValue() -> Bool {
    guard let first = next else { return false }
    guard first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") else {
      let start = place
      while let byte = next, isWord(byte) { place += 1 }
      return place > start
    }
    let start = place
    place += 1
    while let byte = next, byte != first {
      guard byte != 0x0A else { break }
      place += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    guard next == first else {
      place = start
      return false
    }
    place += 1
    return true
  }

  private func isWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
      || (0x61...0x7A).contains(byte) || [0x24, 0x2B, 0x2D, 0x2E, 0x5F].contains(byte)
  }

  /// Skips blanks and comments; `false` for a comment without an end.
  private mutating func skipBlank() -> Bool {
    while let byte = next {
      if byte <= 0x20 {
        place += 1
      } else if has("//", at: place) {
        while let byte = next, byte != 0x0A { place += 1 }
      } else if has("/*", at: place) {
        let start = place
        place += 2
        while next != nil, !has("*/", at: place) { place += 1 }
        guard next != nil else {
          place = start
          return false
        }
        place += 2
      } else {
        return true
      }
    }
    return true
  }
}
