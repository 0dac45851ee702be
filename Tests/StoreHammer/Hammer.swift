import Foundation
import Kura

/// One writer of a store that many processes write.
struct Hammer {
  private let configuration: StoreConfiguration
  private let writer: Int64
  private var random: SplitMix
  private var store: Store
  private var number: Int64

  /// Ends a transaction that is to be rolled back.
  private struct Abandon: Error {}

  /// What no snapshot may show.
  private struct Torn: Error { let description: String }

  /// Opens or makes the store and goes on after the writer's last transaction.
  init(path: String, format: StoreFormat, writer: Int64, seed: UInt64) throws {
    configuration = StoreConfiguration(
      at: .file(path), schema: try Hammer.schema(), busyTimeout: .seconds(60), format: format)
    self.writer = writer
    random = SplitMix(state: seed)
    store = try Store.open(configuration)
    number = try store.read { transaction in
      try transaction.record("Writer", key: RecordKey(.integer(writer)))?
        .value("last", as: Int64.self) ?? 0
    }
  }

  static func schema() throws -> Schema {
    try Schema(
      version: 1,
      [
        ModelDescription(
          "Entry", primaryKey: ["writer", "number", "part"],
          properties: [
            PropertyDescription("writer", .integer), PropertyDescription("number", .integer),
            PropertyDescription("part", .integer), PropertyDescription("parts", .integer),
            PropertyDescription("content", .text),
          ], indexes: [IndexDescription(["content"])]),
        // What each writer committed: its last transaction, the first one that it kept, and the
        // number of its entries ever written.
        ModelDescription(
          "Writer", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("last", .integer),
            PropertyDescription("first", .integer), PropertyDescription("written", .integer),
          ]),
        ModelDescription(
          "Total", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("written", .integer),
          ]),
      ])
  }

  /// Writes one transaction.
  mutating func strike() throws {
    number += 1
    let (writer, number) = (writer, number)
    let parts = Int64(random.below(12)) + 1
    let size = Int(random.below(3000))
    let isAbandoned = random.below(6) == 0
    let forgets = random.below(20) == 0
    let undoesPart = random.below(5) == 0
    do {
      try store.write { transaction in
        for part in 0..<parts {
          let content = "\(writer).\(number).\(part) " + String(repeating: "x", count: size)
          try transaction.insert(
            "Entry",
            [
              "writer": .integer(writer), "number": .integer(number), "part": .integer(part),
              "parts": .integer(parts), "content": .text(content),
            ])
        }
        if undoesPart { try Hammer.undo(transaction, writer) }
        try Hammer.count(transaction, writer, number, parts, forgets: forgets)
        if isAbandoned { throw Abandon() }
      }
      say("committed \(number)")
    } catch is Abandon {
      say("abandoned \(number)")
    }
    if random.below(3) == 0 { try expectOneState() }
    if random.below(25) == 0 {
      try store.close()
      store = try Store.open(configuration)
    }
  }

  /// Reads twice what others write meanwhile, and what must agree with it.
  private func expectOneState() throws {
    try store.read { transaction in
      var seen: Set<Int64> = []
      for _ in 0..<2 {
        let total = try transaction.record("Total", key: RecordKey(.integer(1)))
        seen.insert(try total?.value("written", as: Int64.self) ?? 0)
        let sum = try transaction.sum(Query("Writer"), of: "written")
        if case .integer(let sum) = sum { seen.insert(sum) } else { seen.insert(0) }
      }
      guard seen.count == 1 else { throw Torn(description: "a snapshot shows \(seen)") }
    }
  }

  /// Deletes everything of the writer inside a savepoint that is rolled back.
  private static func undo(_ transaction: WriteTransaction, _ writer: Int64) throws {
    do {
      try transaction.savepoint {
        try transaction.delete(try Query(parsing: "Entry WHERE writer = \(writer)"))
        throw Abandon()
      }
    } catch is Abandon {}
  }

  private static func count(
    _ transaction: WriteTransaction, _ writer: Int64, _ number: Int64, _ parts: Int64,
    forgets: Bool
  ) throws {
    let own = try transaction.record("Writer", key: RecordKey(.integer(writer)))
    var first = try own?.value("first", as: Int64.self) ?? 1
    let written = try own?.value("written", as: Int64.self) ?? 0
    if forgets {
      first = number
      try transaction.delete(
        try Query(parsing: "Entry WHERE writer = \(writer) AND number < \(number)"))
    }
    try transaction.upsert(
      "Writer",
      [
        "id": .integer(writer), "last": .integer(number), "first": .integer(first),
        "written": .integer(written + parts),
      ])
    let total = try transaction.record("Total", key: RecordKey(.integer(1)))
    let sum = try total?.value("written", as: Int64.self) ?? 0
    try transaction.upsert("Total", ["id": 1, "written": .integer(sum + parts)])
  }

  func close() throws { try store.close() }
}

/// Writes a line at once: what was said before a kill is there after it.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// A random sequence that a seed repeats.
struct SplitMix {
  var state: UInt64

  mutating func below(_ bound: UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return (mixed ^ mixed >> 31) % bound
  }
}
