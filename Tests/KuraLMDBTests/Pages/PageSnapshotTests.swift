import KuraCore
import KuraLMDB
import Testing

@Suite struct PageSnapshotTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `random environments read as mdb_dump prints them`(seed: UInt64) throws {
    let environment = try StockEnvironment()
    var random = RandomEnvironment(seed: seed)
    try random.fill(environment)
    let expected = try StockDump.run(environment.path)
    let text = try StockDump.text(PageSnapshot(environment.path))
    #expect(text == expected, "seed \(seed)")
  }
}
