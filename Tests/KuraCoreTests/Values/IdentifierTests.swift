import KuraTesting
import Testing

@testable import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct IdentifierTests {
  @Test("the MongoDB manual's ObjectId has its time and bytes")
  func publishedObjectID() throws {
    // ObjectId("507f191e810c19729de860ea").getTimestamp() is 2012-10-17T20:46:22Z.
    let identifier = try #require(ObjectID("507f191e810c19729de860ea"))
    #expect(
      Timestamp(seconds: Int64(identifier.secondsSince1970))?.description
        == "2012-10-17 20:46:22.000000000")
    #expect(identifier.description == "507f191e810c19729de860ea")
    #expect(
      identifier.bytes.map { Int($0) } == [
        0x50, 0x7f, 0x19, 0x1e, 0x81, 0x0c, 0x19, 0x72, 0x9d, 0xe8, 0x60, 0xea,
      ])
    #expect(ObjectID(bytes: identifier.bytes) == identifier)
    #expect(ObjectID("507F191E810C19729DE860EA") == identifier)
  }

  @Test("malformed identifiers are refused")
  func malformed() {
    for text in [
      "", "507f191e810c19729de860e", "507f191e810c19729de860eaa", "507f191e810c19729de860eg",
      "５07f191e810c19729de860e",
    ] {
      #expect(ObjectID(text) == nil)
    }
    #expect(ObjectID(bytes: [UInt8](repeating: 0, count: 11)) == nil)
    for text in [
      "", "f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
      "f81d4fae-7dec-11d0-a765-00a0c91e6bf6 ", "f81d4fae+7dec-11d0-a765-00a0c91e6bf6",
      "g81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    ] {
      #expect(ValueText.uuid(text) == nil)
    }
  }

  @Test("new identifiers are unique and ordered by time")
  func newIdentifiers() {
    let identifiers = (0..<10_000).map { _ in ObjectID() }
    #expect(Set(identifiers).count == identifiers.count)
    let now = Date().timeIntervalSince1970
    #expect(abs(Double(identifiers[0].secondsSince1970) - now) < 600)
  }

  @Test("the UUID of RFC 4122 is written in lower case and read in either")
  func uuid() throws {
    let text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
    let value = try #require(ValueText.uuid(text))
    #expect(value == UUID(uuidString: text))
    #expect(ValueText.text(of: value) == text)
    #expect(ValueText.uuid(text.uppercased()) == value)
  }

  /// FIPS 180-4 examples and NIST's CAVP short messages.
  @Test(
    "SHA-256 gives the published hashes",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
          + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ])
  func sha256(message: String, hash: String) {
    #expect(SHA256.hex(of: message.utf8) == hash)
  }

  @Test("UTF-8 is valid exactly when the standard library says so")
  func utf8() {
    var random = RepeatableGenerator(seed: 1)
    let pool: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
      0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<200_000 {
      let count = Int.random(in: 0...6, using: &random)
      var bytes = (0..<count).map { _ in pool[Int.random(in: 0..<pool.count, using: &random)] }
      if Bool.random(using: &random) { bytes = Array("twelve bytes".utf8) + bytes }
      let isValid = bytes.withUnsafeBytes { UTF8Validation.isValid($0) }
      #expect(isValid == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
    }
  }
}
