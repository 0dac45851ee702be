extension SchemaDiff {
  /// Operations that would explain the difference, in an order in which they can be applied.
  ///
  /// They are a proposal for people: a name less and a name more may be a rename, and a removal loses
  /// data.
  public var operations: [MigrationOperation] {
    let order: [(Change) -> Bool] = [
      { if case .modelAdded = $0 { true } else { false } },
      { if case .indexRemoved = $0 { true } else { false } },
      { if case .propertyChanged = $0 { true } else { false } },
      { if case .propertyAdded = $0 { true } else { false } },
      { if case .primaryKeyChanged = $0 { true } else { false } },
      { if case .propertyRemoved = $0 { true } else { false } },
      { if case .indexAdded = $0 { true } else { false } },
      { if case .modelRemoved = $0 { true } else { false } },
    ]
    return order.flatMap { isKind in changes.filter(isKind).flatMap(\.operations) }
  }
}

extension SchemaDiff.Change {
  /// The operations that say what the change means; empty where none does.
  public var operations: [MigrationOperation] {
    switch self {
    case .modelAdded(let model): return [.createModel(model)]
    case .modelRemoved(let model): return [.removeModel(model.name)]
    case .propertyAdded(let model, let property): return [.addProperty(model: model, property)]
    case .propertyRemoved(let model, let property):
      return [.removeProperty(model: model, property.name)]
    case .propertyChanged(let model, let old, let new):
      var operations: [MigrationOperation] = []
      if old.reference != new.reference, old.reference != nil {
        operations.append(.removeReference(model: model, property: new.name))
      }
      var plain = old
      plain.reference = new.reference
      if plain != new {
        operations.append(
          .changeProperty(
            model: model, new.name,
            PropertyChange(
              type: old.type == new.type ? nil : new.type,
              isOptional: old.isOptional == new.isOptional ? nil : new.isOptional,
              // A literal `nil` would be the value null, which removes the default.
              defaultValue: old.defaultValue == new.defaultValue
                ? .none : .some(new.defaultValue ?? .null))))
      }
      if let reference = new.reference, old.reference != reference {
        operations.append(.addReference(model: model, property: new.name, reference))
      }
      return operations
    case .primaryKeyChanged(let model, _, let key):
      return [.changePrimaryKey(model: model, to: key)]
    case .listChanged: return []
    case .indexAdded(let model, let index): return [.addIndex(model: model, index)]
    case .indexRemoved(let model, let index): return [.removeIndex(model: model, index)]
    }
  }
}
