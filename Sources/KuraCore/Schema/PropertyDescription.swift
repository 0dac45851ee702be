/// One typed field of a model.
public struct PropertyDescription: Sendable, Hashable {
  /// The name, unique in its model.
  public var name: String
  /// The type of the property's values.
  public var type: ValueType
  /// Whether a record may have no value here.
  public var isOptional: Bool
  /// The value of records that give none; for an optional property that is `nil` it is null.
  public var defaultValue: StoredValue?
  /// The model that this property's value is a key of, if it is a to-one reference.
  public var reference: ReferenceDescription?

  /// Makes a description; a schema checks it when the schema is made.
  public init(
    _ name: String, _ type: ValueType, isOptional: Bool = false,
    defaultValue: StoredValue? = nil, reference: ReferenceDescription? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.reference = reference
  }
}

/// The target of a to-one reference and what happens to the referring record when it is deleted.
public struct ReferenceDescription: Sendable, Hashable, Codable {
  /// The name of the model that is referred to.
  public var target: String
  /// What deleting the target does.
  public var onDelete: DeleteRule

  /// Makes a reference.
  public init(to target: String, onDelete: DeleteRule = .deny) {
    self.target = target
    self.onDelete = onDelete
  }

  private enum CodingKeys: String, CodingKey, CaseIterable { case target, onDelete }

  /// Decodes a reference; without `onDelete` the rule is ``DeleteRule/deny``.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    target = try container.decode(String.self, forKey: .target)
    onDelete = try container.decodeIfPresent(DeleteRule.self, forKey: .onDelete) ?? .deny
  }

  /// What deleting a record does to the records that refer to it.
  public enum DeleteRule: String, Sendable, Hashable, Codable {
    /// The deletion throws ``StoreError/Code/brokenReference``, unless the referring records go by the
    /// same call.
    case deny
    /// The reference becomes null.
    case nullify
    /// The referring records are deleted as well.
    case cascade
  }
}
