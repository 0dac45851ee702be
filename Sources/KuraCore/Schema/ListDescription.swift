/// What list the records of a model are the elements of.
///
/// A list of references is a model of its own: one record for each element, with the key of the
/// list's owner, the position, an identity that stays when the element moves, and the key of the
/// record that the element refers to. So backends need to know nothing of lists, and an index leads
/// from a record to the lists that hold it.
public struct ListDescription: Sendable, Hashable {
  /// The name of the list among the owner's properties.
  public var property: String
  /// Whether the records that the list refers to are deleted together with the list's owner.
  public var isOwning: Bool

  /// The property with the key of the list's owner.
  public static let owner = "owner"
  /// The property with the place in the list, from 0.
  public static let position = "position"
  /// The property with the identity of the element.
  public static let element = "element"
  /// The property with the key of the record that the element refers to.
  public static let target = "target"

  /// Makes a description.
  public init(property: String, isOwning: Bool = false) {
    self.property = property
    self.isOwning = isOwning
  }

  /// The name of the model that keeps a list.
  public static func modelName(_ owner: String, _ property: String) -> String {
    "\(owner)_\(property)"
  }

  /// The model that keeps a list; `nil` when owner or target is missing or has a composite key.
  ///
  /// - Parameters:
  ///   - onDelete: What deleting a record does that the list refers to: `deny` refuses, everything
  ///     else removes its elements.
  ///   - name: The model's name, when it is not the usual one.
  package static func model(
    _ list: ListDescription, of owner: ModelDescription?, to target: ModelDescription?,
    onDelete: ReferenceDescription.DeleteRule, name: String? = nil
  ) -> ModelDescription? {
    guard let owner, let target, owner.primaryKey.count == 1, target.primaryKey.count == 1,
      let ownerKey = owner.property(named: owner.primaryKey[0]),
      let targetKey = target.property(named: target.primaryKey[0])
    else { return nil }
    return ModelDescription(
      name ?? modelName(owner.name, list.property), primaryKey: [Self.owner, position],
      properties: [
        PropertyDescription(
          Self.owner, ownerKey.type,
          reference: ReferenceDescription(to: owner.name, onDelete: .cascade)),
        PropertyDescription(position, .integer), PropertyDescription(element, .integer),
        PropertyDescription(
          Self.target, targetKey.type,
          reference: ReferenceDescription(
            to: target.name, onDelete: onDelete == .deny ? .deny : .cascade)),
      ], indexes: [IndexDescription([Self.target])], list: list)
  }
}

extension ListDescription: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case property, owning }

  /// Encodes the members; `owning` only when true.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(property, forKey: .property)
    if isOwning { try container.encode(true, forKey: .owning) }
  }

  /// Decodes a description; unknown members are refused.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    property = try container.decode(String.self, forKey: .property)
    isOwning = try container.decodeIfPresent(Bool.self, forKey: .owning) ?? false
  }
}
