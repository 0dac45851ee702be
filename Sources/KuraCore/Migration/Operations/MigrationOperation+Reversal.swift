extension MigrationOperation {
  /// The way back to a schema that the operation can be applied to.
  ///
  /// - Throws: What ``applied(to:)`` throws.
  public func reversal(in schema: Schema) throws(StoreError) -> MigrationReversal {
    _ = try applied(to: schema)
    switch self {
    case .createModel(let model): return MigrationReversal([.removeModel(model.name)])
    case .renameModel(let old, let new):
      return MigrationReversal([.renameModel(from: new, to: old)])
    case .removeModel(let name):
      return MigrationReversal(
        schema.model(named: name).map { [.createModel($0)] }, loss: "the records of \(name)")
    case .addProperty(let model, let property, _):
      return MigrationReversal([.removeProperty(model: model, property.name)])
    case .renameProperty(let model, let old, let new):
      return MigrationReversal([.renameProperty(model: model, from: new, to: old)])
    case .removeProperty(let model, let name):
      return MigrationReversal(
        schema.property(name, of: model).map { MigrationOperation.adding($0, to: model) },
        loss: "the values of \(model).\(name)")
    case .changeProperty(let model, let name, let change):
      return schema.property(name, of: model)
        .map { change.reversal(of: $0, model, schema) } ?? MigrationReversal(nil)
    case .changePrimaryKey(let name, _, let policy):
      return MigrationReversal(
        schema.model(named: name).map { [.changePrimaryKey(model: name, to: $0.primaryKey)] },
        loss: policy.loss(of: name))
    case .addIndex(let model, let index):
      return MigrationReversal([.removeIndex(model: model, index)])
    case .removeIndex(let model, let index):
      return MigrationReversal([.addIndex(model: model, index)])
    case .addReference(let model, let name, _, let policy):
      return MigrationReversal(
        [.removeReference(model: model, property: name)], loss: policy.loss(of: model))
    case .removeReference(let model, let name):
      return MigrationReversal(
        schema.property(name, of: model)?.reference.map {
          [.addReference(model: model, property: name, $0)]
        })
    case .splitProperty(let model, let name, let parts, let separator, let policy):
      guard let property = schema.property(name, of: model) else { return MigrationReversal(nil) }
      return MigrationReversal(
        [
          .mergeProperties(
            model: model, parts.map(\.name), into: property, separator: separator)
        ], loss: policy.loss(of: model))
    case .mergeProperties(let model, let names, let result, let separator):
      let parts = names.compactMap { schema.property($0, of: model) }
      guard parts.count == names.count, parts.allSatisfy({ $0.reference == nil }) else {
        return MigrationReversal(nil, loss: "which property a part of \(result.name) came from")
      }
      return MigrationReversal(
        [.splitProperty(model: model, result.name, into: parts, separator: separator)],
        loss: "which property a part came from where one was null or had the separator in it")
    case .extractModel(let model, _, let target, _):
      return MigrationReversal(
        nil, loss: "no operation brings the properties of \(target) back into \(model)")
    case .transform(let model, _, let values, _):
      return MigrationReversal(
        [],
        loss:
          "the old values of \(values.keys.sorted().map { "\(model).\($0)" }.joined(separator: ", "))"
      )
    case .insert(let model, _):
      return MigrationReversal(
        [], loss: "that \(model) did not have the inserted records, which stay")
    case .delete(let model, _, _, _):
      return MigrationReversal([], loss: "the deleted records of \(model)")
    case .assert: return MigrationReversal([])
    case .sql(_, let undo?): return MigrationReversal([.sql(undo)])
    case .sql: return MigrationReversal(nil, loss: "what the SQL did")
    case .createObject(let object):
      return MigrationReversal([.removeObject(object.kind, object.name)])
    case .removeObject(_, let name):
      return MigrationReversal(
        nil, loss: "the definition of \(name), which the operation does not say")
    case .code(let name, _): return MigrationReversal(nil, loss: "what the code step \(name) did")
    }
  }

  /// What of a store is gone after the operation, in a few words; `nil` when nothing is.
  ///
  /// That a reversal loses something does not mean that the operation does.
  public func loss(in schema: Schema) -> String? {
    switch self {
    case .removeModel(let name): return "the records of \(name)"
    case .removeProperty(let model, let name): return "the values of \(model).\(name)"
    case .changeProperty(let model, let name, let change):
      return schema.property(name, of: model).flatMap {
        change.reversal(of: $0, model, schema).loss
      }
    case .transform(let model, _, let values, _):
      return "the old values of "
        + values.keys.sorted().map { "\(model).\($0)" }.joined(separator: ", ")
    case .delete(let model, let condition, _, _):
      return condition.map { "the records of \(model) where \($0)" } ?? "the records of \(model)"
    case .mergeProperties(let model, let names, _, _):
      return "the division of " + names.map { "\(model).\($0)" }.joined(separator: ", ")
    case .sql: return "what the SQL removes"
    case .removeObject(_, let name): return "the definition of \(name)"
    case .code(let name, let changes):
      return "what the code step \(name) replaces in \(changes.joined(separator: ", "))"
    default: return nil
    }
  }

  /// The operations that add a property as it was; a reference needs no value of its own.
  private static func adding(_ property: PropertyDescription, to model: String)
    -> [MigrationOperation]
  {
    var added = property
    // The records have no values: a required property without a default could not be added.
    if !property.isOptional, property.defaultValue == nil {
      added.isOptional = true
      return [
        .addProperty(model: model, added),
        .changeProperty(model: model, property.name, PropertyChange(isOptional: false)),
      ]
    }
    return [.addProperty(model: model, added)]
  }
}

extension PropertyChange {
  fileprivate func reversal(of property: PropertyDescription, _ model: String, _ schema: Schema)
    -> MigrationReversal
  {
    let changed = applied(to: property)
    let isTypeChange = changed.type != property.type
    let back = PropertyChange(
      type: isTypeChange ? property.type : nil,
      isOptional: isOptional.map { _ in property.isOptional },
      defaultValue: defaultValue.map { _ in property.defaultValue ?? .null },
      isUnique: isUnique.map { _ in
        schema.model(named: model)?.indexes
          .contains(IndexDescription([property.name], isUnique: true)) ?? false
      }, conversion: isTypeChange && property.type == .text ? .exact : conversion)
    var losses: [String] = []
    if isTypeChange, conversion != .exact {
      losses.append("what the conversion leaves out of \(model).\(property.name)")
    }
    if replacingNulls != nil {
      losses.append("which records had null in \(model).\(property.name)")
    }
    if let loss = onFailure.loss(of: model) { losses.append(loss) }
    return MigrationReversal(
      [.changeProperty(model: model, property.name, back)],
      loss: losses.isEmpty ? nil : losses.joined(separator: "; "))
  }
}

extension MigrationFailurePolicy {
  /// What the policy lets go of a model.
  fileprivate func loss(of model: String) -> String? {
    switch self {
    case .fail: nil
    case .null, .default: "values of \(model) that cannot be converted"
    case .quarantine: "records of \(model) that cannot be converted, which stay in quarantine"
    }
  }
}

extension Schema {
  /// The property of a model.
  func property(_ name: String, of model: String) -> PropertyDescription? {
    self.model(named: model)?.property(named: name)
  }
}
