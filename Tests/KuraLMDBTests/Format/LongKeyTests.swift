import KuraCore
import Testing

@testable import KuraLMDB

/// Keys beyond LMDB's 511 bytes: found, ordered, unique and referred to as any others.
@Suite struct `Long keys` {
  private let workshop: LMDBWorkshop
  private static let model = ModelDescription(
    "Page", primaryKey: ["address"],
    properties: [PropertyDescription("address", .text), PropertyDescription("note", .text)],
    indexes: [IndexDescription(["note"], isUnique: true)])
  private static let layout = ModelLayout(model)
  /// Equal in their first 600 bytes, and of different lengths.
  private static let long = ["b", "a", "", "ab", "\0", "é"].map {
    String(repeating: "x", count: 600) + $0
  }

  init() throws { workshop = try LMDBWorkshop() }

  private func filled() throws -> any StorageEngine {
    let engine = try workshop.make(Self.model)
    try engine.write { transaction in
      for (index, text) in Self.long.enumerated() {
        try transaction.put(Self.layout, [.text(text), .text(text + "\(index)")])
      }
      try transaction.put(Self.layout, ["short", "short"])
    }
    return engine
  }

  @Test func `records are found by them and come in their order`() throws {
    let engine = try filled()
    try engine.read { transaction in
      for (index, text) in Self.long.enumerated() {
        #expect(
          try transaction.row(RecordKey(.text(text)), Self.layout)
            == [.text(text), .text(text + "\(index)")])
      }
      let expected = (Self.long + ["short"]).sorted {
        Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
      }
      for isDescending in [false, true] {
        let rows = try transaction.rows(
          BoundQuery(
            layout: Self.layout, order: [BoundSortTerm(column: 0, isDescending: isDescending)]))
        #expect(
          rows.map { $0[0] }
            == (isDescending ? expected.reversed() : expected).map { .text($0) })
      }
      let greater = try transaction.rows(
        BoundQuery(
          layout: Self.layout,
          condition: .compareValue(column: 0, .greater, .text(Self.long[1])),
          order: [BoundSortTerm(column: 0)]))
      #expect(greater.map { $0[0] } == expected.filter { $0 > Self.long[1] }.map { .text($0) })
    }
    #expect(try workshop.findings(engine) == [])
  }

  @Test func `keys are cut to 479 bytes and a hash`() throws {
    let engine = try workshop.make(Self.model)
    try engine.write { try $0.put(Self.layout, [.text(Self.long[1]), "n"]) }
    let key = try workshop.stock("m1")[0]
    #expect(key.count == 2 * 511)
    #expect(key.hasPrefix(String(repeating: "78", count: 479)))
    // sha256sum of 600 x, an a and a zero byte.
    let hash = try StockDump.output(
      "(head -c 600 /dev/zero | tr '\\0' x; printf 'a\\0') | sha256sum | cut -c1-64 | tr -d '\\n'")
    #expect(key.hasSuffix(String(decoding: hash, as: UTF8.self)))
    #expect(try workshop.stock("kura").contains { $0.contains(hex(#""cut":["m1"]"#)) } == false)
    let entry = try workshop.stock("kura")
    #expect(entry.contains { $0.contains(hex(#""cut":["i1","m1"]"#)) })
  }

  private func hex(_ text: String) -> String { StoredValue.hex(text.utf8) }

  @Test func `a unique index tells long values apart and refuses equal ones`() throws {
    let engine = try filled()
    try engine.write { transaction in
      for (index, text) in Self.long.enumerated() {
        #expect(
          code {
            try transaction.put(Self.layout, [.text("new\(index)"), .text(text + "\(index)")])
          } == .notUnique)
      }
      try transaction.put(Self.layout, ["new", .text(Self.long[0] + "other")])
    }
    #expect(try workshop.findings(engine) == [])
  }

  @Test(arguments: [ReferenceDescription.DeleteRule.deny, .nullify, .cascade])
  func `references to long keys follow their rules`(rule: ReferenceDescription.DeleteRule) throws {
    let link = ModelDescription(
      "Link", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer),
        PropertyDescription(
          "page", .text, isOptional: true,
          reference: ReferenceDescription(to: "Page", onDelete: rule)),
      ])
    let links = ModelLayout(link)
    let engine = try workshop.make(Self.model, link)
    let (first, second) = (Self.long[0], Self.long[1])
    try engine.write { transaction in
      try transaction.put(Self.layout, [.text(first), "1"])
      try transaction.put(Self.layout, [.text(second), "2"])
      try transaction.put(links, [1, .text(first)])
      try transaction.put(links, [2, .text(second)])
      #expect(code { try transaction.put(links, [3, .text(Self.long[2])]) } == .brokenReference)
    }
    let refusal = code {
      try engine.write { _ = try $0.delete(RecordKey(.text(first)), in: Self.layout) }
    }
    let rows = try engine.read { try $0.rows(BoundQuery(layout: links)) }
    switch rule {
    case .deny:
      #expect(refusal == .brokenReference)
      #expect(rows.count == 2)
    case .nullify:
      #expect(refusal == nil)
      #expect(rows == [[1, .null], [2, .text(second)]])
    case .cascade:
      #expect(refusal == nil)
      #expect(rows == [[2, .text(second)]])
    }
    #expect(try workshop.findings(engine) == [])
  }

  @Test func `long metadata names are kept apart`() throws {
    let engine = try workshop.make(Self.model)
    try engine.write { transaction in
      for text in Self.long { try transaction.setMetadata(text, .text(text + "!")) }
    }
    try engine.read { transaction in
      for text in Self.long {
        let found = try transaction.metadata(text)
        #expect(found == .text(text + "!"))
      }
    }
  }
}
