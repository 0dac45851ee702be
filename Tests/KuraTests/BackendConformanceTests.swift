import Kura
import KuraTesting
import Testing

@Suite("Backend contract")
struct BackendConformanceTests {
  @Test(arguments: BackendConformance(SQLiteBackend(), .files).checks)
  func `SQLite files keep the contract`(check: ConformanceCheck) throws { try check.run() }

  @Test(arguments: BackendConformance(SQLiteBackend(), .memory).checks)
  func `SQLite in memory keeps the contract`(check: ConformanceCheck) throws { try check.run() }
}
