import Kura

/// One rule of the backend contract, applied to one backend.
public struct ConformanceCheck: Sendable, CustomStringConvertible {
  private let rule: ConformanceRule
  private let backend: any StorageBackend
  private let place: BackendConformance.Place

  init(
    _ rule: ConformanceRule, _ backend: any StorageBackend, _ place: BackendConformance.Place
  ) {
    self.rule = rule
    self.backend = backend
    self.place = place
  }

  /// The rule, as a sentence.
  public var name: String { rule.name }

  /// The rule with the backend.
  public var description: String { "\(rule.name) [\(backend.format) \(place.rawValue)]" }

  /// Applies the rule in a fresh place; afterwards every store that was written must be sound.
  ///
  /// - Throws: ``ConformanceFailure`` when the backend breaks the rule, and errors of the backend
  ///   that the rule does not expect.
  public func run() throws {
    let bench = try ConformanceBench(backend, place)
    do {
      try rule.body(bench)
      try bench.finish()
    } catch {
      bench.abandon()
      throw error
    }
  }
}

/// A rule of the contract: a sentence and how to see whether it holds.
struct ConformanceRule: Sendable {
  let name: String
  let body: @Sendable (ConformanceBench) throws -> Void

  init(_ name: String, _ body: @escaping @Sendable (ConformanceBench) throws -> Void) {
    self.name = name
    self.body = body
  }
}
