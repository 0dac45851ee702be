extension MigrationOperation: CustomStringConvertible {
  /// One line for people, without values of records.
  public var description: String {
    switch self {
    case .createModel(let model): "create model \(model.name)"
    case .renameModel(let old, let new): "rename model \(old) to \(new)"
    case .removeModel(let name): "remove model \(name)"
    case .addProperty(let model, let property, let value):
      "add property \(model).\(property.summary)\(value.map { " as \($0)" } ?? "")"
    case .renameProperty(let model, let old, let new): "rename property \(model).\(old) to \(new)"
    case .removeProperty(let model, let property): "remove property \(model).\(property)"
    case .changeProperty(let model, let property, let change):
      "change property \(model).\(property): \(change)"
    case .changePrimaryKey(let model, let key, _):
      "change primary key of \(model) to (\(key.joined(separator: ", ")))"
    case .addIndex(let model, let index): "add \(index.summary) of \(model)"
    case .removeIndex(let model, let index): "remove \(index.summary) of \(model)"
    case .addReference(let model, let property, let reference, _):
      "make \(model).\(property) a reference to \(reference.target) (\(reference.onDelete.rawValue))"
    case .removeReference(let model, let property):
      "make the reference \(model).\(property) an ordinary property"
    case .splitProperty(let model, let property, let parts, _, _):
      "split property \(model).\(property) into \(parts.map(\.name).joined(separator: ", "))"
    case .mergeProperties(let model, let properties, let result, _):
      "merge properties \(properties.joined(separator: ", ")) of \(model) into \(result.name)"
    case .extractModel(let model, let properties, let target, let reference):
      "extract \(properties.joined(separator: ", ")) of \(model) into model \(target), "
        + "referred to by \(reference)"
    case .transform(let model, let condition, let values, _):
      "set "
        + values.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        .joined(separator: ", ")
        + " of \(model)\(condition.map { " where \($0)" } ?? "")"
    case .insert(let model, let rows):
      "insert \(rows.count) \(rows.count == 1 ? "record" : "records") into \(model)"
    case .delete(let model, let condition, _, _):
      "delete \(condition.map { "records of \(model) where \($0)" } ?? "all records of \(model)")"
    case .assert(let assertion): "assert that \(assertion)"
    case .sql: "execute SQL"
    case .createObject(let object): "create \(object.kind.words) \(object.name)"
    case .removeObject(let kind, let name): "remove \(kind.words) \(name)"
    case .code(let name, let changes):
      "run code step \(name) over \(changes.joined(separator: ", "))"
    }
  }
}

extension PropertyChange: CustomStringConvertible {
  /// What changes, in a few words.
  public var description: String {
    var parts: [String] = []
    if let type {
      parts.append(
        "type \(type.rawValue)\(conversion == .exact ? "" : " (\(conversion.rawValue))")")
    }
    if let isOptional { parts.append(isOptional ? "optional" : "required") }
    if let defaultValue { parts.append(defaultValue.isNull ? "no default" : "another default") }
    if let isUnique { parts.append(isUnique ? "unique" : "not unique") }
    if replacingNulls != nil { parts.append("nulls get a value") }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}

extension SQLObject.Kind {
  fileprivate var words: String {
    switch self {
    case .view: "view"
    case .trigger: "trigger"
    case .virtualTable: "virtual table"
    case .index: "SQL index"
    }
  }
}
