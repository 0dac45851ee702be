import KuraCore

/// One snapshot of an LMDB file that liblmdb has open.
final class LMDBReadTransaction: KeyValueTransaction<EnvironmentSnapshot> {
  private let engine: LMDBEngine

  init(
    _ snapshot: EnvironmentSnapshot, _ catalogue: Catalogue?, _ engine: LMDBEngine,
    limits: ExecutionLimits?
  ) {
    self.engine = engine
    super.init(snapshot, catalogue, path: snapshot.environment.path, limits: limits)
  }

  deinit { end() }

  override func cursor(for query: BoundQuery) throws(StoreError) -> any RecordCursor {
    try checkOpen()
    let source = try source(query.layout)
    return try located { () throws(StoreError) -> any RecordCursor in
      let query = try query.resolved(cursor(for:))
      let plan = QueryPlanner.plan(query, over: SourceOffer(source))
      guard let path = plan.directPath(columnCount: source.layout.columns.count) else {
        return QueryCursor(plan, source)
      }
      return try DirectCursor(source, path, limit: query.limit)
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
