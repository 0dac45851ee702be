import Testing

@testable import KuraCore

@Suite("Names of files")
struct FileNameTests {
  @Test(
    "every name comes back with the same bytes",
    arguments: [
      Array("plain.sqlite".utf8), Array("Größe 日本 🙂".utf8),
      [0xE9], [0x61, 0xFF, 0xFE, 0x62],  // Latin-1, and bytes that UTF-8 never has
      [0xE2, 0x82], [0xC0, 0xAF], [0xED, 0xA0, 0x80],  // cut off, overlong, a surrogate
      [0xF4, 0x8F, 0xBE, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],  // U+10FF80 and U+10FFFF themselves
      [0xF4, 0x8F, 0xBD, 0xBF],  // U+10FF7F, just below
      Array(0x01...0xFF),
    ] as [[UInt8]])
  func roundTrip(bytes: [UInt8]) {
    let text = FileName.text(of: bytes)
    #expect(FileName.bytes(of: text) == bytes.map { CChar(bitPattern: $0) } + [0])
    #expect(String(validating: bytes, as: UTF8.self) != text || FileName.isText(text))
  }

  @Test("ordinary names are themselves")
  func ordinary() {
    #expect(FileName.text(of: Array("Größe".utf8)) == "Größe")
    #expect(FileName.shown("Größe") == "Größe")
    #expect(FileName.isText("\u{10FF7F}"))
  }

  @Test("bytes that are no UTF-8 are shown in hexadecimal, also at the ends of paths made of them")
  func shown() {
    let name = FileName.text(of: [0x63, 0x61, 0x66, 0xE9, 0x20, 0xFF])
    #expect(FileName.shown(name + "-wal") == #"caf\xe9 \xff-wal"#)
    #expect(!FileName.isText(name))
    #expect(FileName.bytes(of: name + "-wal").count == 11)
  }
}
