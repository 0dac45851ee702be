/// The outcome of all checks of one backend.
public struct ConformanceReport: Sendable, Hashable, CustomStringConvertible {
  /// The outcome of one check.
  public struct Result: Sendable, Hashable {
    /// The rule, as a sentence.
    public let check: String
    /// What went wrong; `nil` when the rule holds.
    public let failure: String?
  }

  /// The outcomes in the order of the checks.
  public let results: [Result]

  /// The rules that do not hold.
  public var failures: [Result] { results.filter { $0.failure != nil } }

  /// One line for each check and a sum.
  public var description: String {
    results.map {
      "\($0.failure == nil ? "pass" : "FAIL")  \($0.check)\($0.failure.map { ": \($0)" } ?? "")\n"
    }
    .joined() + "\(results.count - failures.count) of \(results.count) rules hold\n"
  }
}
