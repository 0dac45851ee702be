import KuraLMDB
import KuraSQLite
import KuraTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The same query gives the same records in the same order, whatever the file is.
///
/// `KURA_DIFFERENTIAL_CASES` sets the number of cases and `KURA_DIFFERENTIAL_SEED` the first seed.
@Suite struct BackendDifferentialTests {
  private static let queryCount: UInt64 = 40
  private static let partCount: UInt64 = 4

  private static func setting(_ name: String, _ usual: UInt64) -> UInt64 {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } ?? usual
  }

  @Test("generated stores and queries give the same on SQLite and LMDB", arguments: 0..<partCount)
  func sameAnswers(part: UInt64) throws {
    let cases = Self.setting("KURA_DIFFERENTIAL_CASES", 2000)
    let stores = max(1, cases / (Self.partCount * Self.queryCount))
    let first = Self.setting("KURA_DIFFERENTIAL_SEED", 0) &+ part &* 1_000_000
    let report = try BackendDifferential(SQLiteBackend(), LMDBBackend())
      .run(seeds: first..<first + stores, queries: Int(Self.queryCount))
    for difference in report.differences { Issue.record("\(difference)") }
    guard report.differences.isEmpty else { return }
    #expect(report.count == Int(stores * Self.queryCount))
    // Queries that select nothing or everything tell little.
    #expect(report.telling > report.count / 4, "\(report.telling) of \(report.count) tell")
  }
}
