/// Facts about a file, in sections, for `store-inspect info`.
public struct FileReport: Sendable, Hashable {
  /// One fact.
  public struct Fact: Sendable, Hashable {
    /// A stable name in camel case, such as `pageSize`.
    public var key: String
    /// A name for people, such as `page size`.
    public var label: String
    /// The value.
    public var value: Value

    /// Makes a fact.
    public init(_ key: String, _ label: String, _ value: Value) {
      self.key = key
      self.label = label
      self.value = value
    }
  }

  /// The value of a fact.
  public enum Value: Sendable, Hashable {
    /// A text.
    case text(String)
    /// A number.
    case integer(Int64)
    /// A number of bytes; people see it with a unit as well.
    case byteCount(Int64)
    /// Yes or no.
    case flag(Bool)
    /// Several texts.
    case list([String])
  }

  /// The facts in order.
  public var facts: [Fact]
  /// What deserves attention, one sentence each.
  public var warnings: [String]

  /// Makes a report.
  public init(facts: [Fact] = [], warnings: [String] = []) {
    self.facts = facts
    self.warnings = warnings
  }
}
