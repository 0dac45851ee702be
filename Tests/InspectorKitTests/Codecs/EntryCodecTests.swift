import KuraCore
import KuraTesting
import Testing

@testable import InspectorKit

/// Bytes shown as what they are taken for.
///
/// The examples are those of RFC 8949 (appendix A), of MessagePack's specification, and of the
/// formats' other documents.
@Suite("Codecs")
struct EntryCodecTests {
  /// The JSON of bytes given as hexadecimal digits; `nil` when they are not of the codec's form.
  private func json(_ digits: String, _ name: String) throws -> String? {
    let bytes = try #require(StoredValue.bytes(hex: digits))
    let codec = try EntryCodec(name, "--value-as", isNative: false)
    var text: [UInt8] = []
    let writer = ByteWriter(capacity: 1024) { part throws(StoreError) in text += part }
    try bytes.withBytes { bytes throws(StoreError) in
      try codec.writeJSON(bytes, to: writer, ValueOptions())
    }
    try writer.flush()
    return codec.failureCount == 0 ? String(decoding: text, as: UTF8.self) : nil
  }

  @Test(
    "CBOR",
    arguments: [
      ("00", "0"), ("17", "23"), ("1818", "24"), ("1903e8", "1000"), ("1a000f4240", "1000000"),
      ("1bffffffffffffffff", "18446744073709551615"), ("20", "-1"), ("3863", "-100"),
      ("f90000", "0.0"), ("f93c00", "1.0"), ("fb3ff199999999999a", "1.1"), ("f97bff", "65504.0"),
      ("fa47c35000", "100000.0"), ("f90001", "5.960464477539063e-08"), ("f9c400", "-4.0"),
      ("f97c00", #"{"$numberDouble":"Infinity"}"#), ("f97e00", #"{"$numberDouble":"NaN"}"#),
      ("f4", "false"), ("f5", "true"), ("f6", "null"),
      ("c074323031332d30332d32315432303a30343a30305a", #""2013-03-21T20:04:00Z""#),
      ("4401020304", #"{"$base64":true,"encoded":"AQIDBA=="}"#), ("6449455446", #""IETF""#),
      ("62c3bc", #""ü""#), ("80", "[]"), ("83010203", "[1,2,3]"),
      ("8301820203820405", "[1,[2,3],[4,5]]"),
      ("a0", "{}"), ("a201020304", #"{"1":2,"3":4}"#),
      ("a26161016162820203", #"{"a":1,"b":[2,3]}"#),
      ("5f42010243030405ff", #"{"$base64":true,"encoded":"AQIDBAU="}"#),
      ("7f657374726561646d696e67ff", #""streaming""#), ("9fff", "[]"),
      ("9f018202039f0405ffff", "[1,[2,3],[4,5]]"),
      ("bf61610161629f0203ffff", #"{"a":1,"b":[2,3]}"#),
      ("d74401020304", #"{"$base64":true,"encoded":"AQIDBA=="}"#),
    ])
  func cbor(_ digits: String, _ expected: String) throws {
    #expect(try json(digits, "cbor") == expected)
  }

  @Test(
    "what is no CBOR, or not all of it",
    arguments: [
      "", "18", "1c", "62c3", "8301", "9f01", "ff", "0000", "bf6161ff", "a10203ff", "a1800a",
      "7f4101ff", "c0", "9bffffffffffffffff", "bbffffffffffffffff", "5bffffffffffffffff",
      String(repeating: "81", count: 500) + "01",
    ])
  func noCBOR(_ digits: String) throws {
    #expect(try json(digits, "cbor") == nil)
  }

  @Test(
    "MessagePack",
    arguments: [
      ("00", "0"), ("7f", "127"), ("ff", "-1"), ("e0", "-32"), ("cc80", "128"), ("cdffff", "65535"),
      ("ceffffffff", "4294967295"), ("cfffffffffffffffff", "18446744073709551615"),
      ("d080", "-128"),
      ("d18000", "-32768"), ("d280000000", "-2147483648"),
      ("d38000000000000000", "-9223372036854775808"),
      ("ca3fc00000", "1.5"), ("cb3ff8000000000000", "1.5"), ("c0", "null"), ("c2", "false"),
      ("c3", "true"),
      ("a3616263", #""abc""#), ("d903616263", #""abc""#),
      ("c403000102", #"{"$base64":true,"encoded":"AAEC"}"#),
      ("90", "[]"), ("93010203", "[1,2,3]"), ("dc000101", "[1]"), ("dd0000000101", "[1]"),
      ("80", "{}"),
      ("82a16101a162930102c0", #"{"a":1,"b":[1,2,null]}"#), ("de0001a16101", #"{"a":1}"#),
      ("d4057f", #"{"$type":5,"$data":{"$base64":true,"encoded":"fw=="}}"#),
      ("91d6ff00000001", #"[{"$type":-1,"$data":{"$base64":true,"encoded":"AAAAAQ=="}}]"#),
      ("82019090a1", nil), ("c1", nil), ("92", nil), ("0000", nil), ("ddffffffff", nil),
      ("dfffffffff", nil),
      ("", nil), ("a3ff", nil),
    ])
  func messagePack(_ digits: String, _ expected: String?) throws {
    #expect(try json(digits, "msgpack") == expected)
  }

  @Test("a binary property list")
  func propertyList() throws {
    // {"a": 1}; offsets 8, 11 and 13.
    let header = "62706c6973743030"
    let trailer = "0000000000000101" + "0000000000000003" + "0000000000000000" + "000000000000000f"
    #expect(
      try json(header + "d10102" + "5161" + "1001" + "080b0d" + trailer, "plist") == #"{"a":1}"#)
    // An array that holds itself ends.
    let circle =
      header + "a100" + "08" + "0000000000000101" + "0000000000000001" + "0000000000000000"
    #expect(try json(circle + "000000000000000a", "plist") == nil)
    #expect(try json(header, "plist") == nil)
    #expect(try json(header + String(repeating: "ff", count: 40), "plist") == nil)
  }

  @Test("numbers, text, identifiers and chains")
  func simple() throws {
    #expect(try json("00000100", "u32be") == "256")
    #expect(try json("00010000", "u32le") == "256")
    #expect(try json("ff", "i8") == "-1")
    #expect(try json("fffffffffffffffe", "i64be") == "-2")
    #expect(try json("ffffffffffffffff", "u64be") == #"{"$numberDecimal":"18446744073709551615"}"#)
    #expect(try json("3ff8000000000000", "f64be") == "1.5")
    #expect(try json("0000c03f", "f32le") == "1.5")
    #expect(try json("0001", "u32be") == nil)
    #expect(try json("00ff", "hex") == #""00ff""#)
    #expect(try json("00ff", "base64") == #""AP8=""#)
    #expect(try json("ff", "utf8") == nil)
    #expect(
      try json("000102030405060708090a0b0c0d0e0f", "uuid")
        == #""00010203-0405-0607-0809-0a0b0c0d0e0f""#)
    #expect(try json("7b2261223a0a317d", "json") == #"{"a": 1}"#)
    #expect(try json("7b2261223a", "json") == nil)
    // `zlib.compress(b"hello" * 10)` and `gzip.compress(b"hello")` of Python.
    #expect(
      try json("789ccb48cdc9c9cf20850000116a14c9", "zlib+utf8")
        == "\"" + String(repeating: "hello", count: 10) + "\"")
    #expect(try json("1f8b0800000000000203cb48cdc9c9070086a6103605000000", "gzip") == #""hello""#)
    #expect(try json("789ccb48", "zlib+utf8") == nil)
    #expect(try json("000082a16101a162930102c0", "skip2+msgpack") == #"{"a":1,"b":[1,2,null]}"#)
    #expect(throws: StoreError.self) { try json("00", "json+zlib") }
    #expect(throws: StoreError.self) { try json("00", "u24be") }
  }

  @Test("auto is decided by fixed rules and loses nothing")
  func automatic() throws {
    #expect(try json("", "auto") == #""""#)
    #expect(try json("61620a63", "auto") == #""ab\nc""#)
    #expect(try json("7b2261223a317d", "auto") == #"{"$json":{"a":1}}"#)
    // JSON over several lines stays the text that it is.
    #expect(try json("7b0a7d", "auto") == #""{\n}""#)
    #expect(try json("7b2261223a31", "auto") == #""{\"a\":1""#)
    #expect(try json("0000010000000000", "auto") == #"{"$base64":true,"encoded":"AAABAAAAAAA="}"#)
    #expect(
      try json("82a16101a162930102c0", "auto")
        == #"{"$base64":true,"encoded":"gqFhAaFikwECwA==","as":"msgpack","value":{"a":1,"b":[1,2,null]}}"#
    )
    // MessagePack that is no map or array, or has something behind it, is bytes.
    #expect(try json("cdffff", "auto") == #"{"$base64":true,"encoded":"zf//"}"#)
    #expect(try json("9000", "auto") == #"{"$base64":true,"encoded":"kAA="}"#)
  }

  @Test("values nested too deep to be read again inside a line stay text")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "5b", count: depth) + String(repeating: "5d", count: depth)
    }
    #expect(try json(nested(48), "auto")?.hasPrefix(#"{"$json":[["#) == true)
    #expect(try json(nested(49), "auto")?.hasPrefix(#""[["#) == true)
    #expect(try json(String(repeating: "91", count: 47) + "90", "msgpack") != nil)
    #expect(try json(String(repeating: "91", count: 48) + "90", "msgpack") == nil)
  }

  @Test(
    "no bytes make a decoder trap, hang or write what is no JSON",
    arguments: ["cbor", "msgpack", "plist"])
  func randomBytes(_ name: String) throws {
    var generator = RepeatableGenerator(seed: 20_261_130)
    let codec = try EntryCodec(name, "--value-as", isNative: false)
    var converted = 0
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if name == "plist" {
        // A header and a trailer that leads into the bytes.
        bytes = Array("bplist00".utf8) + bytes + [8, 9, 10, 11, 12, 13]
        bytes +=
          [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 6] + [UInt8](repeating: 0, count: 15)
        bytes.append(UInt8(truncatingIfNeeded: bytes.count - 37))
      }
      try bytes.withBytes { bytes throws(StoreError) in
        try codec.read(bytes) { reading throws(StoreError) in
          guard case .converted(_, let text) = reading else { return }
          converted += 1
          #expect(UTF8Validation.isValid(text) && JSONText.isValue(text))
        }
      }
    }
    #expect(converted > 0)
  }

  @Test(
    "keys as people type them",
    arguments: [
      ("user:1", "757365723a31"), (#"a\x00\n\\"#, "61000a5c"), ("hex:00ff", "00ff"),
      ("b64:AP8=", "00ff"),
      ("u32be:7", "00000007"), ("u64le:7", "0700000000000000"), ("i64be:-1", "ffffffffffffffff"),
      ("i8:-128", "80"), ("f64be:1.5", "3ff8000000000000"), ("utf8:hex:00", "6865783a3030"),
      ("uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b8109dad11d180b400c04fd430c8"),
      (#"tuple:("a",u64be:7)"#, "610000000000000007"), ("tuple:()", ""), ("json:x", "78"),
    ])
  func literals(_ text: String, _ digits: String) throws {
    #expect(try StoredValue.hex(KeyLiteral.bytes(text)) == digits)
  }

  @Test(
    "what is no key",
    arguments: [
      "hex:0", "u8:256", "i8:128", "u32be:-1", "u64be:x", "b64:A", "uuid:1", #"\q"#, #"\x1"#,
      #"tuple:("a""#, "tuple:(7)", #"tuple:("a",)"#, "cbor:00",
    ])
  func noLiterals(_ text: String) {
    #expect(throws: StoreError.self) { try KeyLiteral.bytes(text) }
  }
}
