extension Store {
  /// Reads all records of a query, on a thread of the store.
  ///
  /// - Throws: As ``ReadTransaction/records(_:)-(TypedQuery<Root>)``.
  public func records<Root: Model>(
    _ query: TypedQuery<Root>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Root] {
    try await read { try $0.records(query) }
  }

  /// Reads the first record of a query, on a thread of the store; `nil` when there is none.
  ///
  /// - Throws: As ``ReadTransaction/records(_:)-(TypedQuery<Root>)``.
  public func first<Root: Model>(
    _ query: TypedQuery<Root>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Root? {
    try await read { try $0.first(query) }
  }

  /// Reads the record of a key, on a thread of the store; `nil` when there is none.
  ///
  /// - Throws: As ``ReadTransaction/records(_:)-(TypedQuery<Root>)``.
  public func record<Root: Model>(
    _ type: Root.Type = Root.self, key: Root.Key, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Root? {
    try await read { try $0.record(type, key: key) }
  }

  /// The number of records of a query, on a thread of the store.
  ///
  /// - Throws: As ``ReadTransaction/records(_:)-(TypedQuery<Root>)``.
  public func count<Root: Model>(
    _ query: TypedQuery<Root>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Int {
    try await read { try $0.count(query) }
  }

  /// Writes a new record in a transaction of its own, on the store's writer thread.
  ///
  /// When the call returns, the record is as durable as the configuration says.
  ///
  /// - Throws: As ``WriteTransaction/insert(_:)-(Root)`` and ``Store/write(timeout:_:)``.
  public func insert<Root: Model>(
    _ record: Root, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await write { try $0.insert(record) }
  }

  /// Writes a record in the place of the one of the same key, or as a new one, in a transaction of
  /// its own.
  ///
  /// - Throws: As ``WriteTransaction/upsert(_:_:)-(Root,_)`` and ``Store/write(timeout:_:)``.
  public func upsert<Root: Model>(
    _ record: Root, _ policy: WriteTransaction.ReplacePolicy = .all,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await write { try $0.upsert(record, policy) }
  }

  /// Changes the record of a key in a transaction of its own.
  ///
  /// - Returns: The record as it is now; `nil` when there is none of the key.
  /// - Throws: As ``WriteTransaction/update(_:key:_:)-(Root.Type,_,_)`` and
  ///   ``Store/write(timeout:_:)``.
  @discardableResult
  public func update<Root: Model>(
    _ type: Root.Type = Root.self, key: Root.Key, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (inout Root) throws -> Void
  ) async throws -> Root? {
    try await write { try $0.update(type, key: key, body) }
  }

  /// Deletes the record of a key in a transaction of its own.
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: As ``WriteTransaction/delete(_:key:)-(Root.Type,_)`` and
  ///   ``Store/write(timeout:_:)``.
  @discardableResult
  public func delete<Root: Model>(
    _ type: Root.Type = Root.self, key: Root.Key, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Bool {
    try await write { try $0.delete(type, key: key) }
  }
}
