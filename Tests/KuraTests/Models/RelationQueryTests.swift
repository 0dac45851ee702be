import Foundation
import Kura
import Testing

/// Conditions through references and lists, on every backend, against the same conditions on arrays.
@Suite struct RelationQueryTests {
  private static let day = Date(timeIntervalSinceReferenceDate: 800_000_000)

  /// A store with players, waves and results that refer to them, and the same as arrays.
  private struct Sample {
    let store: Store
    let players = (1...6).map { Player(id: $0, name: ["ika", "tako", "kura"][$0 % 3]) }
    let waves = (0..<10).map { Wave(eggs: $0) }
    let results: [CoopResult]

    init(_ format: StoreFormat) throws {
      store = try Store.open(
        StoreConfiguration(at: .memory, schema: try SampleModels.schema(), format: format))
      let (players, waves) = (players, waves)
      results = (0..<24).map { number in
        CoopResult(
          goldenEggs: number, playedAt: RelationQueryTests.day, weapon: .roller, tags: [],
          // Every fifth has no player; lists have 0 to 4 elements, some twice the same.
          player: number % 5 == 0 ? nil : Reference(to: players[number % 6]),
          waves: ReferenceList((0..<number % 5).map { waves[($0 * number) % 10] }))
      }
      let results = results
      try store.write { transaction in
        try transaction.insert(contentsOf: players)
        try transaction.insert(contentsOf: waves)
        try transaction.insert(contentsOf: results)
      }
    }

    func player(_ result: CoopResult) -> Player? {
      result.player.flatMap { reference in players.first { $0.id == reference.key } }
    }

    func waves(_ result: CoopResult) -> [Wave] {
      result.waves.keys.compactMap { key in waves.first { $0.id == key } }
    }

    /// Compares what two queries and a function on the arrays select.
    func check(
      _ typed: TypedQuery<CoopResult>, _ text: String, _ arguments: QueryArguments = [],
      _ isSelected: (CoopResult) -> Bool, line: Int = #line
    ) throws {
      let expected = results.filter(isSelected).map(\.goldenEggs)
      let (found, same) = try store.read { transaction in
        (
          try transaction.records(typed.sorted(by: { $0.goldenEggs })).map(\.goldenEggs),
          try transaction.records(
            try CoopResult.filter(text, arguments).sorted(by: { $0.goldenEggs })
          ).map(\.goldenEggs)
        )
      }
      #expect(found == expected, "typed, line \(line)")
      #expect(same == expected, "\(text), line \(line)")
      // Something is selected and something is not, or the case says little.
      #expect(!expected.isEmpty && expected.count < results.count, "line \(line)")
    }
  }

  @Test(arguments: ModelTests.formats) func `a path goes through a reference`(format: StoreFormat)
    throws
  {
    let sample = try Sample(format)
    try sample.check(CoopResult.where { $0.player.name == "ika" }, "player.name == 'ika'") {
      sample.player($0)?.name == "ika"
    }
    try sample.check(CoopResult.where { $0.player.name != "ika" }, "player.name != 'ika'") {
      sample.player($0)?.name != "ika"
    }
    try sample.check(
      CoopResult.where { !$0.player.name.hasPrefix("t") }, "NOT player.name BEGINSWITH 't'"
    ) { !(sample.player($0)?.name.hasPrefix("t") ?? false) }
    try sample.check(
      CoopResult.where { $0.player.id.isIn([1, 2]) && $0.goldenEggs > 5 },
      "player.id IN {1, 2} AND goldenEggs > 5"
    ) { [1, 2].contains(sample.player($0)?.id) && ($0.goldenEggs ?? 0) > 5 }
    try sample.check(
      CoopResult.where { $0.player == Reference(3) || $0.player == nil },
      "player == 3 OR player == nil"
    ) { $0.player == nil || $0.player?.key == 3 }
  }

  @Test(arguments: ModelTests.formats) func `quantifiers and counts look into lists`(
    format: StoreFormat
  ) throws {
    let sample = try Sample(format)
    try sample.check(
      CoopResult.where { $0.waves.any { $0.eggs > 6 } }, "ANY waves.eggs > 6"
    ) { sample.waves($0).contains { $0.eggs > 6 } }
    try sample.check(
      CoopResult.where { $0.waves.all { $0.eggs < 5 } }, "ALL waves.eggs < 5"
    ) { sample.waves($0).allSatisfy { $0.eggs < 5 } }
    try sample.check(
      CoopResult.where { $0.waves.none { $0.eggs == 0 } }, "NONE waves.eggs == 0"
    ) { !sample.waves($0).contains { $0.eggs == 0 } }
    for number in 0...5 {
      for (isSelected, typed, sign): ((Int) -> Bool, TypedQuery<CoopResult>, String) in [
        ({ $0 == number }, CoopResult.where { $0.waves.count == number }, "=="),
        ({ $0 != number }, CoopResult.where { $0.waves.count != number }, "!="),
        ({ $0 < number }, CoopResult.where { $0.waves.count < number }, "<"),
        ({ $0 > number }, CoopResult.where { $0.waves.count > number }, ">"),
        ({ $0 <= number }, CoopResult.where { $0.waves.count <= number }, "<="),
        ({ $0 >= number }, CoopResult.where { $0.waves.count >= number }, ">="),
      ] {
        let expected = sample.results.filter { isSelected($0.waves.count) }.count
        let counts = try sample.store.read { transaction in
          (
            try transaction.count(typed),
            try transaction.count(try CoopResult.filter("waves.@count \(sign) \(number)"))
          )
        }
        #expect(counts == (expected, expected), "\(sign) \(number)")
      }
    }
    let often = try sample.store.read { transaction in
      try transaction.records(CoopResult.where { $0.waves.count(where: { $0.eggs > 3 }) >= 2 })
    }
    let expected = sample.results.filter { sample.waves($0).count { $0.eggs > 3 } >= 2 }
    #expect(Set(often.map(\.id)) == Set(expected.map(\.id)) && !expected.isEmpty)
  }

  @Test(arguments: ModelTests.formats) func `the inverse finds the lists that hold a record`(
    format: StoreFormat
  ) throws {
    let sample = try Sample(format)
    let wave = sample.waves[3]
    let expected = sample.results.filter { $0.waves.contains(key: wave.id) }.map(\.goldenEggs)
    try sample.store.read { (transaction) throws in
      let query = CoopResult.where { $0.waves.contains(wave) }
      let found = try transaction.records(query.sorted(by: { $0.goldenEggs })).map(\.goldenEggs)
      #expect(found == expected && !expected.isEmpty)
      // By the index on the list's targets, not by reading every element.
      let plan = try transaction.explain(query).joined(separator: "\n")
      #expect(format == .lmdb || plan.contains("INDEX"), "\(plan)")
    }
  }

  @Test(arguments: ModelTests.formats) func `changes by query go through references`(
    format: StoreFormat
  ) throws {
    let sample = try Sample(format)
    let expected = sample.results.filter { sample.player($0)?.name == "tako" }.count
    try sample.store.write { (transaction) throws in
      let query = CoopResult.where { $0.player.name == "tako" }
      #expect(try transaction.update(query, set: { $0.note }, to: "x") == expected)
      #expect(try transaction.count(CoopResult.where { $0.note == "x" }) == expected)
      #expect(try transaction.sum(query, of: { $0.goldenEggs }) > 0)
      #expect(try transaction.delete(query) == expected)
      #expect(try transaction.count(CoopResult.all) == sample.results.count - expected)
    }
  }

  @Test(arguments: [
    ("player.nam == 'x'", "schema.unknownProperty"), ("waves.eggs > 1", "query.invalid"),
    ("ANY player.name == 'x'", "query.invalid"), ("goldenEggs.x == 1", "query.invalid"),
    ("ANY waves.egs == 1", "schema.unknownProperty"), ("waves.@count > 'x'", "query.invalid"),
    ("waves.@max > 1", "query.invalid"), ("waevs.@count > 1", "schema.unknownProperty"),
    ("nothing.name == 1", "schema.unknownProperty"),
  ])
  func `wrong paths are errors`(text: String, code: String) throws {
    let sample = try Sample(.sqlite)
    let error = #expect(throws: StoreError.self) {
      try sample.store.read { try $0.records(try CoopResult.filter(text)) }
    }
    #expect(error?.code.rawValue == code, "\(text): \(String(describing: error))")
  }
}
