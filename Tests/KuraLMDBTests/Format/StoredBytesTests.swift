import Foundation
import KuraCore
import Testing

@testable import KuraLMDB

/// What stock `mdb_dump` finds in a file is what docs/file-formats.md promises, byte by byte.
@Suite struct `The bytes of LMDB stores` {
  private let workshop: LMDBWorkshop

  init() throws { workshop = try LMDBWorkshop() }

  @Test func `the record and entry of the document's example`() throws {
    let engine = try workshop.make(Dogs.model)
    try engine.write { try $0.put(Dogs.layout, Dogs.rex) }
    #expect(
      try workshop.stock("m1") == [
        "800000000000002a", "00" + "030102ff" + "526578" + "03" + "3ff8",
      ])
    #expect(
      try workshop.stock("i1") == ["02" + "8000000000000003" + "800000000000002a", "0900"])
  }

  private static let types: [(ValueType, StoredValue, String)] = [
    (.bool, false, "00"), (.bool, true, "0101"), (.integer, 0, "00"), (.integer, 127, "017f"),
    (.integer, 128, "028000"), (.integer, -1, "01ff"), (.integer, -128, "0180"),
    (.integer, -129, "027fff"), (.integer, .integer(.max), "08ffffffffffffff7f"),
    (.integer, .integer(.min), "080000000000000080"), (.double, 0.0, "00"),
    (.double, .double(-0.0), "0180"), (.double, 1.5, "023ff8"), (.double, .double(-2), "01c0"),
    (.double, 0.1, "083fb999999999999a"), (.double, .double(.infinity), "027ff0"),
    (.text, "", "00"), (.text, "é\0", "03c3a900"), (.json, "[1]", "035b315d"),
    (.data, .data([0, 255]), "0200ff"), (.any, 5, "020205"), (.any, 0, "0102"),
    (.any, 1.5, "03093ff8"), (.any, "a", "020561"), (.any, .data([]), "0106"),
    (.decimal, .decimal(Decimal(string: "123.45") ?? 0), "10" + "323530323132333435203132332e3435"),
    (.decimal, .decimal(0), "03312030"),
    (
      .uuid, .uuid(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F") ?? UUID()),
      "10000102030405060708090a0b0c0d0e0f"
    ),
    (
      .objectID, .objectID(ObjectID("0102030405060708090a0b0c") ?? ObjectID()),
      "0c0102030405060708090a0b0c"
    ),
    (.date, date(0, 0), "00"), (.date, date(1, 0), "0101"), (.date, date(-1, 0), "01ff"),
    (.date, date(1, 2), "0c" + "0100000000000000" + "02000000"),
    (.date, date(-1, 999_999_999), "0c" + "ffffffffffffffff" + "ffc99a3b"),
  ]

  private static func date(_ seconds: Int64, _ nanoseconds: UInt32) -> StoredValue {
    Timestamp(seconds: seconds, nanoseconds: nanoseconds).map { .date($0) } ?? .null
  }

  @Test func `payloads of all types have the width they need`() throws {
    for (index, (type, value, bytes)) in Self.types.enumerated() {
      let name = "M\(index)"
      let model = ModelDescription(
        name, primaryKey: ["id"],
        properties: [PropertyDescription("id", .bool), PropertyDescription("v", type)])
      let file = workshop.folder + "/\(name)"
      let engine = try workshop.open(at: file)
      try engine.write { transaction in
        try transaction.apply(.createModel(model))
        try transaction.put(ModelLayout(model), [true, value])
      }
      #expect(try workshop.stock("m1", file: file) == ["01", "00" + bytes], "\(type) \(value)")
    }
  }

  private static let keys: [(ValueType, StoredValue, String)] = [
    (.bool, false, "00"), (.integer, -1, "7fffffffffffffff"),
    (.double, .double(1), "bff0000000000000"),
    (.double, .double(-1), "400fffffffffffff"), (.text, "a", "6100"),
    (.text, "\0\u{1}b", "010101026200"),
    (.data, .data([]), "00"), (.date, date(0, 1), "800000000000000000000001"),
    (.decimal, .decimal(0), "31203000"),
  ]

  @Test func `keys order by their bytes`() throws {
    for (index, (type, value, bytes)) in Self.keys.enumerated() {
      let model = ModelDescription(
        "M", primaryKey: ["id"], properties: [PropertyDescription("id", type)])
      let file = workshop.folder + "/key\(index)"
      let engine = try workshop.open(at: file)
      try engine.write { transaction in
        try transaction.apply(.createModel(model))
        try transaction.put(ModelLayout(model), [value])
      }
      #expect(try workshop.stock("m1", file: file) == [bytes, "00"], "\(type) \(value)")
    }
  }

  @Test func `a key that is -0.0 is stored with the record`() throws {
    let model = ModelDescription(
      "M", primaryKey: ["id"], properties: [PropertyDescription("id", .double)])
    let engine = try workshop.make(model)
    let layout = ModelLayout(model)
    try engine.write { try $0.put(layout, [.double(-0.0)]) }
    // The key of 0.0; a header that says so; one value of one byte.
    #expect(try workshop.stock("m1") == ["8000000000000000", "01" + "01" + "80"])
    let row = try engine.read { try $0.row(RecordKey(.double(0)), layout) }
    guard case .double(let value)? = row?.first else {
      Issue.record("found \(String(describing: row))")
      return
    }
    #expect(value.sign == .minus)
    #expect(code { _ = try engine.write { try $0.put(layout, [.double(0)]) } } == .duplicateKey)
  }

  @Test func `lengths of 251 bytes are short ones, greater ones have two or four bytes`() throws {
    let model = ModelDescription(
      "M", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .bool), PropertyDescription("a", .data),
        PropertyDescription("b", .integer),
      ])
    for (count, length) in [
      (251, "fb"), (252, "fc" + "fc00"), (65535, "fc" + "ffff"), (65536, "fd" + "00000100"),
    ] {
      let file = workshop.folder + "/length\(count)"
      let engine = try workshop.open(at: file)
      let bytes = [UInt8](repeating: 0x41, count: count)
      try engine.write { transaction in
        try transaction.apply(.createModel(model))
        try transaction.put(ModelLayout(model), [true, .data(bytes), 7])
      }
      let expected = "00" + length + "01" + String(repeating: "41", count: count) + "07"
      #expect(try workshop.stock("m1", file: file) == ["01", expected])
      #expect(
        try engine.read { try $0.row(RecordKey(true), ModelLayout(model)) }
          == [true, .data(bytes), 7])
    }
  }

  @Test func `changes of properties rewrite no record`() throws {
    let engine = try workshop.make(Dogs.model)
    try engine.write { transaction in
      for number in 1...200 {
        try transaction.put(Dogs.layout, [.integer(Int64(number)), "Rex", 3, 1.5, .null])
      }
    }
    let before = try workshop.stock("m1")
    try engine.write { transaction in
      try transaction.apply(
        .addProperty(model: "Dog", PropertyDescription("legs", .integer, defaultValue: 4)))
      try transaction.apply(.renameProperty(model: "Dog", from: "name", to: "call"))
      try transaction.apply(.removeProperty(model: "Dog", "weight"))
      try transaction.apply(.renameModel(from: "Dog", to: "Hound"))
    }
    #expect(try workshop.stock("m1") == before)
    let hound = ModelDescription(
      "Hound", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription("call", .text),
        PropertyDescription("age", .integer),
        PropertyDescription("owner", .integer, isOptional: true),
        PropertyDescription("legs", .integer, defaultValue: 4),
      ])
    let layout = ModelLayout(hound)
    #expect(try engine.read { try $0.row(7, layout) } == [7, "Rex", 3, .null, 4])
    try engine.write { try $0.put(layout, [7, "Max", 1, 2, 3], .upsert) }
    // The third shape: name, age, owner, legs.
    #expect(
      try workshop.stock("m1")[13] == "04" + "03010101" + "4d6178" + "01" + "02" + "03")
    try engine.write { try $0.setSchema(try Schema(version: 2, [hound.adding(["age"])])) }
    #expect(try workshop.findings(engine) == [])
  }
}
