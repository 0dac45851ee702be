import KuraCore
import KuraLMDB
import Testing

@Suite struct PageCheckTests {
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `files that liblmdb wrote are clean`(seed: UInt64) throws {
    let environment = try StockEnvironment()
    var random = RandomEnvironment(seed: seed, most: 100)
    try random.fill(environment)
    for depth in CheckDepth.allCases {
      let report = try PageCheck(PageFile(environment.path), depth: depth).run()
      #expect(report.findings.map(\.message) == [], "seed \(seed)")
    }
    for isCompacting in [false, true] {
      let copy = environment.folder + "/copy.mdb"
      try environment.copy(to: copy, compacting: isCompacting)
      let report = try PageCheck(PageFile(copy), depth: .deep).run()
      #expect(report.findings.map(\.message) == [], "seed \(seed)")
      let content = try SnapshotContent(PageSnapshot(copy))
      #expect(try content == SnapshotContent(PageSnapshot(environment.path)))
      try DamageTrial.remove(copy)
    }
  }

  @Test(arguments: [3, 11, 12] as [UInt64])
  func `damage never traps and is named or does not matter`(environment seed: UInt64) throws {
    let trial = try DamageTrial(seed: seed, most: 40)
    for seed in 0..<64 as Range<UInt64> {
      let damaged = DamagedFile(trial.original, pageSize: trial.pageSize, seed: seed)
      #expect(trial.fault(damaged) == nil, "\(damaged.way), seed \(seed)")
    }
  }
}
