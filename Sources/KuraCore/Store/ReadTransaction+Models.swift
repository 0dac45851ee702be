extension ReadTransaction {
  /// Reads all records of a query.
  ///
  /// - Throws: ``StoreError/Code/unknownModel``, ``StoreError/Code/invalidQuery``,
  ///   ``StoreError/Code/wrongType`` for a value that the property's type cannot be,
  ///   ``StoreError/Code/transactionEnded`` and what reading throws.
  @inlinable public func records<Root: Model>(_ query: TypedQuery<Root>) throws(StoreError)
    -> [Root]
  {
    let walk = try walk(query)
    defer { walk.close() }
    var records: [Root] = []
    // A damaged file may say any number.
    records.reserveCapacity(max(0, min(walk.cursor.expectedCount, 1 << 20)))
    while let record = try walk.next() { records.append(record) }
    return records
  }

  /// Begins to read the records of a query, one by one as they are asked for.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func walk<Root: Model>(_ query: TypedQuery<Root>) throws(StoreError) -> ModelWalk<Root> {
    let access = try modelAccess(Root.self)
    let bound = try bound(try located(query))
    return ModelWalk(
      try engineTransaction.cursor(for: bound), access.layout,
      lists: access.listReader(engineTransaction))
  }

  /// Reads the records of a query one by one, in constant memory.
  ///
  /// - Throws: What the body throws, and as ``records(_:)-(TypedQuery<Root>)``.
  @inlinable public func forEach<Root: Model>(
    _ query: TypedQuery<Root>, _ body: (Root) throws -> Void
  ) throws {
    let walk = try walk(query)
    defer { walk.close() }
    while let record = try walk.next() { try body(record) }
  }

  /// Reads the first record of a query; `nil` when there is none.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func first<Root: Model>(_ query: TypedQuery<Root>) throws(StoreError) -> Root? {
    var plain = try located(query)
    plain.limit = min(1, plain.limit ?? 1)
    let walk = try walk(try TypedQuery<Root>(plain))
    defer { walk.close() }
    return try walk.next()
  }

  /// Reads the record of a key; `nil` when there is none.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  @inlinable public func record<Root: Model>(_ type: Root.Type = Root.self, key: Root.Key)
    throws(StoreError) -> Root?
  {
    let access = try modelAccess(type)
    let key = try key.recordKey()
    guard try engineTransaction.record(key, in: access.layout, into: access.row) else {
      return nil
    }
    do {
      guard access.hasLists else { return try Root(from: RowReader(access.row, access.layout)) }
      let lists = access.listReader(engineTransaction)
      lists?.key = key
      return try Root(from: RowReader(access.row, access.layout, lists: lists))
    } catch {
      throw located(error)
    }
  }

  /// Reads the record that a reference leads to; `nil` when there is none any more.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func record<Root: Model>(_ reference: Reference<Root>?) throws(StoreError) -> Root? {
    guard let reference else { return nil }
    return try record(Root.self, key: reference.key)
  }

  /// Reads the records that a list holds, in its order; one that is in it twice comes twice.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func records<Root: Model>(_ list: ReferenceList<Root>) throws(StoreError) -> [Root] {
    var records: [Root] = []
    records.reserveCapacity(list.count)
    for element in list {
      if let record = try record(Root.self, key: element.key) { records.append(record) }
    }
    return records
  }

  /// Whether a query has a record.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func exists<Root: Model>(_ query: TypedQuery<Root>) throws(StoreError) -> Bool {
    try exists(try located(query))
  }

  /// The number of records of a query.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func count<Root: Model>(_ query: TypedQuery<Root>) throws(StoreError) -> Int {
    try count(try located(query))
  }

  /// How the backend would execute a query, one step a line.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func explain<Root: Model>(_ query: TypedQuery<Root>) throws(StoreError) -> [String] {
    try explain(try located(query))
  }

  /// The query without its type; errors have the store's path.
  func located<Root: Model>(_ query: TypedQuery<Root>) throws(StoreError) -> Query {
    do {
      return try query.query()
    } catch {
      throw located(error)
    }
  }
}
