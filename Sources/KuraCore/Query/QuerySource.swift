/// The text of a query, kept so that every error can show the place it is about.
package final class QuerySource: Sendable {
  /// The text.
  let text: String
  /// The UTF-8 bytes of the text.
  let bytes: [UInt8]

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  /// An error about the place at an offset of bytes: a sentence with line and column, the line of
  /// the text, and a caret below the place.
  func error(
    _ message: String, at offset: Int, suggestion: String? = nil,
    code: StoreError.Code = .invalidQuery
  ) -> StoreError {
    let place = min(max(0, offset), bytes.count)
    let newline = UInt8(ascii: "\n")
    let lineStart = bytes[..<place].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let lineEnd = bytes[place...].firstIndex(of: newline) ?? bytes.count
    let line = bytes[..<lineStart].count { $0 == newline } + 1
    let before = String(decoding: bytes[lineStart..<place], as: UTF8.self)
    let after = String(decoding: bytes[place..<lineEnd], as: UTF8.self)
    let position =
      line == 1 ? "column \(before.count + 1)" : "line \(line), column \(before.count + 1)"
    let shownBefore = before.count > 60 ? "…" + before.suffix(59) : before
    let shownAfter = after.count > 40 ? after.prefix(39) + "…" : after
    let indent = String(repeating: " ", count: shownBefore.reduce(0) { $0 + $1.cellWidth })
    return StoreError(
      code,
      "\(message) at \(position)\n  \((shownBefore + shownAfter).oneLine)\n  \(indent)^",
      suggestion: suggestion)
  }

  /// A part of the text for a message, cut when long.
  func excerpt(_ range: Range<Int>) -> String {
    let text = String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self).oneLine
    return text.count > 30 ? text.prefix(29) + "…" : text
  }
}

/// A place in a query's text.
package struct QueryLocation: Sendable {
  let source: QuerySource
  let offset: Int
}

extension StringProtocol {
  /// The text with control characters as spaces, so that a caret below it stays in place.
  fileprivate var oneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
  }
}

extension Character {
  /// The terminal cells that a character takes: two for East Asian wide ones and emoji.
  fileprivate var cellWidth: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
