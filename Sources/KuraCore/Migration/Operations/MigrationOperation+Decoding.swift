extension MigrationOperation: Decodable {
  /// Decodes an operation; unknown operations and members are refused with the nearest name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .operation)
    guard let kind = Kind(rawValue: name) else {
      let hint = closestMatch(name, in: Kind.allCases.map(\.rawValue))
      throw DecodingError.dataCorruptedError(
        forKey: .operation, in: container,
        debugDescription: "unknown operation \"\(name.prefix(80))\""
          + (hint.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
    try decoder.refuseMembers(besides: ["op"] + kind.members.map(\.rawValue))
    self = try MigrationOperation.decode(kind, container)
  }

  private typealias Container = KeyedDecodingContainer<CodingKeys>

  private static func decode(_ kind: Kind, _ container: Container) throws -> MigrationOperation {
    switch kind {
    case .createModel:
      return .createModel(try container.decode(ModelDescription.self, forKey: .model))
    case .renameModel:
      return .renameModel(from: try container.text(.from), to: try container.text(.to))
    case .removeModel: return .removeModel(try container.text(.model))
    case .addProperty:
      return .addProperty(
        model: try container.text(.model),
        try container.decode(PropertyDescription.self, forKey: .property),
        value: try container.decodeIfPresent(String.self, forKey: .value))
    case .renameProperty:
      return .renameProperty(
        model: try container.text(.model), from: try container.text(.from),
        to: try container.text(.to))
    case .removeProperty:
      return .removeProperty(model: try container.text(.model), try container.text(.property))
    case .changeProperty:
      return .changeProperty(
        model: try container.text(.model), try container.text(.property),
        try container.decode(PropertyChange.self, forKey: .change))
    case .changePrimaryKey:
      return .changePrimaryKey(
        model: try container.text(.model),
        to: try container.decode([String].self, forKey: .primaryKey),
        onFailure: try container.policy())
    case .addIndex:
      return .addIndex(
        model: try container.text(.model),
        try container.decode(IndexDescription.self, forKey: .index))
    case .removeIndex:
      return .removeIndex(
        model: try container.text(.model),
        try container.decode(IndexDescription.self, forKey: .index))
    case .addReference:
      return .addReference(
        model: try container.text(.model), property: try container.text(.property),
        try container.decode(ReferenceDescription.self, forKey: .reference),
        onFailure: try container.policy())
    case .removeReference:
      return .removeReference(
        model: try container.text(.model), property: try container.text(.property))
    case .splitProperty:
      return .splitProperty(
        model: try container.text(.model), try container.text(.property),
        into: try container.decode([PropertyDescription].self, forKey: .into),
        separator: try container.text(.separator), onFailure: try container.policy())
    case .mergeProperties:
      return .mergeProperties(
        model: try container.text(.model),
        try container.decode([String].self, forKey: .properties),
        into: try container.decode(PropertyDescription.self, forKey: .into),
        separator: try container.text(.separator))
    case .extractModel:
      return .extractModel(
        model: try container.text(.model),
        properties: try container.decode([String].self, forKey: .properties),
        into: try container.text(.into), reference: try container.text(.reference))
    default: return try decodeData(kind, container)
    }
  }

  private static func decodeData(_ kind: Kind, _ container: Container) throws
    -> MigrationOperation
  {
    switch kind {
    case .transform:
      return .transform(
        model: try container.text(.model),
        where: try container.decodeIfPresent(String.self, forKey: .condition),
        set: try container.decode([String: String].self, forKey: .set),
        onFailure: try container.policy())
    case .insert:
      return .insert(
        model: try container.text(.model),
        try container.decode([[String: StoredValue]].self, forKey: .records))
    case .delete:
      return .delete(
        model: try container.text(.model),
        where: try container.decodeIfPresent(String.self, forKey: .condition),
        atLeast: try container.decodeIfPresent(Int.self, forKey: .atLeast) ?? 0,
        atMost: try container.decodeIfPresent(Int.self, forKey: .atMost))
    case .assert:
      return .assert(try container.decode(MigrationAssertion.self, forKey: .assertion))
    case .createObject:
      return .createObject(try container.decode(SQLObject.self, forKey: .object))
    case .removeObject:
      return .removeObject(
        try container.decode(SQLObject.Kind.self, forKey: .kind), try container.text(.name))
    case .code:
      return .code(
        try container.text(.name), changes: try container.decode([String].self, forKey: .changes))
    default:
      return .sql(
        try container.text(.sql), undo: try container.decodeIfPresent(String.self, forKey: .undo))
    }
  }
}

extension MigrationOperation.Kind {
  /// The members that belong to the operation besides `op`.
  var members: [MigrationOperation.CodingKeys] {
    switch self {
    case .createModel, .removeModel: [.model]
    case .renameModel: [.from, .to]
    case .addProperty: [.model, .property, .value]
    case .renameProperty: [.model, .from, .to]
    case .removeProperty, .removeReference: [.model, .property]
    case .changeProperty: [.model, .property, .change]
    case .changePrimaryKey: [.model, .primaryKey, .onFailure]
    case .addIndex, .removeIndex: [.model, .index]
    case .addReference: [.model, .property, .reference, .onFailure]
    case .splitProperty: [.model, .property, .into, .separator, .onFailure]
    case .mergeProperties: [.model, .properties, .into, .separator]
    case .extractModel: [.model, .properties, .into, .reference]
    case .transform: [.model, .condition, .set, .onFailure]
    case .insert: [.model, .records]
    case .delete: [.model, .condition, .atLeast, .atMost]
    case .assert: [.assertion]
    case .sql: [.sql, .undo]
    case .createObject: [.object]
    case .removeObject: [.kind, .name]
    case .code: [.name, .changes]
    }
  }
}

extension KeyedDecodingContainer<MigrationOperation.CodingKeys> {
  fileprivate func text(_ key: MigrationOperation.CodingKeys) throws -> String {
    try decode(String.self, forKey: key)
  }

  fileprivate func policy() throws -> MigrationFailurePolicy {
    try decodeIfPresent(MigrationFailurePolicy.self, forKey: .onFailure) ?? .fail
  }
}
