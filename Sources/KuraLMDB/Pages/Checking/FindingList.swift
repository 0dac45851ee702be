import KuraCore

/// Findings of a check, with an end to those of one database: damage repeats itself.
struct FindingList {
  private(set) var findings: [CheckReport.Finding] = []
  private var model: String?
  private var suppressed = 0
  private var count = 0
  /// Whether something is damaged.
  private(set) var hasDamage = false
  /// The reads that failed because the file ends early.
  private(set) var missingPages = 0

  static let maximum = 50

  /// Begins with a database; its name goes with the findings.
  mutating func begin(_ model: String?) {
    finish()
    self.model = model
  }

  mutating func add(_ severity: CheckReport.Finding.Severity, _ message: String) {
    if severity == .damage { hasDamage = true }
    guard count < FindingList.maximum else {
      suppressed += 1
      return
    }
    count += 1
    findings.append(.init(severity, model: model, message))
  }

  /// Adds damage that reading met; what lies behind a file's end is counted only.
  mutating func add(_ error: StoreError) {
    if error.code == .truncated {
      missingPages += 1
      hasDamage = true
    } else {
      add(.damage, error.message)
    }
  }

  /// Ends a database.
  mutating func finish() {
    if suppressed > 0 {
      findings.append(.init(.damage, model: model, "\(suppressed) more findings of this kind"))
    }
    suppressed = 0
    count = 0
    model = nil
  }

  mutating func insertFirst(_ finding: CheckReport.Finding) {
    if finding.severity == .damage { hasDamage = true }
    findings.insert(finding, at: 0)
  }
}
