/// What follows the list of columns in a CREATE TABLE statement.
///
/// Source: sqlite.org/lang_createtable.html, "table-options". SQLite compares the words as they are
/// written, so a quoted one is none of them.
struct TableOptions: Equatable {
  private(set) var isWithoutRowID = false
  private(set) var isStrict = false

  /// Reads a statement that SQLite has accepted.
  init(declaration: String) {
    var words: [String] = []
    var word: [UInt8] = []
    var scanner = SQLScanner(declaration)
    var depth = 0
    while let byte = scanner.next() {
      if depth == 0, SQLScanner.isLetter(byte) {
        word.append(byte)
        continue
      }
      if !word.isEmpty {
        words.append(String(decoding: word, as: UTF8.self).lowercased())
        word = []
      }
      if byte == UInt8(ascii: "(") {
        depth += 1
        // Only what follows the last list at the outermost level counts.
        words = []
      } else if byte == UInt8(ascii: ")") {
        depth -= 1
      } else if depth == 0, byte == UInt8(ascii: ",") {
        words.append(",")
      }
    }
    if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self).lowercased()) }
    for option in words.split(separator: ",") {
      if option.elementsEqual(["without", "rowid"]) { isWithoutRowID = true }
      if option.elementsEqual(["strict"]) { isStrict = true }
    }
  }
}

/// The bytes of an SQL text outside comments; of a quoted text or name only the first quote.
private struct SQLScanner {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Whether a byte can be part of an unquoted word.
  static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  mutating func next() -> UInt8? {
    guard index < bytes.count else { return nil }
    let byte = bytes[index]
    let follower = index + 1 < bytes.count ? bytes[index + 1] : 0
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      // A doubled quote inside begins the next quoted text at once, which comes to the same.
      index = after(byte, from: index + 1)
      return byte
    case UInt8(ascii: "["):
      index = after(UInt8(ascii: "]"), from: index + 1)
      return byte
    case UInt8(ascii: "-") where follower == byte:
      index = after(0x0A, from: index + 2)
      return UInt8(ascii: " ")
    case UInt8(ascii: "/") where follower == UInt8(ascii: "*"):
      index += 2
      while index < bytes.count {
        index = after(UInt8(ascii: "*"), from: index)
        if index < bytes.count, bytes[index] == UInt8(ascii: "/") {
          index += 1
          break
        }
      }
      return UInt8(ascii: " ")
    default:
      index += 1
      return byte
    }
  }

  /// The place after the next byte of a value, or the end.
  private func after(_ byte: UInt8, from start: Int) -> Int {
    var place = start
    while place < bytes.count, bytes[place] != byte { place += 1 }
    return min(place + 1, bytes.count)
  }
}
