/// How thoroughly to look for damage.
public enum CheckDepth: String, Sendable, Hashable, CaseIterable {
  /// The structure, without comparing indexes with their tables.
  case quick
  /// The structure, indexes against tables, constraints and references.
  case normal
  /// The same and every value: text encoding, types promised by a schema.
  case deep
}

/// What a check found.
public struct CheckReport: Sendable, Hashable {
  /// One finding.
  public struct Finding: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable, Codable {
      /// Data is damaged or lost.
      case damage
      /// A promise of the schema is broken, such as a reference to no record.
      case violation
      /// Worth knowing.
      case note
    }

    /// How bad it is.
    public var severity: Severity
    /// The model concerned, if one is.
    public var model: String?
    /// One sentence.
    public var message: String

    /// Makes a finding.
    public init(_ severity: Severity, model: String? = nil, _ message: String) {
      self.severity = severity
      self.model = model
      self.message = message
    }
  }

  /// The findings in the order in which they were found.
  public var findings: [Finding]
  /// Whether the check stopped before the end, as after too many findings.
  public var isIncomplete: Bool

  /// Makes a report.
  public init(findings: [Finding] = [], isIncomplete: Bool = false) {
    self.findings = findings
    self.isIncomplete = isIncomplete
  }

  /// Whether nothing worse than a note was found.
  public var isClean: Bool { !isIncomplete && findings.allSatisfy { $0.severity == .note } }
}
