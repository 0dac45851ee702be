public import Kura

/// The rules that every backend keeps, as checks that anybody can run on a backend.
///
/// The kit needs no test framework. With Swift Testing, run each check as one case:
///
/// ```swift
/// @Test(arguments: BackendConformance(SQLiteBackend(), .files).checks)
/// func `the backend keeps the contract`(check: ConformanceCheck) throws { try check.run() }
/// ```
public struct BackendConformance: Sendable {
  /// Where the stores of the checks live.
  public enum Place: String, Sendable, Hashable {
    /// In files, each check in a temporary folder of its own.
    case files
    /// In memory.
    case memory
  }

  /// The backend.
  public let backend: any StorageBackend
  /// Where the stores live.
  public let place: Place

  /// Makes the suite of a backend.
  public init(_ backend: any StorageBackend, _ place: Place) {
    self.backend = backend
    self.place = place
  }

  /// All checks; they are independent of each other.
  public var checks: [ConformanceCheck] {
    let rules =
      ValueRules.all + OrderRules.all + QueryRules.all + WriteRules.all + ReferenceRules.all
      + TransactionRules.all + ConcurrencyRules.all + ConditionRules.all + GroupRules.all
      + RelationRules.all + ChangeRules.all + NumberRules.all
      + LimitRules.all
      + SchemaRules.all + ReplacementRules.all
      + (place == .files ? FileRules.all : [])
    return rules.map { ConformanceCheck($0, backend, place) }
  }

  /// Those of all checks that use several threads: what a thread sanitizer should watch.
  public var concurrencyChecks: [ConformanceCheck] {
    ConcurrencyRules.all.map { ConformanceCheck($0, backend, place) }
  }

  /// Runs all checks one after the other.
  public func run() -> ConformanceReport {
    ConformanceReport(
      results: checks.map { check in
        do {
          try check.run()
          return ConformanceReport.Result(check: check.name, failure: nil)
        } catch {
          return ConformanceReport.Result(check: check.name, failure: "\(error)")
        }
      })
  }
}
