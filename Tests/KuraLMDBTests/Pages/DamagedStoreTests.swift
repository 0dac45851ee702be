import Foundation
import KuraCore
import Testing

@testable import KuraLMDB

/// Kura's own file, damaged again and again and opened by the library for reading.
@Suite struct `Damaged LMDB stores` {
  private static let note = ModelDescription(
    "Note", primaryKey: ["title"],
    properties: [
      PropertyDescription("title", .text), PropertyDescription("text", .text),
      PropertyDescription("dog", .integer, isOptional: true),
    ], indexes: [IndexDescription(["dog"])])

  private let workshop: LMDBWorkshop
  private let schema: Schema
  private var copy: String { workshop.folder + "/damaged.db" }

  init() throws {
    workshop = try LMDBWorkshop()
    schema = try Schema(version: 1, [Dogs.model, Self.note])
  }

  private func configuration(_ path: String, _ access: StoreConfiguration.Access)
    -> StoreConfiguration
  {
    StoreConfiguration(
      at: .file(path), schema: schema, access: access, busyTimeout: .milliseconds(10),
      backends: [LMDBBackend()])
  }

  /// A store with trees of some depth, values on pages of their own, and free pages.
  private func original() throws -> [UInt8] {
    let store = try Store.open(configuration(workshop.path, .readWrite))
    for round in 1...2 as ClosedRange<Int64> {
      try store.write { transaction in
        for number in 1...400 as ClosedRange<Int64> {
          try transaction.upsert(
            "Dog",
            [
              "id": .integer(number), "name": .text("Rex \(round)"), "age": .integer(number % 9),
              "weight": .double(Double(number)), "owner": number % 3 == 0 ? .integer(round) : .null,
            ])
        }
        for number in 1...12 as ClosedRange<Int64> {
          let text = String(repeating: "text \(round) ", count: Int(number) * 120)
          try transaction.upsert(
            "Note",
            ["title": .text("note \(number)"), "text": .text(text), "dog": .integer(number)])
        }
      }
    }
    try store.close()
    return Array(try Data(contentsOf: URL(fileURLWithPath: workshop.path)))
  }

  /// What a store says in all the ways in which it is asked: the number of its records.
  private func read(_ store: Store) throws -> Int64 {
    try store.read { transaction in
      var count: Int64 = 0
      for model in ["Dog", "Note"] {
        count += Int64(try transaction.records(Query(model)).count)
        _ = try transaction.count(Query(model))
      }
      _ = try transaction.record("Dog", key: 200)
      _ = try transaction.record("Note", key: "note 7")
      for text in [
        "Dog WHERE age = 3", "Dog WHERE name CONTAINS '2' SORT(weight DESC) LIMIT(5)",
        "Note WHERE dog > 4 SORT(dog)", "Note WHERE text ENDSWITH 'x'",
      ] {
        _ = try transaction.records(try Query(parsing: text))
      }
      return count
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `reading one throws a store's error, or there is nothing to see of the damage`() throws {
    let original = try original()
    // More for a night: KURA_DAMAGED_FILES=2000.
    let wanted = ProcessInfo.processInfo.environment["KURA_DAMAGED_FILES"].flatMap { UInt64($0) }
    var whole = 0
    for seed in 0..<(wanted ?? 160) {
      let damaged = DamagedFile(original, pageSize: 4096, seed: seed)
      try Data(damaged.bytes).write(to: URL(fileURLWithPath: copy))
      let isClean = Result {
        let engine = try LMDBBackend().open(.file(copy), EngineOptions(access: .readOnly))
        return try engine.check(.deep, progress: nil).isClean
      }
      let count = Result {
        let store = try Store.open(configuration(copy, .readOnly))
        let count = try read(store)
        try store.close()
        return count
      }
      for case .failure(let error) in [isClean.map { _ in }, count.map { _ in }] {
        #expect(error is StoreError, "\(damaged.way), seed \(seed)")
      }
      if case .success(true) = isClean {
        whole += 1
        #expect(try count.get() == 412, "\(damaged.way), seed \(seed): \(count)")
      }
    }
    // Damage of free pages and inside of values; were there none, nothing was compared.
    #expect(whole > 0)
    #expect(try workshop.names == ["damaged.db", "store.db", "store.db-lock"])
  }

  /// Variant 127 of `tools/damage --only kura --seed 31`: a bit of a property's name in the catalogue.
  @Test func `a catalogue that contradicts the recorded schema is damage`() throws {
    var bytes = try original()
    let (name, other) = (Array(#""id":2,"name":"name""#.utf8), Array(#""id":2,"name":"naie""#.utf8))
    var changes = 0
    for start in 0..<(bytes.count - name.count) where bytes[start...].starts(with: name) {
      bytes.replaceSubrange(start..<(start + name.count), with: other)
      changes += 1
    }
    #expect(changes > 0)
    try Data(bytes).write(to: URL(fileURLWithPath: copy))
    let engine = try LMDBBackend().open(.file(copy), EngineOptions(access: .readOnly))
    defer { try? engine.close() }
    try engine.read { transaction in
      let query = BoundQuery(layout: Dogs.layout)
      #expect(code { _ = try transaction.cursor(for: query) } == .damaged)
      let unknown = ModelLayout(
        ModelDescription(
          "Dog", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("tail", .text),
          ]))
      #expect(
        code { _ = try transaction.cursor(for: BoundQuery(layout: unknown)) } == .unknownProperty)
    }
    #expect(
      try workshop.findings(engine)
        == ["the recorded schema describes the model in another way"])
  }
}
