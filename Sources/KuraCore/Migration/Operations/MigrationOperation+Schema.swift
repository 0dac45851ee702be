extension MigrationOperation {
  /// The schema that the operation leads to; the version stays.
  ///
  /// - Throws: ``StoreError/Code/unknownModel`` and ``StoreError/Code/unknownProperty`` with the
  ///   nearest name, ``StoreError/Code/invalidSchema``, ``StoreError/Code/invalidName``,
  ///   ``StoreError/Code/invalidQuery`` for a wrong condition or expression.
  public func applied(to schema: Schema) throws(StoreError) -> Schema {
    var draft = SchemaDraft(schema)
    do {
      try apply(to: &draft)
      let result = try draft.finished()
      try checkExpressions(from: schema, to: result)
      return result
    } catch {
      var named = error
      named.message = "\(self): \(error.message)"
      throw named
    }
  }

  private func apply(to draft: inout SchemaDraft) throws(StoreError) {
    switch self {
    case .createModel(let model):
      try draft.checkFree(model.name)
      draft.models.append(model)
    case .renameModel(let old, let new): try draft.renameModel(old, to: new)
    case .removeModel(let name): try draft.removeModel(name)
    case .addProperty(let model, let property, let value):
      try draft.change(model) { model throws(StoreError) in
        try model.checkFree(property.name)
        guard value == nil || property.reference == nil else {
          throw StoreError(
            .invalidSchema, "an added reference cannot have a value",
            suggestion: "add the property first, then the reference")
        }
        model.properties.append(property)
      }
    case .renameProperty(let model, let old, let new):
      try draft.renameProperty(of: model, old, to: new)
    case .removeProperty(let model, let property):
      try draft.change(model) { model throws(StoreError) in
        try model.remove(property)
      }
    case .changeProperty(let model, let property, let change):
      try draft.change(model) { model throws(StoreError) in
        let place = try model.place(of: property)
        try model.checkChange(change, of: model.properties[place])
        model.properties[place] = change.applied(to: model.properties[place])
        guard let isUnique = change.isUnique else { return }
        let index = IndexDescription([property], isUnique: true)
        model.indexes.removeAll { $0 == index }
        if isUnique { model.indexes.append(index) }
      }
    case .changePrimaryKey(let model, let key, let policy):
      try draft.changePrimaryKey(of: model, to: key, policy)
    case .addIndex(let model, let index):
      try draft.change(model) { model throws(StoreError) in
        for property in index.properties { _ = try model.place(of: property) }
        model.indexes.append(index)
      }
    case .removeIndex(let model, let index):
      try draft.change(model) { model throws(StoreError) in
        guard let place = model.indexes.firstIndex(of: index) else {
          throw StoreError(
            .invalidSchema, "\"\(model.name)\" has no \(index.summary)",
            suggestion: model.indexes.isEmpty
              ? nil : "it has \(model.indexes.map(\.summary).joined(separator: ", "))")
        }
        model.indexes.remove(at: place)
      }
    case .addReference(let model, let property, let reference, let policy):
      try draft.change(model) { model throws(StoreError) in
        let place = try model.place(of: property)
        guard policy != .default else {
          throw StoreError(
            .invalidSchema, "a reference to no record cannot become the default value",
            suggestion: "use null, quarantine or fail")
        }
        model.properties[place].reference = reference
      }
    case .removeReference(let model, let property):
      try draft.change(model) { model throws(StoreError) in
        let place = try model.place(of: property)
        guard model.properties[place].reference != nil else {
          throw StoreError(.invalidSchema, "\"\(property)\" is no reference")
        }
        model.properties[place].reference = nil
      }
    case .splitProperty(let model, let property, let parts, let separator, _):
      try draft.split(property, of: model, into: parts, separator)
    case .mergeProperties(let model, let properties, let result, let separator):
      try draft.merge(properties, of: model, into: result, separator)
    case .extractModel(let model, let properties, let target, let reference):
      try draft.extract(properties, of: model, into: target, reference)
    case .transform(let model, _, let values, _):
      let model = try draft.model(model)
      guard !values.isEmpty else { throw StoreError(.invalidQuery, "nothing is to be set") }
      for property in values.keys.sorted() {
        _ = try model.place(of: property)
        guard !model.primaryKey.contains(property) else {
          throw StoreError(
            .wrongKey, "\"\(property)\" is part of the primary key",
            suggestion: "make a new property of the values, then change the primary key to it")
        }
      }
    case .insert(let model, let rows):
      let model = try draft.model(model)
      for row in rows { for name in row.keys.sorted() { _ = try model.place(of: name) } }
    case .delete(let model, _, let least, let most):
      _ = try draft.model(model)
      guard least >= 0, most ?? .max >= least else {
        throw StoreError(.invalidQuery, "the expected number of records is no range")
      }
    case .assert(let assertion):
      let model = try draft.model(assertion.model)
      switch assertion.expectation {
      case .count, .every: break
      case .noNulls(let property), .noOrphans(let property): _ = try model.place(of: property)
      case .unique(let properties):
        for property in properties { _ = try model.place(of: property) }
      }
    case .code(_, let changes): for name in changes { _ = try draft.place(of: name) }
    case .sql, .createObject, .removeObject: break
    }
  }
}
