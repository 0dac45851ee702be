import Foundation
import Kura
import Testing

/// Typed records on every backend.
@Suite struct ModelTests {
  static let formats: [StoreFormat] = [.sqlite, .lmdb]

  private func store(_ format: StoreFormat) throws -> Store {
    try Store.open(
      StoreConfiguration(at: .memory, schema: try SampleModels.schema(), format: format))
  }

  private static let day = Date(timeIntervalSinceReferenceDate: 800_000_000)

  @Test(arguments: formats) func `a record comes back as it was written`(format: StoreFormat) throws
  {
    let store = try store(format)
    let player = Player(id: 7, name: "Ika")
    let waves = [Wave(eggs: 3), Wave(eggs: 5)]
    let result = CoopResult(
      goldenEggs: 42, playedAt: Self.day, weapon: .charger, tags: ["a", "b\"c", ""],
      place: Place(name: "dam", floor: -1), player: Reference(to: player),
      waves: ReferenceList([waves[1], waves[0], waves[1]]))
    try store.write { transaction in
      try transaction.insert(player)
      try transaction.insert(contentsOf: waves)
      try transaction.insert(result)
    }
    let found = try store.read { try $0.record(CoopResult.self, key: result.id) }
    let read = try #require(found)
    #expect(read.goldenEggs == 42 && read.powerEggs == nil && read.playedAt == Self.day)
    #expect(read.weapon == .charger && read.tags == result.tags && read.place == result.place)
    #expect(read.player == Reference(7) && read.waves == result.waves && read.note == "")
    #expect(try store.read { try $0.records(read.waves).map(\.eggs) } == [5, 3, 5])
    #expect(try store.read { try $0.record(read.player)?.name } == "Ika")
  }

  @Test(arguments: formats) func `edge values of every type come back exactly`(format: StoreFormat)
    throws
  {
    let store = try store(format)
    let least = EveryType(
      id: UUID(), bool: false, int: .min, int8: .min, int16: .min, int32: .min, int64: .min,
      uint: 0,
      uint8: 0, uint16: 0, uint32: 0, uint64: 0, float: -.greatestFiniteMagnitude,
      double: -.infinity, string: "", data: Data(), bytes: [],
      date: Date(timeIntervalSince1970: -62_167_219_200),
      time: try #require(Timestamp(seconds: -62_167_219_200)), uuid: UUID(),
      url: try #require(URL(string: "a")), decimal: -0.1, objectID: ObjectID(), weapon: .roller,
      place: Place(name: "", floor: .min), places: [], names: [], counts: [:])
    let greatest = EveryType(
      id: UUID(), bool: true, int: .max, int8: .max, int16: .max, int32: .max, int64: .max,
      uint: UInt(Int64.max), uint8: .max, uint16: .max, uint32: .max, uint64: UInt64(Int64.max),
      float: .leastNonzeroMagnitude, double: .leastNonzeroMagnitude, string: "e\u{301}\0🥚\u{FFFF}",
      data: Data([0, 255]), bytes: [255, 0],
      date: Date(timeIntervalSince1970: 253_402_300_799),
      time: try #require(Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999)),
      uuid: UUID(), url: try #require(URL(string: "https://例え.jp/a?b=c#d")),
      decimal: try #require(Decimal(string: "12345678901234567890123456789012345678")),
      objectID: ObjectID(), weapon: .shooter, place: Place(name: "\u{1F}\"\\", floor: .max),
      places: [Place(name: "x", floor: 0), Place(name: "x", floor: 0)], names: ["é", "e\u{301}x"],
      counts: ["": 0, "a.b$": -1], optionalInt: 0, optionalString: "", optionalDate: Self.day,
      optionalWeapon: .roller, optionalPlace: Place(name: "y", floor: 2), optionalTags: [],
      optionalData: Data(), optionalDecimal: 0, optionalURL: URL(string: "b"))
    try store.write { try $0.insert(contentsOf: [least, greatest]) }
    let found = try store.read { try $0.records(EveryType.all.sorted(by: { $0.int })) }
    #expect(found == [least, greatest])
  }

  @Test(arguments: formats) func `values that no store can keep are errors with their place`(
    format: StoreFormat
  ) throws {
    let store = try store(format)
    let player = Player(id: 1, name: "a")
    func result(_ date: Date) -> CoopResult {
      CoopResult(
        playedAt: date, weapon: .roller, tags: [], player: Reference(to: player), waves: [])
    }
    let error = #expect(throws: StoreError.self) {
      try store.write { try $0.insert(result(.distantFuture.addingTimeInterval(1e12))) }
    }
    #expect(error?.code == .notStorable && error?.message.contains("playedAt") == true)
    #expect(error?.recordKey != nil)
    // An unknown case, which another program may write.
    let bad = result(Self.day)
    try store.write { transaction in
      try transaction.insert(player)
      try transaction.insert(bad)
      try transaction.update(
        "CoopResult", key: RecordKey(.objectID(bad.id)), ["weapon": "trident"])
    }
    let unknown = #expect(throws: StoreError.self) {
      try store.read { try $0.records(CoopResult.all) }
    }
    #expect(unknown?.code == .wrongType && unknown?.message.contains("\"weapon\"") == true)
    #expect(unknown?.recordKey == RecordKey(.objectID(bad.id)))
    #expect(unknown?.message.contains("trident") == false)
  }

  @Test(arguments: formats) func `conditions, orders and windows select`(format: StoreFormat) throws
  {
    let store = try store(format)
    try store.write { transaction in
      try transaction.insert(contentsOf: (1...100).map { Player(id: $0, name: "p\($0 % 10)") })
    }
    try store.read { (transaction) throws in
      let high = Player.where { $0.id > 90 && $0.name != "p5" }
      #expect(try transaction.records(high).map(\.id) == [91, 92, 93, 94, 96, 97, 98, 99, 100])
      let some = Player.where { $0.name == "p3" || $0.id.isIn([1, 2]) || !($0.id >= 5) }
        .sorted { $0.name.descending }.sorted(by: { $0.id }).offset(1).limit(4)
      #expect(try transaction.records(some).map(\.id) == [3, 13, 23, 33])
      #expect(try transaction.count(Player.where { $0.name.hasPrefix("p") }) == 100)
      #expect(try transaction.sum(Player.all, of: { $0.id }) == 5050)
      #expect(try transaction.average(Player.all, of: { $0.id }) == 50.5)
      #expect(try transaction.maximum(Player.where { $0.id < 0 }, of: { $0.id }) == nil)
      #expect(try transaction.minimum(Player.all, of: { $0.name }) == "p0")
      #expect(try transaction.first(Player.all.sorted { $0.id.descending })?.id == 100)
      let text = try Player.filter("id > %@ AND name == %@", [95, "p9"])
      #expect(try transaction.records(text).map(\.id) == [99])
    }
  }

  @Test(arguments: formats) func `lists of an owner go with it, and their elements with a target`(
    format: StoreFormat
  ) throws {
    let store = try store(format)
    let waves = (1...4).map { Wave(eggs: $0) }
    let player = Player(id: 1, name: "a")
    var one = CoopResult(playedAt: Self.day, weapon: .roller, tags: [], waves: ReferenceList(waves))
    one.player = Reference(to: player)
    let other = CoopResult(
      playedAt: Self.day, weapon: .roller, tags: [], waves: ReferenceList([waves[0], waves[0]]))
    try store.write { transaction in
      try transaction.insert(player)
      try transaction.insert(contentsOf: waves)
      try transaction.insert(contentsOf: [one, other])
      #expect(try transaction.delete(waves[1]))
      let left = try transaction.record(CoopResult.self, key: one.id)
      #expect(left?.waves.map(\.key) == [waves[0].id, waves[2].id, waves[3].id])
      try transaction.delete(player)
      #expect(try transaction.record(CoopResult.self, key: one.id)?.player == nil)
      #expect(try transaction.delete(one))
    }
    try store.read { (transaction) throws in
      #expect(try transaction.count(Wave.all) == 0)
      #expect(try transaction.record(CoopResult.self, key: other.id)?.waves.isEmpty == true)
      #expect(try transaction.count(Query("CoopResult_waves")) == 0)
    }
  }

  @Test(arguments: formats) func `an update writes what differs`(format: StoreFormat) throws {
    let store = try store(format)
    try store.write { try $0.insert(Member(team: "a", number: 1, name: "x")) }
    let key = Member.Key(team: "a", number: 1)
    let changed = try store.write { transaction in
      try transaction.update(Member.self, key: key) { $0.name = "y" }
    }
    #expect(changed?.name == "y")
    #expect(try store.read { try $0.record(Member.self, key: key)?.name } == "y")
    #expect(throws: StoreError.self) {
      try store.write { try $0.update(Member.self, key: key) { $0.number = 2 } }
    }
    try store.write { transaction in
      try transaction.upsert(Member(team: "a", number: 1, name: "z"), .changed)
      try transaction.upsert(Member(team: "b", number: 1, name: "z"), .changed)
      let count = try transaction.update(Member.where { $0.team == "b" }, set: { $0.name }, to: "w")
      #expect(count == 1)
    }
    #expect(try store.read { try $0.records(Member.all).map(\.name) } == ["z", "w"])
  }
}
