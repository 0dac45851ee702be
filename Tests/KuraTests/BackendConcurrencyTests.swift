import Kura
import KuraTesting
import Testing

/// The part of the contract that several threads are about, under a name that the thread sanitizer's
/// run selects.
@Suite("Backend Concurrency")
struct BackendConcurrencyTests {
  @Test(
    arguments: Backends.default.flatMap { backend in
      [BackendConformance.Place.files, .memory].flatMap {
        BackendConformance(backend, $0).concurrencyChecks
      }
    })
  func `backends keep the contract on several threads`(check: ConformanceCheck) throws {
    try check.run()
  }
}
