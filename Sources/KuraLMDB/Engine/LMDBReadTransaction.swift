import KuraCore

/// One snapshot of an LMDB file that liblmdb has open.
final class LMDBReadTransaction: KeyValueTransaction<EnvironmentSnapshot> {
  private let engine: LMDBEngine
  private let number: UInt64?

  init(
    _ snapshot: EnvironmentSnapshot, _ catalogue: Catalogue?, _ engine: LMDBEngine,
    limits: ExecutionLimits?
  ) {
    self.engine = engine
    number = snapshot.number
    super.init(snapshot, catalogue, path: snapshot.environment.path, limits: limits)
  }

  deinit { end() }

  override var commitNumber: UInt64? { number }

  override func cursor(for query: BoundQuery) throws(StoreError) -> any RecordCursor {
    try checkOpen()
    return try located { () throws(StoreError) -> any RecordCursor in
      let prepared = try PreparedQuery(query, self)
      let plan = QueryPlanner.plan(prepared.query, over: SourceOffer(prepared.source))
      guard let source = prepared.source as? ModelSource<EnvironmentSnapshot>,
        let path = plan.directPath(columnCount: source.layout.columns.count)
      else { return QueryCursor(plan, prepared.source) }
      return try DirectCursor(source, path, limit: query.limit)
    }
  }

  override func aggregate(_ request: AggregateRequest) throws(StoreError) -> [StoredValue] {
    try checkOpen()
    guard let column = request.wholeSumColumn,
      let sum = IntegerSum(try source(request.query.layout), column)
    else { return try super.aggregate(request) }
    return try located { () throws(StoreError) in
      let found = try sum.run()
      return try Accumulator.results(
        of: request.functions, request.query.layout, sum: found.sum, count: found.count)
    }
  }

  override func end() {
    guard !life.isEnded else { return }
    super.end()
    if let transaction = unsafe snapshot.close() {
      unsafe snapshot.environment.endReading(transaction)
    }
    engine.giveReaderBack()
  }
}
