extension RecordSource {
  /// A walk over the records of a query, in its order.
  package func cursor(for query: BoundQuery) throws(StoreError) -> QueryCursor {
    try checkOpen()
    return QueryCursor(QueryPlanner.plan(query, over: SourceOffer(self)), self)
  }

  /// The result of an aggregate; see ``AggregateRequest`` for empty sets.
  ///
  /// - Throws: ``StoreError/Code/invalidQuery`` for a sum of what is no number,
  ///   ``StoreError/Code/notStorable`` for a sum of integers beyond 64 bits.
  package func aggregate(_ request: AggregateRequest) throws(StoreError) -> [StoredValue] {
    try checkOpen()
    return try AggregateExecution(request, self).run()
  }

  /// How a query would be executed, one step a line.
  package func explain(_ query: BoundQuery) throws(StoreError) -> [String] {
    try checkOpen()
    return QueryPlanner.plan(query, over: SourceOffer(self)).explanation
  }

  /// The keys of the records that a query selects, for changing them.
  package func keys(matching query: BoundQuery) throws(StoreError) -> RecordKeyWalk {
    try checkOpen()
    return try RecordKeyWalk(query, self, memoryLimit: ExternalSorter.usualMemoryLimit)
  }
}
