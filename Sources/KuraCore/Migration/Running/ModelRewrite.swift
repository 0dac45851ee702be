/// How the records of a model become those of its new shape.
struct ModelRewrite {
  let old: ModelDescription
  let new: ModelDescription
  /// One for each property of the new shape.
  var columns: [RewriteColumn]
  /// The records that expressions apply to; `nil` is all of them.
  var selection: BoundQuery?
  var onFailure: MigrationFailurePolicy
  /// Whether records stay under their keys.
  var keepsKey = true

  /// Makes a rewrite that copies what has the same name.
  init(
    _ old: ModelDescription, _ new: ModelDescription, onFailure: MigrationFailurePolicy = .fail
  ) {
    self.old = old
    self.new = new
    self.onFailure = onFailure
    columns = new.properties.map { property in
      if let place = old.properties.firstIndex(where: { $0.name == property.name }) {
        return .copy(place)
      }
      return .constant(property.defaultValue ?? .null)
    }
  }

  /// Sets where a property's values come from.
  mutating func set(_ property: String, _ column: RewriteColumn) {
    guard let place = new.properties.firstIndex(where: { $0.name == property }) else { return }
    columns[place] = column
  }
}

extension ModelRewrite {
  /// The rewrite that an operation asks for; `nil` when it asks for none.
  static func of(_ operation: MigrationOperation, from: Schema, to: Schema) throws(StoreError)
    -> ModelRewrite?
  {
    guard let name = operation.model, let old = from.model(named: name),
      let new = to.model(named: name)
    else { return nil }
    let layout = ModelLayout(old)
    switch operation {
    case .addProperty(_, let property, let text?):
      var rewrite = ModelRewrite(old, new)
      rewrite.set(
        property.name,
        .expression(try MigrationExpression(text, of: layout).evaluator(), otherwise: nil))
      return rewrite
    case .changeProperty(_, let name, let change):
      guard let place = old.properties.firstIndex(where: { $0.name == name }),
        change.changesValues(of: old.properties[place])
      else { return nil }
      var rewrite = ModelRewrite(old, new, onFailure: change.onFailure)
      rewrite.set(name, .convert(place, change.conversion, nulls: change.replacingNulls))
      rewrite.keepsKey = !old.primaryKey.contains(name)
      return rewrite
    case .changePrimaryKey(_, _, let policy):
      var rewrite = ModelRewrite(old, new, onFailure: policy)
      rewrite.keepsKey = false
      return rewrite
    case .splitProperty(_, let source, let parts, let separator, let policy):
      guard let place = old.properties.firstIndex(where: { $0.name == source }) else { return nil }
      var rewrite = ModelRewrite(old, new, onFailure: policy)
      for (index, part) in parts.enumerated() {
        rewrite.set(
          part.name, .part(place, separator: separator, index: index, of: parts.count))
      }
      return rewrite
    case .mergeProperties(_, let sources, let result, let separator):
      var rewrite = ModelRewrite(old, new)
      let places = sources.compactMap { source in
        old.properties.firstIndex { $0.name == source }
      }
      rewrite.set(result.name, .joined(places, separator: separator))
      return rewrite
    case .extractModel(_, let sources, _, let reference):
      guard let key = old.properties.firstIndex(where: { $0.name == old.primaryKey.first }) else {
        return nil
      }
      var rewrite = ModelRewrite(old, new)
      let places = sources.compactMap { source in
        old.properties.firstIndex { $0.name == source }
      }
      rewrite.set(reference, .keyIfAny(key, of: places))
      return rewrite
    case .transform(_, let condition, let values, let policy):
      var rewrite = ModelRewrite(old, new, onFailure: policy)
      if let condition {
        rewrite.selection = try MigrationOperation.query(condition, of: name, in: from)
      }
      for (property, text) in values {
        rewrite.set(
          property,
          .expression(
            try MigrationExpression(text, of: layout).evaluator(),
            otherwise: layout.index(of: property)))
      }
      return rewrite
    default: return nil
    }
  }
}
