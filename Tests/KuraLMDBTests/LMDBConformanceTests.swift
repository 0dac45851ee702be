import KuraTesting
import Testing

@testable import KuraLMDB

@Suite struct `The contract of backends` {
  @Test(arguments: BackendConformance(LMDBBackend(), .files).checks)
  func `LMDB keeps it in files`(check: ConformanceCheck) throws { try check.run() }

  @Test(arguments: BackendConformance(LMDBBackend(), .memory).checks)
  func `LMDB keeps it in memory`(check: ConformanceCheck) throws { try check.run() }
}
