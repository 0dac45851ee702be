import Foundation
import Kura
import KuraTesting
import Testing

/// Models that refer to each other, and questions through references and lists: SQLite, LMDB and
/// plain arrays give the same.
///
/// `KURA_DIFFERENTIAL_CASES` sets the number of cases and `KURA_DIFFERENTIAL_SEED` the first seed.
@Suite struct RelationDifferentialTests {
  private static let questionCount: UInt64 = 20
  private static let partCount: UInt64 = 4

  private static func setting(_ name: String, _ usual: UInt64) -> UInt64 {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } ?? usual
  }

  private static func run(_ differential: RelationDifferential, part: UInt64) throws
    -> RelationDifferential.Report
  {
    let cases = setting("KURA_DIFFERENTIAL_CASES", 800)
    let stores = max(1, cases / (partCount * questionCount))
    let first = setting("KURA_DIFFERENTIAL_SEED", 0) &+ part &* 1_000_000
    let report = try differential.run(
      seeds: first..<first + stores, questions: Int(questionCount))
    for difference in report.differences { Issue.record("\(difference)") }
    if report.differences.isEmpty {
      #expect(report.count == Int(stores * questionCount))
      #expect(
        report.limited < report.count / 20, "\(report.limited) of \(report.count) are refused")
      // Questions that select nothing or everything tell little.
      #expect(report.telling > report.count / 6, "\(report.telling) of \(report.count) tell")
      #expect(report.texts > report.count / 2, "\(report.texts) of \(report.count) are texts")
    }
    return report
  }

  @Test(arguments: 0..<partCount)
  func `generated models, steps and questions give the same everywhere`(part: UInt64) throws {
    _ = try Self.run(RelationDifferential([.sqlite, .lmdb]), part: part)
  }

  @Test(arguments: 0..<partCount)
  func `questions of types give what their texts give`(part: UInt64) throws {
    let differential = RelationDifferential(
      [.sqlite, .lmdb], schema: try Harbour.schema(), typed: { Harbour.question($0) })
    let report = try Self.run(differential, part: part)
    #expect(report.typed > report.count / 4, "\(report.typed) of \(report.count) are typed")
  }
}
