extension OperationExecutor {
  /// Walks over the records whose reference is no record's key, at most some, in constant memory.
  ///
  /// - Returns: How many there are, up to the limit.
  @discardableResult
  func walkOrphans(
    of property: String, in model: String, _ schema: Schema,
    to target: String? = nil, limit: Int = .max,
    _ found: (RecordKey) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) -> Int {
    guard let description = schema.model(named: model),
      let name = target ?? description.property(named: property)?.reference?.target,
      let referred = schema.model(named: name)
    else { return 0 }
    let (layout, targetLayout) = (ModelLayout(description), ModelLayout(referred))
    guard let column = layout.index(of: property) else { return 0 }
    let cursor = try transaction.cursor(
      for: BoundQuery(
        layout: layout, condition: .compareValue(column: column, .notEqual, .null)))
    defer { cursor.close() }
    let row = RowBuffer(columns: layout.columns.count)
    let other = RowBuffer(columns: targetLayout.columns.count)
    var count = 0
    while count < limit, try cursor.next(into: row) {
      try monitor.count()
      let value = row.value(at: column)
      guard try !transaction.record(RecordKey(value), in: targetLayout, into: other),
        let key = layout.key(of: row)
      else { continue }
      count += 1
      try found(key)
    }
    return count
  }

  /// Does what the policy says with records whose value will be no record's key.
  func settleOrphans(
    of property: String, in model: String, _ reference: ReferenceDescription,
    _ policy: MigrationFailurePolicy, _ schema: Schema
  ) throws(StoreError) {
    guard let description = schema.model(named: model) else { return }
    let layout = ModelLayout(description)
    // The walk must not see what is changed, so the keys are put aside first.
    let orphans = KeySpool()
    var first: RecordKey?
    let count = try walkOrphans(of: property, in: model, schema, to: reference.target) {
      key throws(StoreError) in
      first = first ?? key
      if policy != .fail { try orphans.append(model, key) }
    }
    guard count > 0 else { return }
    guard policy != .fail else {
      var error = StoreError(
        .brokenReference,
        "values of \"\(model)\".\"\(property)\" are the key of no \"\(reference.target)\"",
        path: path, found: "\(count)",
        suggestion: "mend them, or let the operation's onFailure say what becomes of them")
      error.recordKey = first
      throw error
    }
    let row = RowBuffer(columns: layout.columns.count)
    try orphans.forEach { _, key throws(StoreError) in
      try monitor.count()
      guard try transaction.record(key, in: layout, into: row) else { return }
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
        var last: RecordKey?
        let count = try walkOrphans(
          of: property.name, in: model.name, schema, limit: known + 1
        ) { last = $0 }
        guard count > known else { continue }
        var error = StoreError(
          .brokenReference,
          "after the migration \"\(model.name)\".\"\(property.name)\" would refer to records of "
            + "\"\(target)\" that are gone", path: path,
          suggestion: "delete or change the references in the migration")
        error.recordKey = last
        throw error
      }
    }
  }
}
