/// An index over one or more properties of a model.
public struct IndexDescription: Sendable, Hashable, Codable {
  /// The indexed properties, most significant first.
  public var properties: [String]
  /// Whether two records may not have equal values; records with a null in the index never clash.
  public var isUnique: Bool

  /// Makes an index over properties.
  public init(_ properties: [String], isUnique: Bool = false) {
    self.properties = properties
    self.isUnique = isUnique
  }

  private enum CodingKeys: String, CodingKey, CaseIterable { case properties, isUnique }

  /// Decodes an index; without `isUnique` it is not unique.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    properties = try container.decode([String].self, forKey: .properties)
    isUnique = try container.decodeIfPresent(Bool.self, forKey: .isUnique) ?? false
  }
}
