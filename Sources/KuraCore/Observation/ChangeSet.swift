/// The records that one commit changed, or several commits one after the other.
///
/// A record that was made and deleted again is not in it; one that was written with the values it had
/// may be in it as a modification without properties, or not at all.
public struct ChangeSet: Sendable, Hashable {
  /// What happened to a record.
  public enum Kind: Sendable, Hashable {
    /// It was made.
    case insertion
    /// Some of its values were changed.
    case modification
    /// It was deleted.
    case deletion
  }

  /// One changed record.
  public struct RecordChange: Sendable, Hashable {
    /// The record's primary key.
    public let key: RecordKey
    /// What happened to it.
    public internal(set) var kind: Kind
    /// The properties whose values differ; those of a made or deleted record are all of them.
    public internal(set) var properties: ChangedProperties

    /// Makes a change.
    public init(key: RecordKey, kind: Kind, properties: ChangedProperties) {
      self.key = key
      self.kind = kind
      self.properties = properties
    }
  }

  /// What changed in one model.
  public enum ModelChanges: Sendable, Hashable {
    /// These records, each once, in the order in which they changed first.
    case records([RecordChange])
    /// So many that they were not counted, or nobody knows which: every record may have changed.
    case everything
  }

  /// What changed, by model; models without changes are not in it.
  public internal(set) var models: [String: ModelChanges]
  /// Whether models may have changed that ``models`` does not name, as by commits of other programs.
  public internal(set) var isComplete: Bool

  /// Makes a change set.
  public init(models: [String: ModelChanges] = [:], isComplete: Bool = true) {
    self.models = models
    self.isComplete = isComplete
  }

  /// Nobody knows what changed.
  public static let unknown = ChangeSet(isComplete: false)

  /// Whether nothing changed.
  public var isEmpty: Bool { models.isEmpty && isComplete }

  /// What changed in a model; `nil` for nothing.
  public func changes(in model: String) -> ModelChanges? {
    models[model] ?? (isComplete ? nil : .everything)
  }
}

/// Properties of a model by their place in its description.
///
/// From the 64th on they are not told apart.
public struct ChangedProperties: Sendable, Hashable {
  /// A bit for each of the first 63 properties, the last one for all that follow.
  public var bits: UInt64

  /// Makes a set of bits.
  public init(bits: UInt64 = 0) { self.bits = bits }

  /// Every property.
  public static let all = ChangedProperties(bits: .max)

  /// Whether there is none.
  public var isEmpty: Bool { bits == 0 }

  /// Adds the property of an index.
  public mutating func insert(_ index: Int) { bits |= ChangedProperties.bit(index) }

  /// Whether the property of an index is among them.
  public func contains(_ index: Int) -> Bool { bits & ChangedProperties.bit(index) != 0 }

  /// Adds those of another set.
  public mutating func formUnion(_ other: ChangedProperties) { bits |= other.bits }

  private static func bit(_ index: Int) -> UInt64 { 1 << UInt64(min(63, max(0, index))) }
}
