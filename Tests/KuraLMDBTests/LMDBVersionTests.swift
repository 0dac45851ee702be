import KuraLMDB
import Testing

@Suite struct LMDBVersionTests {
  @Test func `the linked library is of the 0.9 line, whose file format is data version 1`() {
    #expect(LMDBVersion.text.hasPrefix("LMDB 0.9."))
  }
}
