import Testing

@testable import InspectorKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Pager")
struct PagerTests {
  @Test("the environment chooses the pager, and may choose none")
  func choice() {
    #expect(Pager.command { _ in nil } == "less -FIRX")
    #expect(Pager.command { $0 == "PAGER" ? "most" : nil } == "most")
    #expect(Pager.command { $0 == "PAGER" ? "" : nil } == nil)
    #expect(Pager.command { $0 == "PAGER" ? "cat" : nil } == nil)
    #expect(Pager.command { $0 == "TERM" ? "dumb" : nil } == nil)
  }

  @Test("what is written reaches the pager, and the end waits for it")
  func passesOn() throws {
    let path = "/tmp/kura-pager-test-\(getpid())"
    defer { unlink(path) }
    let pager = try #require(Pager.start("cat > '\(path)'"))
    let bytes = Array("one\ntwo\n".utf8)
    #expect(write(pager.fileDescriptor, bytes, bytes.count) == bytes.count)
    pager.finish()
    let file = open(path, O_RDONLY)
    defer { close(file) }
    var content = [UInt8](repeating: 0, count: 64)
    let count = read(file, &content, content.count)
    #expect(String(decoding: content.prefix(max(0, count)), as: UTF8.self) == "one\ntwo\n")
  }

  @Test("a pager that was quit fails the write with EPIPE, without a signal")
  func quits() throws {
    let pager = try #require(Pager.start("exit 0"))
    let bytes = [UInt8](repeating: 10, count: 1 << 17)
    var failure: Int32 = 0
    // A pipe takes some bytes before its reader is gone; it holds less than this in any case.
    for _ in 0..<16 where failure == 0 {
      if write(pager.fileDescriptor, bytes, bytes.count) < 0 { failure = errno }
    }
    #expect(failure == EPIPE)
    pager.finish()
  }
}
