/// What a comparison of texts overlooks, written as letters in brackets: `name CONTAINS[cd] 'rex'`.
///
/// Without any, texts are compared by their UTF-8 bytes. With some, both sides are folded first, in
/// the same way whatever the locale and the backend; a canonically equivalent spelling is then equal
/// as well.
public struct TextComparison: OptionSet, Sendable, Hashable {
  /// One bit for each option.
  public let rawValue: UInt8

  /// Makes a set of the bits of its options.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `c`: letter case, by Unicode's full case folding: `ß` is `SS`, `ς` is `Σ`.
  public static let caseInsensitive = TextComparison(rawValue: 1)
  /// `d`: accents of Latin, Greek and Cyrillic letters; the marks of other scripts are kept.
  public static let diacriticInsensitive = TextComparison(rawValue: 2)
  /// `w`: full and half width: `Ａ` is `A`, `ｶﾞ` is `ガ`.
  public static let widthInsensitive = TextComparison(rawValue: 4)
  /// `k`: hiragana and katakana: `か` is `カ`.
  public static let kanaInsensitive = TextComparison(rawValue: 8)
  /// `s`: small and ordinary kana: `ャ` is `ヤ`.
  public static let smallKanaInsensitive = TextComparison(rawValue: 16)

  /// The letters with their options.
  package static let letters: [(letter: Character, option: TextComparison)] = [
    ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("w", .widthInsensitive),
    ("k", .kanaInsensitive), ("s", .smallKanaInsensitive),
  ]

  /// The options that exist.
  private static let known = letters.reduce(TextComparison()) { $0.union($1.option) }

  /// The set without bits that mean nothing.
  var normalized: TextComparison { intersection(.known) }

  /// `[cd]`, or nothing when the set is empty.
  package var suffix: String {
    let letters = TextComparison.letters.filter { contains($0.option) }.map(\.letter)
    return letters.isEmpty ? "" : "[\(String(letters))]"
  }

  /// A text as the comparison sees it.
  package func folded(_ text: String) -> String {
    guard !normalized.isEmpty else { return text }
    var text = text
    let folder = TextFolder(self)
    return text.withUTF8 { bytes in
      String(decoding: folder.fold(UnsafeRawBufferPointer(bytes)), as: UTF8.self)
    }
  }

  /// A pattern of LIKE with its literal parts folded, so that what folds to `*` is no wildcard.
  package func foldedPattern(_ pattern: String) -> String {
    guard !normalized.isEmpty else { return pattern }
    let folder = TextFolder(self)
    var result = String.UnicodeScalarView()
    var literal = String.UnicodeScalarView()
    func endLiteral() {
      var text = String(literal)
      literal.removeAll()
      let folded = text.withUTF8 { bytes in
        String(decoding: folder.fold(UnsafeRawBufferPointer(bytes)), as: UTF8.self)
      }
      for scalar in folded.unicodeScalars {
        if scalar == "*" || scalar == "?" || scalar == "\\" { result.append("\\") }
        result.append(scalar)
      }
    }
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        literal.append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "*" || scalar == "?" {
        endLiteral()
        result.append(scalar)
      } else {
        literal.append(scalar)
      }
    }
    if isEscaped { literal.append("\\") }
    endLiteral()
    return String(result)
  }
}
