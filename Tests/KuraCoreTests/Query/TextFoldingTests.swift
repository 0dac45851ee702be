import Foundation
import KuraTesting
import Testing

@testable import KuraCore

@Suite struct TextFoldingTests {
  private static let all = TextComparison.letters.reduce(TextComparison()) { $0.union($1.option) }

  private func isEqual(_ left: String, _ right: String, _ options: TextComparison) -> Bool {
    Array(options.folded(left).utf8) == Array(options.folded(right).utf8)
  }

  @Test(
    "texts that each option overlooks, and texts that it does not",
    arguments: [
      ("Straße", "STRASSE", "c", true), ("ẞ", "ß", "c", true), ("Σίσυφος", "ΣΊΣΥΦΟΣ", "c", true),
      ("ς", "σ", "c", true), ("ŉ", "ʼN", "c", true), ("ﬁ", "FI", "c", true), ("ǅ", "Ǆ", "c", true),
      ("K", "k", "c", true), ("Å", "å", "c", true), ("µ", "Μ", "c", true),
      // Turkish letters mean the same everywhere.
      ("I", "i", "c", true), ("ı", "i", "c", false), ("İ", "i", "c", false), ("İ", "i", "cd", true),
      ("İ", "i\u{307}", "c", true), ("ı", "I", "cd", false),
      ("é", "e\u{301}", "c", true), ("é", "e", "c", false), ("é", "E", "cd", true),
      ("É", "é", "d", false), ("É", "E", "d", true), ("Việt Nam", "viet nam", "cd", true),
      ("Ά", "α", "cd", true), ("й", "и", "d", true), ("ё", "Е", "cd", true),
      ("ø", "o", "d", false), ("ł", "l", "d", false), ("q\u{303}", "q", "d", true),
      // Marks of other scripts make other letters.
      ("が", "か", "d", false), ("パ", "ハ", "cd", false), ("か\u{3099}", "が", "d", true),
      ("क़", "क", "d", false), ("กี", "ก", "d", false), ("שׁ", "ש", "d", false),
      ("Ａｂｃ１", "Abc1", "w", true), ("Ａ", "a", "w", false), ("Ａ", "a", "cw", true),
      ("ｶﾞｷﾞ", "ガギ", "w", true), ("ﾊﾟ", "パ", "w", true), ("ﾊﾟ", "ハ", "cdw", false),
      ("ｶ", "カ", "c", false), ("ｰ", "ー", "w", true), ("\u{3000}", " ", "w", true),
      ("￥", "¥", "w", true),
      ("｡｢｣､･", "。「」、・", "w", true), ("ￂ", "ㅏ", "w", true), ("ﾡ", "ㄱ", "w", true),
      ("カタカナ", "かたかな", "k", true), ("ヴ", "ゔ", "k", true), ("ヷ", "わ\u{3099}", "k", true),
      ("ｶﾞ", "が", "k", false), ("ｶﾞ", "が", "kw", true), ("ヾ", "ゞ", "k", true),
      ("ー", "ー", "k", true), ("っ", "つ", "k", false), ("キャノン", "キヤノン", "s", true),
      ("きょう", "きよう", "s", true), ("びょういん", "ビヨウイン", "k", false),
      ("びょういん", "ビヨウイン", "ks", true), ("ヵ", "カ", "s", true), ("ゕ", "か", "s", true),
      ("ㇰ", "ク", "s", true), ("ｼｬﾁﾊﾀ", "シヤチハタ", "ws", true),
      // Canonically equivalent spellings are equal whatever else is overlooked.
      ("神", "\u{FA19}", "k", true), ("한", "\u{1112}\u{1161}\u{11AB}", "c", true),
      ("ẛ\u{323}", "ſ\u{323}\u{307}", "d", true), ("\u{344}", "\u{308}\u{301}", "c", true),
      ("a\u{301}\u{327}", "a\u{327}\u{301}", "c", true),
      ("日本語", "日本语", "cdwks", false), ("", "", "cd", true), ("ⅷ", "Ⅷ", "c", true),
      ("ⓐ", "Ⓐ", "c", true), ("𐐀", "𐐨", "c", true),
    ])
  func pairs(left: String, right: String, letters: String, expected: Bool) {
    let options = TextComparison.letters.filter { letters.contains($0.letter) }
      .reduce(TextComparison()) { $0.union($1.option) }
    #expect(isEqual(left, right, options) == expected)
    #expect(isEqual(right, left, options) == expected)
  }

  @Test("folding case makes equal what Foundation's case folding makes equal, for every scalar")
  func everyScalar() {
    var different: [String] = []
    var count = 0
    for value in 0x80...0x1_FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 14
      else { continue }
      let text = String(Character(scalar))
      let expected = text.folding(options: .caseInsensitive, locale: nil)
      guard !expected.unicodeScalars.elementsEqual(text.unicodeScalars) else { continue }
      count += 1
      if !isEqual(text, expected, .caseInsensitive) { different.append(text) }
    }
    #expect(count > 1300)
    #expect(different == [])
  }

  @Test("canonical mappings are those of Foundation, for every scalar")
  func decompositions() {
    for value in 0x80...0x10_FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 14
      else { continue }
      var found: [UInt32] = []
      CanonicalMappings.decompose(value, into: &found)
      let text = String(Character(scalar))
      let expected = text.decomposedStringWithCanonicalMapping.unicodeScalars.map(\.value)
      if found != expected { Issue.record("\(value): \(found) instead of \(expected)") }
      let composed = text.precomposedStringWithCanonicalMapping
      let folded = TextComparison.kanaInsensitive.folded(text)
      if !(0x3041...0x30FF).contains(value),
        !folded.unicodeScalars.elementsEqual(composed.unicodeScalars)
      {
        Issue.record("\(value): composed to \(folded)")
      }
    }
  }

  @Test("random runs of marks and letters are normalized as Foundation does, and fold once")
  func randomTexts() {
    let pool: [Unicode.Scalar] = Array(
      "aAeEoOsSkKiI ßẞſςΣσάΆᾳᾼΐйЙがかカｶガﾞﾟはパっッヵｯー한글Å\u{301}\u{300}\u{327}\u{323}\u{345}\u{3099}\u{309A}\u{307}\u{308}\u{11A8}\u{1161}\u{1100}\u{FE0F}👍क़\u{93C}ﬁŉ0*?\\"
        .unicodeScalars)
    var random = RepeatableGenerator(seed: 4)
    for _ in 0..<20_000 {
      var view = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        view.append(pool.randomElement(using: &random) ?? "a")
      }
      let text = String(view)
      let options = TextComparison(rawValue: UInt8.random(in: 1...31, using: &random))
      let once = options.folded(text)
      #expect(
        options.folded(once).unicodeScalars.elementsEqual(once.unicodeScalars),
        "\(text.unicodeScalars.map { String($0.value, radix: 16) }) \(options.suffix)")
      #expect(
        once.unicodeScalars.elementsEqual(
          once.precomposedStringWithCanonicalMapping.unicodeScalars))
      // Another spelling of the same text folds to the same.
      let apart = text.decomposedStringWithCanonicalMapping
      if !text.unicodeScalars.contains(where: { 0xFF9E...0xFF9F ~= $0.value })
        || !options.contains(.widthInsensitive)
      {
        #expect(
          options.folded(apart).unicodeScalars.elementsEqual(once.unicodeScalars),
          "\(text.unicodeScalars.map { String($0.value, radix: 16) }) \(options.suffix)")
      }
      // The folder that remembers and the steps alone agree.
      var folding = ScalarFolding(options)
      #expect(folding.fold(text.unicodeScalars.map(\.value)) == once.unicodeScalars.map(\.value))
    }
  }

  @Test("bytes that are no UTF-8 stay, and letters around them fold")
  func malformed() {
    let folder = TextFolder([.caseInsensitive, .diacriticInsensitive])
    func fold(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { Array(folder.fold($0)) } }
    #expect(fold([0x41, 0xFF, 0xC3, 0x89, 0xC3]) == [0x61, 0xFF, 0x65, 0xC3])
    #expect(fold([0xED, 0xA0, 0x80, 0x65, 0xCC, 0x81, 0xFE]) == [0xED, 0xA0, 0x80, 0x65, 0xFE])
    #expect(fold([0xC0, 0x80]) == [0xC0, 0x80])
    #expect(fold([]) == [])
    #expect(fold(Array(repeating: 0x41, count: 100_000)) == Array(repeating: 0x61, count: 100_000))
  }

  @Test("patterns keep their wildcards, and what folds to a wildcard is a letter")
  func patterns() {
    #expect(TextComparison.caseInsensitive.foldedPattern("A*\\*?É") == "a*\\*?é")
    #expect(TextComparison.widthInsensitive.foldedPattern("＊Ａ*") == "\\*A*")
    #expect(Self.all.foldedPattern("Ｒ?ｶﾞ\\\\") == "r?が\\\\")
  }
}
