extension MigrationOperation {
  /// The members of an operation's JSON.
  enum CodingKeys: String, CodingKey, CaseIterable {
    case operation = "op"
    case model, name, from, to, property, properties, value, change, primaryKey, index, reference
    case into, separator, set, records, atLeast, atMost, assertion, sql, undo, object, kind, changes
    case onFailure
    case condition = "where"
  }
}

extension MigrationOperation {
  /// The canonical JSON: one line, members by name, nothing that has its default.
  public var canonicalJSON: String { Schema.json(self) }
}

extension MigrationOperation: Encodable {
  /// Encodes `op`, the operation's name, and what belongs to it, without defaults.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .operation)
    switch self {
    case .createModel(let model): try container.encode(model, forKey: .model)
    case .renameModel(let old, let new):
      try container.encode(old, forKey: .from)
      try container.encode(new, forKey: .to)
    case .removeModel(let name): try container.encode(name, forKey: .model)
    case .addProperty(let model, let property, let value):
      try container.encode(model, forKey: .model)
      try container.encode(property, forKey: .property)
      try container.encodeIfPresent(value, forKey: .value)
    case .renameProperty(let model, let old, let new):
      try container.encode(model, forKey: .model)
      try container.encode(old, forKey: .from)
      try container.encode(new, forKey: .to)
    case .removeProperty(let model, let property), .removeReference(let model, let property):
      try container.encode(model, forKey: .model)
      try container.encode(property, forKey: .property)
    case .changeProperty(let model, let property, let change):
      try container.encode(model, forKey: .model)
      try container.encode(property, forKey: .property)
      try container.encode(change, forKey: .change)
    case .changePrimaryKey(let model, let key, let policy):
      try container.encode(model, forKey: .model)
      try container.encode(key, forKey: .primaryKey)
      try container.encode(policy)
    case .addIndex(let model, let index), .removeIndex(let model, let index):
      try container.encode(model, forKey: .model)
      try container.encode(index, forKey: .index)
    case .addReference(let model, let property, let reference, let policy):
      try container.encode(model, forKey: .model)
      try container.encode(property, forKey: .property)
      try container.encode(reference, forKey: .reference)
      try container.encode(policy)
    case .splitProperty(let model, let property, let parts, let separator, let policy):
      try container.encode(model, forKey: .model)
      try container.encode(property, forKey: .property)
      try container.encode(parts, forKey: .into)
      try container.encode(separator, forKey: .separator)
      try container.encode(policy)
    case .mergeProperties(let model, let properties, let result, let separator):
      try container.encode(model, forKey: .model)
      try container.encode(properties, forKey: .properties)
      try container.encode(result, forKey: .into)
      try container.encode(separator, forKey: .separator)
    case .extractModel(let model, let properties, let target, let reference):
      try container.encode(model, forKey: .model)
      try container.encode(properties, forKey: .properties)
      try container.encode(target, forKey: .into)
      try container.encode(reference, forKey: .reference)
    default: try encodeData(into: &container)
    }
  }

  private func encodeData(into container: inout KeyedEncodingContainer<CodingKeys>) throws {
    switch self {
    case .transform(let model, let condition, let values, let policy):
      try container.encode(model, forKey: .model)
      try container.encodeIfPresent(condition, forKey: .condition)
      try container.encode(values, forKey: .set)
      try container.encode(policy)
    case .insert(let model, let rows):
      try container.encode(model, forKey: .model)
      try container.encode(rows, forKey: .records)
    case .delete(let model, let condition, let least, let most):
      try container.encode(model, forKey: .model)
      try container.encodeIfPresent(condition, forKey: .condition)
      if least != 0 { try container.encode(least, forKey: .atLeast) }
      try container.encodeIfPresent(most, forKey: .atMost)
    case .assert(let assertion): try container.encode(assertion, forKey: .assertion)
    case .sql(let sql, let undo):
      try container.encode(sql, forKey: .sql)
      try container.encodeIfPresent(undo, forKey: .undo)
    case .createObject(let object): try container.encode(object, forKey: .object)
    case .removeObject(let kind, let name):
      try container.encode(kind, forKey: .kind)
      try container.encode(name, forKey: .name)
    case .code(let name, let changes):
      try container.encode(name, forKey: .name)
      try container.encode(changes, forKey: .changes)
    default: break
    }
  }
}

extension KeyedEncodingContainer<MigrationOperation.CodingKeys> {
  fileprivate mutating func encode(_ policy: MigrationFailurePolicy) throws {
    if policy != .fail { try encode(policy, forKey: .onFailure) }
  }
}
