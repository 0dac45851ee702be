extension Store {
  /// The records of a query, now and after each commit that changes them, of this or another process.
  ///
  /// ```swift
  /// for try await change in store.changes(of: Dog.where { $0.age > 3 }) {
  ///   switch change {
  ///   case .initial(let dogs): show(dogs)
  ///   case .update(let dogs, let difference): show(dogs, difference)
  ///   }
  /// }
  /// ```
  ///
  /// Nothing is held open while nobody asks for the next element. What a commit costs the observer grows
  /// with the commit, not with the result; ``ReadTransaction/explainChanges(of:)`` says when the query
  /// must run again instead.
  ///
  /// - Parameter observation: The identity by which ``write(notTelling:timeout:_:)`` knows the
  ///   observation.
  public func changes<Root: Model>(
    of query: TypedQuery<Root>, as observation: ChangeObservation? = nil
  ) -> QueryChanges<Root> {
    changes(of: query, names: nil, observation)
  }

  /// The records of a query, now and after each commit that changes some of their properties, or which
  /// records there are and in which order.
  ///
  /// Changes of other properties and of lists are not told; the rows that come with the next change have
  /// them.
  ///
  /// ```swift
  /// store.changes(of: Dog.all, properties: { ($0.name, $0.age) })
  /// ```
  public func changes<Root: Model, each Value>(
    of query: TypedQuery<Root>,
    properties: (Root.Properties) -> (repeat Property<Root, each Value>),
    as observation: ChangeObservation? = nil
  ) -> QueryChanges<Root> {
    var names: [String] = []
    for property in repeat each properties(Root.modelProperties) {
      names.append(property.path.description)
    }
    return changes(of: query, names: names, observation)
  }

  private func changes<Root: Model>(
    of query: TypedQuery<Root>, names: [String]?, _ observation: ChangeObservation?
  ) -> QueryChanges<Root> {
    QueryChanges(
      store: self,
      makePlan: { () throws(StoreError) in
        let lists = Root.modelLists.map { list in
          ListDescription.modelName(Root.modelName, list.property)
        }
        return try self.plan(try query.query(), lists: Set(lists), properties: names)
      },
      makeDecode: { transaction throws(StoreError) in
        try transaction.observedDecode(Root.self)
      }, observation: observation)
  }

  /// The records of a query, now and after each commit that changes them; models and properties by name.
  ///
  /// - Parameters:
  ///   - properties: Whose changes are told; `nil` for all.
  ///   - observation: The identity by which ``write(notTelling:timeout:_:)`` knows the observation.
  public func changes(
    of query: Query, properties: [String]? = nil, as observation: ChangeObservation? = nil
  ) -> QueryChanges<Record> {
    QueryChanges(
      store: self,
      makePlan: { () throws(StoreError) in
        try self.plan(query, lists: [], properties: properties)
      },
      makeDecode: { transaction throws(StoreError) in
        let layout = try transaction.store.layout(of: query.model)
        return { row, _ throws(StoreError) in (Record(layout, copying: row), []) }
      }, observation: observation)
  }

  /// Writes without telling some observations of it: their rows follow silently.
  ///
  /// - Throws: As ``write(timeout:_:)-(_,(WriteTransaction)->R)``.
  @discardableResult
  public func write<R>(
    notTelling observations: [ChangeObservation], timeout: Duration? = nil,
    _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    try write(timeout: timeout, skipping: ids(observations), body)
  }

  /// Writes without telling some observations of it, on the store's writer thread.
  ///
  /// - Throws: As ``write(timeout:isolation:_:)``.
  @discardableResult
  public func write<R: Sendable>(
    notTelling observations: [ChangeObservation], timeout: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (WriteTransaction) throws -> R
  ) async throws -> R {
    let skipping = ids(observations)
    let deadline = timeout.map { ContinuousClock.now + $0 }
    return try await writerThread.run {
      let rest = deadline.map { max(.zero, $0 - ContinuousClock.now) }
      return try self.write(timeout: rest, skipping: skipping, body)
    }
  }

  private func ids(_ observations: [ChangeObservation]) -> Set<CommitHub.ID> {
    observations.reduce(into: []) { $0.formUnion($1.ids(of: self)) }
  }

  func plan(_ query: Query, lists: Set<String>, properties: [String]?) throws(StoreError)
    -> ObservationPlan
  {
    do {
      let bound = try query.bound(to: try layout(of: query.model), in: catalogue)
      return try ObservationPlan(bound, lists: lists, properties: properties)
    } catch {
      throw error.at(configuration.location.path)
    }
  }
}
