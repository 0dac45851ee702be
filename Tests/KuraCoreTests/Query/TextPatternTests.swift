import Foundation
import KuraTesting
import Testing

@testable import KuraCore

@Suite struct TextPatternTests {
  private func matches(_ pattern: String, _ text: String, _ folding: TextComparison = [])
    throws -> Bool
  {
    let pattern = try TextPattern(pattern, folding)
    var text = text
    return text.withUTF8 { pattern.matches(UnsafeRawBufferPointer($0)) }
  }

  private func error(_ pattern: String) -> StoreError? {
    do {
      _ = try TextPattern(pattern)
      return nil
    } catch { return error }
  }

  @Test(
    "patterns fit whole texts as their definition says",
    arguments: [
      ("", "", true), ("", "a", false), ("a", "ab", false), ("abc", "abc", true),
      ("a|bc", "bc", true),
      ("(a|b)*c", "ababc", true), ("(ab)+", "abab", true), ("(ab)+", "aba", false),
      ("a{2,3}", "a", false), ("a{2,3}", "aa", true), ("a{2,3}", "aaaa", false),
      ("a{2}", "aa", true),
      ("a{2,}", "aaaaa", true), ("a{0}", "", true), ("a??b+?", "abb", true), ("(a*)*", "aaa", true),
      ("(a|)*", "", true), ("()", "", true), ("a||b", "", true),
      ("[a-c]+", "abc", true), ("[^a-c]", "d", true), ("[^a-c]", "a", false), ("[]a]", "]", true),
      ("[a\\]-]+", "]-a", true), ("[\\d_]+", "1_2", true), ("[^\\s]+", "ab", true),
      ("\\d+", "12", true), ("\\d", "٣", true), ("\\w+", "Straße_1", true), ("\\w+", "a b", false),
      ("\\W", "!", true), ("\\s", "\u{3000}", true), ("\\S+", "日本", true), ("\\D", "1", false),
      (".", "🥚", true), (".", "\n", false), ("(?s).", "\n", true), (".", "é", true),
      ("(?i)STRASSE", "strasse", true), ("(?i)Ärger", "äRGER", true), ("a(?i)B(?-i)c", "abc", true),
      ("a(?i)b(?-i)c", "aBC", false), ("(?i:a)b", "Ab", true), ("(?i:a)b", "AB", false),
      ("(?i)[a-z]+", "ABC", true), ("(?i)[^a]", "A", false), ("a(b(?i)c)d", "abCd", true),
      ("a(b(?i)c)d", "abCD", false), ("((?i)a|B)c", "bc", true), ("(?i)\\p{Ll}", "A", true),
      ("(?i)k", "\u{212A}", true), ("(?i)s", "ſ", true),
      ("^abc$", "abc", true), ("a^b", "ab", false), ("\\Aabc\\z", "abc", true),
      ("(?m)a\\n^b$\\n.*", "a\nb\nc", true), ("a\\n^b", "a\nb", false), ("a$\\n", "a\n", true),
      ("a\\z\\n", "a\n", false), ("\\bfoo\\b.*", "foo bar", true), (".*o\\b.*", "fox", false),
      ("foo\\Bbar", "foobar", true), ("\\b", "", false), ("\\B", "", true),
      ("\\x41\\u0042\\u{1F95A}\\x{43}", "AB🥚C", true),
      ("\\t\\n\\r\\f\\e\\0", "\t\n\r\u{0C}\u{1B}\u{0}", true),
      ("\\.\\*\\\\", ".*\\", true), ("\\p{Lu}\\p{Ll}+", "Émile", true), ("\\pN+", "1²", true),
      ("\\P{L}", "1", true), ("\\p{^L}", "a", false), ("[\\P{Hiragana}a]", "あ", false),
      ("[\\P{Hiragana}a]", "ア", true), ("\\p{Hiragana}+\\p{Katakana}+\\p{Han}+", "ひらカナ漢々", true),
      ("\\p{White_Space}", " ", true), ("\\p{Alphabetic}", "ß", true), ("[\\p{L}\\d]+", "a1", true),
      ("(?<year>\\d{4})-\\d\\d", "2026-11", true), ("(?:ab|a)(?:c|bc)", "abc", true),
      ("[あ-ん]+", "ひらがな", true), ("日本.", "日本語", true), ("}", "}", true), ("a-b]", "a-b]", true),
      ("[-a]", "-", true), ("[a-]", "-", true), ("[\\w-]+", "a-b", true),
    ])
  func fitting(pattern: String, text: String, expected: Bool) throws {
    #expect(try matches(pattern, text) == expected)
  }

  /// Characters counted by hand.
  @Test(
    "what has no place in a pattern is refused by name, with its character",
    arguments: [
      ("(a)\\1", "references", 4), ("\\k<x>", "references", 1), ("a(?=b)", "looking ahead", 2),
      ("(?!b)", "looking ahead", 1), ("(?<=b)", "looking back", 1), ("(?<!b)", "looking back", 1),
      ("(?>a)", "atomic", 1), ("a++", "possessive", 3), ("a**", "repeated", 3),
      ("a{2}{3}", "repeated", 5),
      ("*a", "repeats nothing", 1), ("a|*", "repeats nothing", 3), ("(a", "not closed", 1),
      ("a)", "without a", 2), ("[a", "not closed", 1), ("[", "not closed", 1),
      ("[]", "not closed", 1),
      ("a\\", "escapes nothing", 2), ("\\q", "means nothing", 1), ("\\8", "references", 1),
      ("\\p{Foo}", "no property", 2), ("\\p{Lu", "not closed", 2), ("\\p", "no property", 2),
      ("[b-a]", "ends before", 2), ("[a-\\d]", "ends before", 2), ("a{3,2}", "ends before", 2),
      ("a{x}", "does not begin", 2), ("a{1001}", "more than 1000", 6),
      ("{2}", "repeats nothing", 1),
      ("\\x4", "number of a character", 1), ("\\u{110000}", "number of a character", 1),
      ("\\ud800", "number of a character", 1), ("[[:alpha:]]", "classes inside", 2),
      ("[a&&b]", "classes inside", 3), ("(?x)a", "no flag", 3), ("(?i", "not closed", 1),
      ("(?<n", "not closed", 1), ("日本(", "not closed", 3),
    ])
  func refusals(pattern: String, message: String, character: Int) {
    let found = error(pattern)
    #expect(found?.code == .invalidQuery)
    #expect(found?.message.contains(message) == true, "\(pattern): \(String(describing: found))")
    #expect(
      found?.message.contains("at character \(character) of the pattern") == true,
      "\(pattern): \(String(describing: found))")
  }

  @Test(
    "options fold the text and the pattern's characters",
    arguments: [
      ("STRASSE", "Straße", "c", true), ("straße", "STRASSE", "c", true),
      ("[A-Z]+", "abc", "c", true),
      ("[^a]+", "A", "c", false), ("cafe", "Café", "cd", true), ("café", "cafe", "d", true),
      ("[à-ü]+", "aeiou", "d", true), ("ｶﾞ.", "ガ行", "w", true), ("ガ+", "ｶﾞｶﾞ", "w", true),
      ("[０-９]+", "123", "w", true), ("\\d+", "１２", "w", true), ("か+", "カカ", "k", true),
      ("[ア-ン]+", "ひらがな", "k", true), ("か", "が", "cd", false), ("\\p{Lu}", "a", "c", true),
      ("ちょっと", "チヨツト", "ks", true), ("\\?", "？", "w", true), (".", "é", "d", true),
    ])
  func folding(pattern: String, text: String, letters: String, expected: Bool) throws {
    let options = TextComparison.letters.filter { letters.contains($0.letter) }
      .reduce(TextComparison()) { $0.union($1.option) }
    #expect(try matches(pattern, text, options) == expected)
  }

  @Test("random patterns fit what Foundation's regular expressions fit")
  func differential() throws {
    var random = RepeatableGenerator(seed: 11)
    let atoms = [
      "a", "b", "A", "é", "か", ".", "\\d", "\\w", "\\s", "\\W", "[ab]", "[^a]", "[a-cé]", "\\b",
      "\\B",
      "^", "$", "\\p{Lu}", "\\P{L}", "\\A", "\\z", "\\n", "1", "-",
    ]
    let letters: [Unicode.Scalar] = ["a", "b", "A", "é", "か", "1", " ", "-", "\n", "c", "_"]
    func pattern(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth == 0 ? 2 : 7), using: &random) {
      case 0, 1:
        return atoms.randomElement(using: &random) ?? "a"
      case 2: return pattern(depth - 1) + pattern(depth - 1)
      case 3: return "(?:\(pattern(depth - 1))|\(pattern(depth - 1)))"
      case 4: return "(\(pattern(depth - 1)))*"
      case 5: return "(\(pattern(depth - 1))){1,2}"
      default: return "(?i:\(pattern(depth - 1)))?"
      }
    }
    var fitting = 0
    for _ in 0..<3_000 {
      let source = pattern(3)
      let expression = try NSRegularExpression(pattern: "\\A(?:\(source))\\z")
      let own = try TextPattern(source)
      for _ in 0..<8 {
        var view = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...5, using: &random) {
          view.append(letters.randomElement(using: &random) ?? "a")
        }
        var text = String(view)
        let range = NSRange(location: 0, length: text.utf16.count)
        let expected = expression.firstMatch(in: text, range: range) != nil
        let found = text.withUTF8 { own.matches(UnsafeRawBufferPointer($0)) }
        if found != expected { Issue.record("\(source) on \(text.debugDescription): \(found)") }
        if expected, !text.isEmpty { fitting += 1 }
      }
    }
    #expect(fitting > 1_000)
  }

  @Test("patterns made to be slow are answered or refused within a second")
  func evil() throws {
    let text = String(repeating: "a", count: 3_000) + "!"
    let clock = ContinuousClock()
    for pattern in [
      "(a+)+", "(a|aa)+", "(a|a?)+", "(.*a){10}", "(a*)*b", "(((a*)*)*)*b", "([a-zA-Z]+)*",
      "(.*)(.*)(.*)(.*)(.*)[0-9]",
    ] {
      let start = clock.now
      #expect(try !matches(pattern, text))
      #expect(clock.now - start < .seconds(1), "\(pattern)")
    }
    for pattern in [
      "((a{1000}){1000}){1000}", "((((){1000}){1000}){1000}){1000}", "(a?){1000}{1000}",
      String(repeating: "(", count: 10_000), String(repeating: "(?i", count: 5_000),
      String(repeating: "[", count: 10_000), String(repeating: "a", count: 1 << 20),
      String(repeating: "a*", count: 5_000), String(repeating: "(a|", count: 5_000),
    ] {
      let start = clock.now
      #expect(error(pattern)?.code == .invalidQuery)
      #expect(clock.now - start < .seconds(1), "\(pattern.prefix(20))")
    }
  }

  @Test("any run of characters is a pattern or an error")
  func fuzz() {
    let pool = Array("ab(){}[]|*+?.\\^$-,:=!<>&0129pPuxdwsbkizAZL{}é日🥚 \n\u{0}")
    var random = RepeatableGenerator(seed: 12)
    var read = 0
    for _ in 0..<100_000 {
      let count = Int.random(in: 0...10, using: &random)
      let source = String((0..<count).map { _ in pool.randomElement(using: &random) ?? "a" })
      do {
        _ = try matches(source, "ab日")
        read += 1
      } catch let error as StoreError {
        if error.code != .invalidQuery { Issue.record("\(source): \(error)") }
      } catch { Issue.record("\(source): \(error)") }
    }
    #expect(read > 5_000)
  }

  @Test("bytes that are no UTF-8 are characters of no class")
  func malformed() throws {
    func matches(_ pattern: String, _ bytes: [UInt8]) throws -> Bool {
      let pattern = try TextPattern(pattern)
      return bytes.withUnsafeBytes { pattern.matches($0) }
    }
    #expect(try matches("a.b", [0x61, 0xFF, 0x62]))
    #expect(try !matches("a\\w b", [0x61, 0xFF, 0x62]))
    #expect(try matches("[^a]", [0xFF]))
    #expect(try matches("..", [0xC3, 0x28]))
  }
}
