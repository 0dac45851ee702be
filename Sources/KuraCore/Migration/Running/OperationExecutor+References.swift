extension OperationExecutor {
  /// The keys of records whose reference is no record's key, at most some.
  func orphans(
    of property: String, in model: String, _ schema: Schema,
    to target: String? = nil, limit: Int
  ) throws(StoreError) -> [RecordKey] {
    guard let description = schema.model(named: model),
      let name = target ?? description.property(named: property)?.reference?.target,
      let referred = schema.model(named: name)
    else { return [] }
    let (layout, targetLayout) = (ModelLayout(description), ModelLayout(referred))
    guard let column = layout.index(of: property) else { return [] }
    let cursor = try transaction.cursor(
      for: BoundQuery(
        layout: layout, condition: .compareValue(column: column, .notEqual, .null)))
    defer { cursor.close() }
    let row = RowBuffer(columns: layout.columns.count)
    let found = RowBuffer(columns: targetLayout.columns.count)
    var keys: [RecordKey] = []
    while keys.count < limit, try cursor.next(into: row) {
      try monitor.count()
      let value = row.value(at: column)
      guard try !transaction.record(RecordKey(value), in: targetLayout, into: found),
        let key = layout.key(of: row)
      else { continue }
      keys.append(key)
    }
    return keys
  }

  /// Does what the policy says with records whose value will be no record's key.
  func settleOrphans(
    of property: String, in model: String, _ reference: ReferenceDescription,
    _ policy: MigrationFailurePolicy, _ schema: Schema
  ) throws(StoreError) {
    guard let description = schema.model(named: model) else { return }
    let layout = ModelLayout(description)
    while true {
      let keys = try orphans(
        of: property, in: model, schema, to: reference.target, limit: 1000)
      guard let first = keys.first else { return }
      guard policy != .fail else {
        var error = StoreError(
          .brokenReference,
          "values of \"\(model)\".\"\(property)\" are the key of no \"\(reference.target)\"",
          path: path, found: keys.count < 1000 ? "\(keys.count)" : "1000 or more",
          suggestion: "mend them, or let the operation's onFailure say what becomes of them")
        error.recordKey = first
        throw error
      }
      let row = RowBuffer(columns: layout.columns.count)
      for key in keys {
        guard try transaction.record(key, in: layout, into: row) else { continue }
        if policy == .null, let column = layout.index(of: property) {
          row.reset()
          _ = try transaction.update(key, in: layout, columns: [column], from: row)
        } else {
          try quarantine(row, layout, "\(property): the reference leads to no record")
          _ = try transaction.delete(key, in: layout)
        }
      }
      touch(model)
    }
  }

  /// Throws when a reference from or to a model that was touched leads to no record.
  ///
  /// - Parameter before: How many such references each property had before the migration.
  func checkReferences(_ schema: Schema, before: [String: Int]) throws(StoreError) {
    for model in schema.models {
      for property in model.properties {
        guard let target = property.reference?.target,
          touched.contains(model.name) || touched.contains(target)
        else { continue }
        let known = before["\(model.name).\(property.name)"] ?? 0
        let orphans = try orphans(
          of: property.name, in: model.name, schema, limit: known + 1)
        guard orphans.count > known, let first = orphans.last else { continue }
        var error = StoreError(
          .brokenReference,
          "after the migration \"\(model.name)\".\"\(property.name)\" would refer to records of "
            + "\"\(target)\" that are gone", path: path,
          suggestion: "delete or change the references in the migration")
        error.recordKey = first
        throw error
      }
    }
  }
}
