import Foundation
import Kura
import Testing

/// Several processes that migrate one store at once, and such that are killed while they do.
@Suite("Migrations and other processes")
struct MigrationProcessTests {
  private static let count = 400

  private static func schemas() throws -> (Schema, Schema, Migrations) {
    let first = try Schema(
      version: 1,
      [
        ModelDescription(
          "Item", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("count", .integer),
            PropertyDescription("name", .text),
          ], indexes: [IndexDescription(["name"])])
      ])
    // As the other process has it.
    let migration = Migration("second", from: 1, to: 2) {
      MigrationOperation.changeProperty(model: "Item", "count", .type(.text))
      MigrationOperation.transform(model: "Item", where: "id > 10", set: ["name": "count"])
    }
    return (first, try migration.applied(to: first), try Migrations(migration))
  }

  private static func fill(_ bench: MigrationBench, _ schema: Schema) throws {
    try bench.make(schema) { transaction in
      for number in 1...Int64(count) {
        try transaction.insert(
          "Item",
          ["id": .integer(number), "count": .integer(number * 3), "name": .text("n\(number)")])
      }
    }
  }

  private static let old = (1...count).map { "count=\($0 * 3) id=\($0) name='n\($0)'" }
  private static let new = (1...count).map {
    "count='\($0 * 3)' id=\($0) name='\($0 > 10 ? "\($0 * 3)" : "n\($0)")'"
  }

  @Test(arguments: migratedFormats, ["wal", "delete"])
  func `of processes that open an old store at once, one migrates it`(
    format: StoreFormat, journal: String
  ) throws {
    guard format == .sqlite || journal == "wal" else { return }
    let (first, second, chain) = try Self.schemas()
    for _ in 0..<2 {
      let bench = try MigrationBench(format)
      try Self.fill(bench, first)
      if format == .sqlite {
        #expect(try bench.stock("PRAGMA journal_mode = \(journal)") == "\(journal)\n")
      }
      let processes = try (0..<4).map { _ in
        try MigratingProcess(bench.path, format, records: Self.count)
      }
      for process in processes { try process.begin() }
      let words = try processes.map { try $0.finish() }
      #expect(words.map { $0.prefix(2) } == Array(repeating: ["ready", "open"], count: 4))
      #expect(words.compactMap { $0.dropFirst(2).first }.sorted() == Self.oneOfFour)
      #expect(try bench.migrate(to: second, chain) { try $0.dump("Item") } == Self.new)
      #expect(try bench.history(second).count == 1)
    }
  }

  private static let oneOfFour = ["current", "current", "current", "migrated"]

  /// Expects exactly the old store or the new one, and that the next program opens it at once.
  private func expectWhole(
    _ bench: MigrationBench, _ round: String, _ ways: (Schema, Schema, Migrations)
  ) throws {
    let (first, second, chain) = ways
    let state = try Store.inspect(bench.configuration(second, chain))
    switch state {
    case .current: break
    case .pending:
      var configuration = bench.configuration(first)
      configuration.whenMigrationIsNeeded = .throw
      let store = try Store.open(configuration)
      #expect(try store.read { try $0.dump("Item") } == Self.old, "\(round)")
      try store.close()
    default: Issue.record("\(round): \(state)")
    }
    let began = ContinuousClock.now
    try Store.open(bench.configuration(second, chain)).close()
    // A second by itself; others may use the machine.
    #expect(ContinuousClock.now - began < .seconds(10), "\(round)")
    #expect(
      try bench.migrate(to: second, chain) { try $0.dump("Item") } == Self.new, "\(round)")
    #expect(try bench.history(second).count == 1, "\(round)")
  }

  @Test(arguments: migratedFormats)
  func `a killed migration leaves the old store or the new one`(format: StoreFormat) throws {
    let ways = try Self.schemas()
    for round in 0..<12 {
      let bench = try MigrationBench(format)
      try Self.fill(bench, ways.0)
      let process = try MigratingProcess(bench.path, format, records: Self.count)
      try process.begin()
      // Through the whole of what the process does, a little further in each round.
      process.kill(afterMilliseconds: round * 8)
      try expectWhole(bench, "round \(round)", ways)
    }
  }

  #if os(Linux)
    @Test(arguments: migratedFormats)
    func `a migration that is killed before one of its writes leaves the old store or the new one`(
      format: StoreFormat
    ) throws {
      let ways = try Self.schemas()
      var bench = try MigrationBench(format)
      try Self.fill(bench, ways.0)
      var process = try MigratingProcess(bench.path, format, records: Self.count)
      try process.begin()
      let said = try process.finish()
      let writes = try #require(
        said.first { $0.hasPrefix("writes ") }.flatMap { Int($0.dropFirst(7)) })
      #expect(writes > 2)
      // The first and the last ones, and some between; tools/hammer tries them all.
      let all = Array(1...writes)
      let step = max(1, writes / 8)
      let places = Set(
        all.prefix(2) + all.suffix(6) + stride(from: 1, through: writes, by: step))
      for place in places.sorted() {
        bench = try MigrationBench(format)
        try Self.fill(bench, ways.0)
        process = try MigratingProcess(bench.path, format, records: Self.count, killedAt: place)
        try process.begin()
        #expect(try process.finish() == ["ready", "open"], "write \(place)")
        try expectWhole(bench, "write \(place)", ways)
      }
    }
  #endif
}

/// A process that migrates a store when it is told to.
private final class MigratingProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ path: String, _ format: StoreFormat, records: Int, killedAt place: Int? = nil) throws {
    process.executableURL = URL(fileURLWithPath: HammerProcess.executablePath)
    process.arguments = [format.rawValue, path, "migrate", String(records)]
    if let place {
      var environment = ProcessInfo.processInfo.environment
      environment["KURA_KILL_AT"] = String(place)
      process.environment = environment
    }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { if process.isRunning { process.terminate() } }

  func begin() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

  /// Waits for the end and gives the lines that it said.
  func finish() throws -> [String] {
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Kills it some time after it said that it opens the store.
  func kill(afterMilliseconds time: Int) {
    var said: [UInt8] = []
    while !said.ends(with: "open\n".utf8),
      let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first
    {
      said.append(byte)
    }
    // The moment is what is tried, not an event to wait for.
    let deadline = ContinuousClock.now + .milliseconds(time)
    while process.isRunning, ContinuousClock.now < deadline { usleep(500) }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

extension Array where Element == UInt8 {
  fileprivate func ends(with other: String.UTF8View) -> Bool {
    suffix(other.count).elementsEqual(other)
  }
}
