extension MigrationOperation {
  /// What the operation costs on a backend.
  func work(_ capabilities: Capabilities, in schema: Schema) -> MigrationPlan.Work {
    let inPlace = capabilities.contains(.constantTimePropertyChange)
    switch self {
    case .createModel, .renameModel, .removeModel, .renameProperty, .removeIndex:
      return .description
    case .addProperty(_, _, let value): return value == nil ? .description : .rewrite
    case .removeProperty, .removeReference: return inPlace ? .description : .rewrite
    case .changeProperty(let model, let name, let change):
      guard let property = schema.property(name, of: model),
        !change.changesValues(of: property)
      else { return .rewrite }
      if change.applied(to: property) == property {
        return change.isUnique == nil ? .description : .scan
      }
      return !inPlace ? .rewrite : change.isOptional == false ? .scan : .description
    case .addIndex, .delete, .assert: return .scan
    case .addReference: return inPlace ? .scan : .rewrite
    case .changePrimaryKey, .splitProperty, .mergeProperties, .extractModel, .transform:
      return .rewrite
    case .insert, .sql, .createObject, .removeObject, .code: return .data
    }
  }

  /// The model whose records the operation is about.
  var model: String? {
    switch self {
    case .createModel(let model): model.name
    case .renameModel(let name, _), .removeModel(let name), .addProperty(let name, _, _),
      .renameProperty(let name, _, _), .removeProperty(let name, _),
      .changeProperty(let name, _, _), .changePrimaryKey(let name, _, _), .addIndex(let name, _),
      .removeIndex(let name, _), .addReference(let name, _, _, _), .removeReference(let name, _),
      .splitProperty(let name, _, _, _, _), .mergeProperties(let name, _, _, _),
      .extractModel(let name, _, _, _), .transform(let name, _, _, _), .insert(let name, _),
      .delete(let name, _, _, _):
      name
    case .assert(let assertion): assertion.model
    case .sql, .createObject, .removeObject, .code: nil
    }
  }
}
