extension OperationExecutor {
  /// Streams the records of a model into a replacement of another shape and puts that in its place.
  ///
  /// What is copied is hashed on the way; the replacement is read again and must have the same hashes.
  func execute(_ rewrite: ModelRewrite) throws(StoreError) {
    let name = rewrite.old.name
    var replacement = rewrite.new
    replacement.name = "kura_new_\(name)"
    replacement.indexes = []
    try transaction.apply(.createReplacement(replacement))
    let copied = rewrite.new.properties.indices.filter { rewrite.columns[$0].copied != nil }
    let sources = copied.compactMap { rewrite.columns[$0].copied }
    let old = ModelLayout(rewrite.old)
    var digest = RecordDigest(columns: copied.count)
    try transaction.setChecksReferences(false)
    do throws(StoreError) {
      if let walked = try fill(rewrite, old, ModelLayout(replacement)) {
        digest = walked
      } else {
        try stream(rewrite, old, ModelLayout(replacement)) { row in
          digest.add(row, keys: rewrite.keepsKey ? old.keyColumns : [], chosen: sources)
        }
      }
    } catch {
      try? transaction.setChecksReferences(true)
      throw error
    }
    try transaction.setChecksReferences(true)
    try transaction.apply(
      .replaceModel(name, by: replacement.name, indexes: rewrite.new.indexes))
    let names = copied.map { rewrite.new.properties[$0].name }
    let after = try self.digest(rewrite.new, of: names, bindsKey: rewrite.keepsKey)
    try conserved(digest, after, of: name, names)
    note { $0.records += after.records }
    touch(name)
  }

  /// Gives a model another key: first everything that refers to it gets the new keys, which can be looked
  /// up while the model still has the old one.
  func rekey(_ rewrite: ModelRewrite, from: Schema, to: Schema) throws(StoreError) {
    let name = rewrite.old.name
    let layout = ModelLayout(rewrite.old)
    var own = rewrite
    if rewrite.new.primaryKey.count == 1, let column = layout.index(of: rewrite.new.primaryKey[0]) {
      let lookup = KeyLookup(transaction, layout, column)
      for model in from.models {
        let places = model.properties.indices.filter {
          model.properties[$0].reference?.target == name
        }
        guard !places.isEmpty, let new = to.model(named: model.name) else { continue }
        var other = model.name == name ? rewrite : ModelRewrite(model, new)
        for place in places {
          other.set(model.properties[place].name, .lookUp(place, lookup))
          if model.primaryKey.contains(model.properties[place].name) { other.keepsKey = false }
        }
        if model.name == name { own = other } else { try execute(other) }
      }
    }
    try execute(own)
  }

  /// Lets the engine walk over the records itself, if it can and nothing is left out on the way.
  ///
  /// - Returns: The digest of what is copied; `nil` when the records have to be written one by one.
  private func fill(_ rewrite: ModelRewrite, _ old: ModelLayout, _ new: ModelLayout)
    throws(StoreError) -> RecordDigest?
  {
    guard rewrite.isOneWalk else { return nil }
    let selection = try rewrite.selection.map { query throws(StoreError) in
      try RecordSelection(query, transaction)
    }
    defer { selection?.close() }
    guard selection?.needsKeyOrder != true else { return nil }
    let transform = RewriteTransform(rewrite, old, new, selection, monitor) { failure, row in
      self.failed(failure, row, old)
    }
    do throws(StoreError) {
      guard try transaction.fill(new, from: old, by: transform) else { return nil }
    } catch {
      // What the new table itself refuses is done again one by one, which knows the record.
      guard error.recordKey == nil, error.code == .duplicateKey || error.code == .notUnique else {
        throw error
      }
      return nil
    }
    return transform.digest
  }

  private func stream(
    _ rewrite: ModelRewrite, _ old: ModelLayout, _ new: ModelLayout,
    _ accepted: (RowBuffer) -> Void
  ) throws(StoreError) {
    let rewriter = RowRewriter(rewrite)
    let selection = try rewrite.selection.map { query throws(StoreError) in
      try RecordSelection(query, transaction)
    }
    defer { selection?.close() }
    var query = BoundQuery(layout: old)
    if selection?.needsKeyOrder == true {
      query.order = old.keyColumns.map { BoundSortTerm(column: $0) }
    }
    let cursor = try transaction.cursor(for: query)
    defer { cursor.close() }
    let (row, made) = (RowBuffer(columns: old.columns.count), RowBuffer(columns: new.columns.count))
    let keys = new.keyColumns
    while try cursor.next(into: row) {
      try monitor.count()
      let isMeant = try selection?.contains(row) ?? true
      var failure: RewriteFailure?
      do throws(RewriteFailure) {
        failure = try rewriter.fill(made, from: row, isMeant: isMeant)
      } catch {
        throw failed(error, row, old)
      }
      // A null in a key of one integer would be given a number.
      if failure == nil, keys.contains(where: { made[$0].kind == .null }) {
        failure = RewriteFailure(reason: "the key would have no value")
        if rewrite.onFailure != .quarantine, let failure { throw failed(failure, row, old) }
      }
      if failure == nil {
        do throws(StoreError) {
          try transaction.write(made, into: new, mode: .insert)
          accepted(row)
          continue
        } catch {
          guard rewrite.onFailure == .quarantine, error.code == .duplicateKey else {
            var named = error
            named.recordKey = old.key(of: row)
            throw named
          }
          failure = RewriteFailure(reason: "another record has the same key")
        }
      }
      if let failure { try quarantine(row, old, failure.reason) }
    }
  }

  private func failed(_ failure: RewriteFailure, _ row: RowBuffer, _ layout: ModelLayout)
    -> StoreError
  {
    var error = StoreError(
      .conversionFailed, failure.reason, path: path,
      suggestion: "mend the record, or let the operation's onFailure say what becomes of it")
    error.recordKey = layout.key(of: row)
    return error
  }

  /// Fills the new model of extracted properties.
  func extract(
    _ properties: [String], of model: String, into target: String, from: Schema, to: Schema
  ) throws(StoreError) {
    guard let source = from.model(named: model), let made = to.model(named: target) else { return }
    try transaction.apply(.createModel(made))
    let (old, new) = (ModelLayout(source), ModelLayout(made))
    let columns = new.columns.map { old.index(of: $0.name) ?? -1 }
    let values = properties.compactMap { old.index(of: $0) }
    let cursor = try transaction.cursor(for: BoundQuery(layout: old))
    defer { cursor.close() }
    let (row, copy) = (RowBuffer(columns: old.columns.count), RowBuffer(columns: new.columns.count))
    while try cursor.next(into: row) {
      try monitor.count()
      guard values.contains(where: { row[$0].kind != .null }) else { continue }
      for (place, column) in columns.enumerated() { copy[place] = row[column] }
      try transaction.write(copy, into: new, mode: .insert)
    }
    touch(target)
  }

  // MARK: Proof

  /// The digest of some properties of a model's records.
  func digest(_ model: ModelDescription, of names: [String], bindsKey: Bool = true)
    throws(StoreError) -> RecordDigest
  {
    let layout = ModelLayout(model)
    let chosen = names.compactMap { layout.index(of: $0) }
    var digest = RecordDigest(columns: chosen.count)
    let cursor = try transaction.cursor(for: BoundQuery(layout: layout))
    defer { cursor.close() }
    let row = RowBuffer(columns: layout.columns.count)
    while try cursor.next(into: row) {
      digest.add(row, keys: bindsKey ? layout.keyColumns : [], chosen: chosen)
      try monitor.count()
    }
    return digest
  }

  /// Throws unless what had to stay has stayed.
  func conserved(
    _ before: RecordDigest, _ after: RecordDigest, of model: String, _ names: [String]
  ) throws(StoreError) {
    guard before.records == after.records else {
      throw StoreError(
        .notConserved, "\"\(model)\" has another number of records than before", path: path,
        found: "\(after.records)", expected: "\(before.records)")
    }
    for (index, name) in names.enumerated() where before.columns[index] != after.columns[index] {
      throw StoreError(
        .notConserved, "the values of \"\(model)\".\"\(name)\" are not what they were", path: path,
        found: "\(after.columns[index].nulls) nulls",
        expected: "\(before.columns[index].nulls) nulls")
    }
    note { $0.proved[model] = max($0.proved[model] ?? 0, names.count) }
  }
}

extension ModelLayout {
  /// The key of a row; `nil` when it has none.
  func key(of row: RowBuffer) -> RecordKey? {
    let values = keyColumns.map { row.value(at: $0) }
    return values.contains(where: \.isNull) ? nil : RecordKey(values)
  }
}
