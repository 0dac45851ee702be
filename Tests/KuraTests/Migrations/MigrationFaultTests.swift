import Foundation
import Kura
import Testing

#if os(Linux)
  /// Every write of a migration fails once, of the migration itself, of its backup and of what tidies up.
  ///
  /// A process of Tests/StoreHammer does it, because the faults are the whole process's.
  @Suite("Migrations on disks that fail")
  struct MigrationFaultTests {
    /// What may become of a migration of which one write fails, by what the store is found to be.
    private static let outcomes: Set<String> = [
      "new", "store.diskFull, old", "store.ioError, old", "migration.backupFailed, old",
      "store.commitOutcomeUnknown, old", "store.commitOutcomeUnknown, new",
    ]

    private static func sweep(_ format: StoreFormat, _ kind: String) throws -> [String] {
      let folder = try TemporaryFolder()
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: HammerProcess.executablePath)
      process.arguments = [format.rawValue, folder.file("store"), "faults", kind]
      process.standardOutput = output
      try process.run()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(arguments: migratedFormats, ["full", "cut", "error", "broken"])
    func
      `a write that fails is an error with a code, leaves the store whole, and does not hinder the next run`(
        format: StoreFormat, kind: String
      ) throws
    {
      let lines = try Self.sweep(format, kind)
      #expect(lines.last == "writes \(lines.count - 1)")
      // The copy, the records and the commit are many writes on either backend.
      #expect(lines.count > 10)
      var seen: Set<String> = []
      for line in lines.dropLast() {
        // NUMBER CALL: OUTCOME, then new
        let parts = line.split(separator: ": ", maxSplits: 1)
        let outcome = parts.last.map { String($0.replacing(", then new", with: "")) } ?? ""
        #expect(line.hasSuffix(", then new") && Self.outcomes.contains(outcome), "\(line)")
        seen.insert(outcome)
      }
      // The faults came through, in the copy as well as in the migration.
      #expect(seen.contains("migration.backupFailed, old"))
      let expected = kind == "full" || kind == "cut" ? "store.diskFull, old" : "store.ioError, old"
      #expect(seen.contains(expected))
    }
  }
#endif
