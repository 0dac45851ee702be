import KuraCore

/// What raw SQL may not do: end the store's transaction, reach other files or change the connection.
///
/// A connection goes back to the pool, so that a pragma would outlive its transaction. SQLite
/// executes some pragmas when a statement is prepared, even under EXPLAIN; so the text is looked at
/// before. The words meant here can only come first in a statement.
enum RawSQL {
  /// Throws when the first statement of a text is one that the store keeps to itself.
  static func check(_ sql: Substring.UTF8View, canWrite: Bool) throws(StoreError) {
    guard !sql.contains(0) else {
      throw StoreError(.invalidSQL, "the SQL has a NUL character")
    }
    var leading = SQLTokens(sql)
    var tokens = SQLTokens(leading.withoutEmptyStatements())
    var word = tokens.next()
    if word == "EXPLAIN" {
      word = tokens.next()
      if word == "QUERY" {
        _ = tokens.next()
        word = tokens.next()
      }
    }
    switch word {
    case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE":
      throw StoreError(
        .invalidSQL, "\(word ?? "") belongs to the store, which keeps its own transactions",
        suggestion: "leave the statement out; use savepoints of the transaction")
    case "ATTACH", "DETACH":
      throw StoreError(
        .invalidSQL, "\(word ?? "") is not allowed: a store is one file",
        suggestion: "open the other file as a store of its own")
    case "PRAGMA":
      try checkPragma(&tokens, canWrite)
    default: return
    }
  }

  /// Whether the first statement of a text changes rows at most, and no schema.
  static func changesRows(_ sql: Substring.UTF8View) -> Bool {
    var leading = SQLTokens(sql)
    var tokens = SQLTokens(leading.withoutEmptyStatements())
    switch tokens.next() {
    case "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "SELECT", "VALUES", "EXPLAIN": return true
    default: return false
    }
  }

  private static func checkPragma(_ tokens: inout SQLTokens, _ canWrite: Bool) throws(StoreError) {
    guard var name = tokens.next() else { return }
    var following = tokens.next()
    if following == "." {
      name = tokens.next() ?? ""
      following = tokens.next()
    }
    let pragma = name.lowercased()
    let isQuestion =
      following == nil || following == ";" || UntrustedSettings.pragmasWithArgument.contains(pragma)
    if isQuestion, UntrustedSettings.pragmas.contains(pragma) { return }
    if canWrite, writingPragmas.contains(pragma) { return }
    throw StoreError(
      .invalidSQL, "the pragma \(pragma.prefix(40)) is not allowed here",
      suggestion: "use pragmas that only tell something")
  }

  /// The pragmas whose effect is inside the transaction.
  private static let writingPragmas: Set<String> = [
    "application_id", "defer_foreign_keys", "user_version",
  ]
}

/// The words and signs at the beginning of an SQL text, without white space and comments; words in
/// upper case.
struct SQLTokens {
  private var rest: Substring.UTF8View

  init(_ sql: Substring.UTF8View) { rest = sql }

  /// The next word or sign; a quoted name without its quotes.
  mutating func next() -> String? {
    skipBlank()
    guard let first = rest.first else { return nil }
    let quotes: [UInt8: UInt8] = [
      UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "'"): UInt8(ascii: "'"),
      UInt8(ascii: "`"): UInt8(ascii: "`"), UInt8(ascii: "["): UInt8(ascii: "]"),
    ]
    if let end = quotes[first] {
      rest.removeFirst()
      let name = rest.prefix { $0 != end }
      rest = rest[name.endIndex...].dropFirst()
      return String(decoding: name, as: UTF8.self).uppercased()
    }
    let word = rest.prefix { SQLTokens.isWord($0) }
    guard !word.isEmpty else {
      rest.removeFirst()
      return String(Unicode.Scalar(first))
    }
    rest = rest[word.endIndex...]
    return String(decoding: word, as: UTF8.self).uppercased()
  }

  /// Passes white space and comments.
  private mutating func skipBlank() {
    while let first = rest.first {
      switch first {
      case 0x09, 0x0A, 0x0C, 0x0D, 0x20: rest.removeFirst()
      case UInt8(ascii: "-") where rest.starts(with: "--".utf8):
        rest = rest.drop { $0 != 0x0A }
      case UInt8(ascii: "/") where rest.starts(with: "/*".utf8):
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      case 0xEF where rest.starts(with: [0xEF, 0xBB, 0xBF]): rest = rest.dropFirst(3)
      default: return
      }
    }
  }

  /// Whether nothing but blanks, comments and empty statements follows.
  mutating func isAtEnd() -> Bool {
    skipBlank()
    while rest.first == UInt8(ascii: ";") {
      rest.removeFirst()
      skipBlank()
    }
    return rest.isEmpty
  }

  /// What follows the empty statements at the beginning.
  mutating func withoutEmptyStatements() -> Substring.UTF8View {
    _ = isAtEnd()
    return rest
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
      true
    default: false
    }
  }
}
