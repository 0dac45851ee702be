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

  @Test(arguments: migratedFormats)
  func `of processes that open an old store at once, one migrates it`(format: StoreFormat) throws {
    let (first, second, chain) = try Self.schemas()
    for _ in 0..<2 {
      let bench = try MigrationBench(format)
      try Self.fill(bench, first)
      let processes = try (0..<4).map { _ in try MigratingProcess(bench.path, format) }
      for process in processes { try process.begin() }
      for process in processes {
        // Each finds one entry in the history, whoever wrote it.
        #expect(try process.finish() == ["ready", "open", "migrated 1"])
      }
      #expect(try bench.migrate(to: second, chain) { try $0.dump("Item") } == Self.new)
      #expect(try bench.history(second).count == 1)
    }
  }

  @Test(arguments: migratedFormats)
  func `a killed migration leaves the old store or the new one`(format: StoreFormat) throws {
    let (first, second, chain) = try Self.schemas()
    for round in 0..<12 {
      let bench = try MigrationBench(format)
      try Self.fill(bench, first)
      let process = try MigratingProcess(bench.path, format)
      try process.begin()
      // Through the whole of what the process does, a little further in each round.
      process.kill(afterMilliseconds: round * 8)
      let state = try Store.inspect(bench.configuration(second, chain))
      switch state {
      case .current: break
      case .pending:
        var configuration = bench.configuration(first)
        configuration.whenMigrationIsNeeded = .throw
        let store = try Store.open(configuration)
        #expect(try store.read { try $0.dump("Item") } == Self.old)
        try store.close()
      default: Issue.record("round \(round): \(state)")
      }
      let began = ContinuousClock.now
      try Store.open(bench.configuration(second, chain)).close()
      #expect(ContinuousClock.now - began < .seconds(10))
      #expect(try bench.migrate(to: second, chain) { try $0.dump("Item") } == Self.new)
      #expect(try bench.history(second).count == 1)
    }
  }
}

/// A process that migrates a store when it is told to.
private final class MigratingProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ path: String, _ format: StoreFormat) throws {
    process.executableURL = URL(fileURLWithPath: HammerProcess.executablePath)
    process.arguments = [format.rawValue, path, "migrate", "0"]
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
