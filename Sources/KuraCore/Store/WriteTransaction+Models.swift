extension WriteTransaction {
  /// How a record replaces the one of the same key.
  public enum ReplacePolicy: Sendable, Hashable {
    /// Every property is written.
    case all
    /// Only the properties whose values differ are written; nothing when none does.
    case changed
  }

  // MARK: One record

  /// Writes a new record.
  ///
  /// - Throws: ``StoreError/Code/duplicateKey``, ``StoreError/Code/notUnique``,
  ///   ``StoreError/Code/brokenReference``, ``StoreError/Code/notStorable``,
  ///   ``StoreError/Code/unknownModel``, ``StoreError/Code/transactionEnded``.
  @inlinable public func insert<Root: Model>(_ record: Root) throws(StoreError) {
    try write(record, try modelAccess(Root.self), .insert)
  }

  /// Writes a record in the place of the one of the same key, or as a new one.
  ///
  /// - Throws: As ``insert(_:)-(Root)`` without ``StoreError/Code/duplicateKey``.
  public func upsert<Root: Model>(_ record: Root, _ policy: ReplacePolicy = .all)
    throws(StoreError)
  {
    let access = try modelAccess(Root.self)
    guard policy == .changed else { return try write(record, access, .upsert) }
    let key = try record.modelKey.recordKey()
    guard try engineTransaction.record(key, in: access.layout, into: access.stored) else {
      return try write(record, access, .insert)
    }
    _ = try replace(record, key, access)
  }

  /// Replaces the record of the same key; only properties whose values differ are written.
  ///
  /// - Returns: Whether there is such a record.
  /// - Throws: As ``insert(_:)-(Root)`` without ``StoreError/Code/duplicateKey``.
  @discardableResult
  public func update<Root: Model>(_ record: Root) throws(StoreError) -> Bool {
    let access = try modelAccess(Root.self)
    let key = try record.modelKey.recordKey()
    guard try engineTransaction.record(key, in: access.layout, into: access.stored) else {
      return false
    }
    return try replace(record, key, access)
  }

  /// Changes the record of a key; only properties whose values differ are written.
  ///
  /// ```swift
  /// try transaction.update(Dog.self, key: id) { $0.age = 4 }
  /// ```
  ///
  /// - Returns: The record as it is now; `nil` when there is none of the key.
  /// - Throws: What the body throws; ``StoreError/Code/wrongKey`` when the body changes the key, and
  ///   as ``insert(_:)-(Root)`` without ``StoreError/Code/duplicateKey``.
  @discardableResult
  public func update<Root: Model>(
    _ type: Root.Type = Root.self, key: Root.Key, _ body: (inout Root) throws -> Void
  ) throws -> Root? {
    guard var record = try record(type, key: key) else { return nil }
    try body(&record)
    guard record.modelKey == key else {
      throw located(
        StoreError(
          .wrongKey, "the key of a record of \"\(Root.modelName)\" cannot be changed",
          suggestion: "delete the record and insert it with the new key"))
    }
    try update(record)
    return record
  }

  /// Deletes the record of a key.
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: ``StoreError/Code/brokenReference`` when a record that may not be without it refers
  ///   to it.
  @discardableResult
  public func delete<Root: Model>(_ type: Root.Type = Root.self, key: Root.Key)
    throws(StoreError) -> Bool
  {
    try delete(Root.modelName, key: try key.recordKey())
  }

  /// Deletes the record of the same key.
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: As ``delete(_:key:)-(Root.Type,_)``.
  @discardableResult
  public func delete<Root: Model>(_ record: Root) throws(StoreError) -> Bool {
    try delete(Root.self, key: record.modelKey)
  }

  // MARK: Many records

  /// Writes new records; when one cannot be written, none is.
  ///
  /// - Throws: As ``insert(_:)-(Root)``.
  @inlinable
  public func insert<Root: Model>(contentsOf records: some Sequence<Root>) throws(StoreError) {
    let access = try modelAccess(Root.self)
    try together { () throws(StoreError) in
      for record in records { try write(record, access, .insert) }
    }
  }

  /// Writes records in the place of those of the same keys, or as new ones; when one cannot be
  /// written, none is.
  ///
  /// - Throws: As ``upsert(_:_:)-(Root,_)``.
  public func upsert<Root: Model>(
    contentsOf records: some Sequence<Root>, _ policy: ReplacePolicy = .all
  ) throws(StoreError) {
    try together { () throws(StoreError) in
      for record in records { try upsert(record, policy) }
    }
  }

  /// Deletes all records of a query.
  ///
  /// - Returns: The number of records, without those that delete rules removed.
  /// - Throws: ``StoreError/Code/brokenReference`` and as reading the query.
  @discardableResult
  public func delete<Root: Model>(_ query: TypedQuery<Root>) throws(StoreError) -> Int {
    try delete(try located(query))
  }

  /// Deletes all records of a model.
  ///
  /// - Returns: The number of records, without those that delete rules removed.
  /// - Throws: As ``delete(_:)-(TypedQuery<Root>)``.
  @discardableResult
  public func deleteAll<Root: Model>(_ type: Root.Type) throws(StoreError) -> Int {
    try delete(type.all)
  }

  /// Sets a property of all records of a query.
  ///
  /// ```swift
  /// try transaction.update(Task.where { $0.isDone == false }, set: { $0.isDone }, to: true)
  /// ```
  ///
  /// - Returns: The number of records.
  /// - Throws: ``StoreError/Code/wrongKey`` for a property of the key, and as reading the query.
  @discardableResult
  public func update<Root: Model, Value>(
    _ query: TypedQuery<Root>, set property: (Root.Properties) -> Property<Root, Value>,
    to value: Value
  ) throws(StoreError) -> Int {
    let property = property(Root.modelProperties)
    guard property.path.names.count == 1, let name = property.path.names.first else {
      throw located(
        StoreError(.invalidQuery, "\"\(property.path)\" is a property of another record"))
    }
    return try update(try located(query), set: [name: try property.encode(value)])
  }

  // MARK: Rows

  @inlinable @inline(__always)
  func write<Root: Model>(_ record: Root, _ access: ModelAccess, _ mode: WriteMode)
    throws(StoreError)
  {
    if access.hasLists { return try writeWithLists(record, access, mode) }
    let row = access.row
    row.reset()
    do {
      try record.write(to: RowWriter(row, access.layout))
      try writer.write(row, into: access.layout, mode: mode)
    } catch {
      throw located(error)
    }
  }

  @usableFromInline
  func writeWithLists<Root: Model>(_ record: Root, _ access: ModelAccess, _ mode: WriteMode)
    throws(StoreError)
  {
    let lists = ListCollector(count: access.lists.count)
    access.row.reset()
    do {
      try record.write(to: RowWriter(access.row, access.layout, lists: lists))
      try writer.write(access.row, into: access.layout, mode: mode)
      try write(lists, of: access.row.value(at: access.layout.keyColumns[0]), access, mode)
    } catch {
      throw located(error)
    }
  }

  /// Writes what differs between a record and the stored one, which the second buffer has.
  private func replace<Root: Model>(_ record: Root, _ key: RecordKey, _ access: ModelAccess)
    throws(StoreError) -> Bool
  {
    let lists = access.lists.isEmpty ? nil : ListCollector(count: access.lists.count)
    access.row.reset()
    do {
      try record.write(to: RowWriter(access.row, access.layout, lists: lists))
      let changed = access.layout.columns.indices.filter { column in
        !access.layout.keyColumns.contains(column)
          && !access.row[column].isIdentical(to: access.stored[column])
      }
      if !changed.isEmpty {
        _ = try writer.update(key, in: access.layout, columns: changed, from: access.row)
      }
      if let lists { try write(lists, of: key.first, access, .upsert) }
      return true
    } catch {
      throw located(error)
    }
  }

  private func write(
    _ lists: ListCollector, of owner: StoredValue, _ access: ModelAccess, _ mode: WriteMode
  ) throws(StoreError) {
    for (layout, elements) in zip(access.lists, lists.lists) {
      try StoredList(layout, engineTransaction)
        .replace(with: elements, of: owner, writer, isNew: mode == .insert)
    }
  }
}

extension ColumnSlot {
  /// Whether two slots hold the same value in the same form; both zeros differ.
  func isIdentical(to other: ColumnSlot) -> Bool {
    guard kind == other.kind else { return false }
    guard kind.isBorrowed else { return word0 == other.word0 && word1 == other.word1 }
    return bytes.elementsEqual(other.bytes)
  }
}
