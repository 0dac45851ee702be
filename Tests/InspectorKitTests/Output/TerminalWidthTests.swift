import Testing

@testable import InspectorKit

/// The expected widths are those that `wcwidth` of common terminals and UAX #11 give.
@Suite("Terminal width")
struct TerminalWidthTests {
  @Test(
    "a text takes the columns that a terminal gives it",
    arguments: [
      ("", 0), ("abc", 3), ("caf\u{E9}", 4), ("cafe\u{301}", 4), ("日本語", 6), ("한국어", 6),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("ｶﾅ", 2), ("Ａ", 2), ("😀", 2), ("👨‍👩‍👧‍👦", 2), ("🇯🇵", 2),
      ("👍🏽", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("⛹🏽", 2), ("✅", 2), ("1\u{FE0F}\u{20E3}", 2),
      ("\u{200B}", 0), ("\u{AD}", 1), ("\u{301}", 0), ("नि", 2), ("กำ", 2), ("שלום", 4), ("–—…", 3),
      ("\u{20000}", 2), ("│", 1), ("Ōta ñ ß", 7), ("\u{85}a", 1), ("ΑΒΓ", 3), ("\u{363}", 0),
      ("\u{07}", 0),
    ])
  func width(_ text: String, _ columns: Int) {
    #expect(TerminalWidth.of(text) == columns, "\(text.unicodeScalars.map { $0.value })")
  }

  @Test("a text that fits is not cut")
  func fits() {
    #expect(TerminalWidth.cut("日本", to: 4) == "日本")
    #expect(TerminalWidth.cut("abc", to: 3) == "abc")
  }

  @Test(
    "a cut never splits a character and never exceeds the width",
    arguments: ["日本語の文字", "abcdefgh", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "e\u{301}e\u{301}e\u{301}e\u{301}"])
  func cut(_ text: String) {
    for width in 1...TerminalWidth.of(text) {
      let result = TerminalWidth.cut(text, to: width)
      #expect(TerminalWidth.of(result) <= width)
      #expect(text.hasPrefix(result.hasSuffix("…") ? String(result.dropLast()) : result))
    }
    #expect(TerminalWidth.cut("日本語", to: 4) == "日…")
    #expect(TerminalWidth.cut("日本語", to: 0) == "")
  }
}
