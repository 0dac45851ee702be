import Foundation
import Kura
import Testing

// The declarations of docs/models.md.

@Model struct Player {
  @PrimaryKey var id: Int
  var name: String
}

@Model struct Wave {
  @PrimaryKey var id = ObjectID()
  var eggs: Int
}

@Model struct CoopResult {
  @PrimaryKey var id = ObjectID()
  var goldenEggs: Int?
  @Indexed var playedAt: Date
  @Unique var uploadCode: String?
  var tags: [String]
  @Relation(onDelete: .nullify) var player: Reference<Player>?
  @Relation(onDelete: .cascade) var waves: ReferenceList<Wave> = []
  @Renamed(from: "memo") var note: String = ""
  @Transient var isSelected = false
}

func save(_ player: Player, in store: Store) async throws {
  try await store.upsert(player)
}

struct Point: Model {
  var name: String
  var x: Double?

  struct Properties: Sendable {
    let name = Point.modelProperty("name", String.self)
    let x = Point.modelProperty("x", Double?.self)
  }
  static let modelName = "Point"
  static let modelDescription = ModelDescription(
    modelName, primaryKey: ["name"],
    properties: [.of("name", String.self), .of("x", Double?.self)])
  static let modelProperties = Properties()

  var modelKey: String { name }

  init(name: String, x: Double? = nil) {
    self.name = name
    self.x = x
  }

  init(from row: borrowing RowReader) throws(StoreError) {
    name = try row.read(0)
    x = try row.read(1)
  }

  func write(to row: borrowing RowWriter) throws(StoreError) {
    try row.write(name, at: 0)
    try row.write(x, at: 1)
  }
}

/// The Swift blocks of docs/models.md, compiled here as they stand there and run.
@Suite("docs/models.md")
struct ModelsExampleTests {
  @Test("opens a store of models, writes, reads, queries and edits a list")
  func examples() throws {
    let store = try Store.open(
      StoreConfiguration(
        at: .memory, schema: try Schema(version: 1, Player.self, Wave.self, CoopResult.self)))

    try store.write { transaction in
      try transaction.insert(Player(id: 1, name: "Ika"))
      try transaction.upsert(Player(id: 1, name: "Tako"))  // every property
      try transaction.upsert(Player(id: 1, name: "Tako"), .changed)  // only what differs
      try transaction.update(Player.self, key: 1) { $0.name = "Ika" }
      try transaction.update(Player.where { $0.id > 5 }, set: { $0.name }, to: "?")
      try transaction.insert(contentsOf: (2...9).map { Player(id: $0, name: "p\($0)") })
      try transaction.delete(Player.where { $0.id > 8 })
    }
    let (ika, count) = try store.read { transaction in
      (try transaction.record(Player.self, key: 1), try transaction.count(Player.all))
    }
    print(ika?.name ?? "nobody", count)

    let best = CoopResult.where { $0.goldenEggs > 100 && $0.note.hasPrefix("night") }
      .sorted { $0.playedAt.descending }
      .limit(10)
    let same = try CoopResult.filter("goldenEggs > %@ AND note BEGINSWITH 'night'", [100])
      .sorted { $0.playedAt.descending }
      .limit(10)
    let (results, again, average) = try store.read { transaction in
      (
        try transaction.records(best), try transaction.records(same),
        try transaction.average(CoopResult.all, of: { $0.goldenEggs })
      )
    }
    print(results.count == again.count, average ?? 0)

    let squid = CoopResult.where {
      $0.player.name.contains("ＩＫＡ", [.caseInsensitive, .widthInsensitive])
        && $0.waves.count { $0.eggs > 3 } >= 2
        && $0.waves.average(\.eggs) > 2.5
        && $0.waves.filter { $0.eggs > 0 }.sum(\.eggs) < 100
    }
    .sorted { $0.player.name.ascending }
    .distinct { $0.player.name }

    let columns = CoopResult.all.select { ($0.playedAt, $0.goldenEggs, $0.player.name.optional) }
    let players = CoopResult.where { $0.goldenEggs > 0 }
      .grouped { $0.player.name }
      .having { $0.count >= 2 && $0.maximum(\.goldenEggs) > 50 }
      .select { ($0.player.name, $0.count, $0.average(\.goldenEggs)) }
    let (rows, groups) = try store.read { transaction in
      (
        try transaction.rows(columns.distinct().limit(100)), try transaction.rows(players)
      )
    }
    for (playedAt, eggs, name) in rows { print(playedAt, eggs ?? 0, name ?? "nobody") }
    for (name, count, average) in groups { print(name ?? "nobody", count, average ?? 0) }

    var list = ReferenceList<Player>(references: [Reference(1), Reference(2), Reference(1)])
    list.move(fromOffsets: [0, 1], toOffset: 3)
    list.remove(atOffsets: [0])
    print(list.keys)

    #expect(try store.read { try $0.records(squid) }.isEmpty && rows.isEmpty && groups.isEmpty)
    #expect(ika?.name == "Ika")
    #expect(count == 8)
    #expect(list.keys == [1, 2])
    #expect(results.isEmpty && average == nil)
  }

  @Test("a conformance by hand writes and reads as one of the macro")
  func byHand() throws {
    let store = try Store.open(
      StoreConfiguration(at: .memory, schema: try Schema(version: 1, Point.self)))
    let points = try store.write { transaction in
      try transaction.insert(contentsOf: [Point(name: "a", x: 1.5), Point(name: "b")])
      return try transaction.records(Point.where { $0.x == nil || $0.x > 1 })
    }
    #expect(points.map(\.name) == ["a", "b"] && points.map(\.x) == [1.5, nil])
  }

  @Test("shows only Swift that is compiled by this suite")
  func blocksAreCompiled() throws {
    let tests = RepositoryText.squeezed(
      try RepositoryText.read("Tests/DocumentationTests/ModelsExampleTests.swift"))
    let blocks = try RepositoryText.blocks("swift", in: "docs/models.md")
    #expect(blocks.count == 9)
    for block in blocks {
      let isCompiled = tests.contains(RepositoryText.squeezed(block))
      #expect(isCompiled, "not in this suite:\n\(block)")
    }
  }
}
