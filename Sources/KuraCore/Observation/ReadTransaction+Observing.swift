extension ReadTransaction {
  /// How an observation of a query would follow changes, one line for people.
  ///
  /// - Throws: As ``records(_:)``.
  public func explainChanges(of query: Query) throws(StoreError) -> String {
    try store.plan(query, lists: [], properties: nil).explanation
  }

  /// How an observation of a query would follow changes, one line for people.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func explainChanges<Root: Model>(of query: TypedQuery<Root>) throws(StoreError) -> String {
    try explainChanges(of: try located(query))
  }

  /// What makes records of a type for an observer.
  func observedDecode<Root: Model>(_ type: Root.Type) throws(StoreError)
    -> RowMaker<Root>.Decode
  {
    let access = try modelAccess(type)
    let lists = access.listReader(engineTransaction)
    let scratch = RowBuffer(columns: access.layout.columns.count)
    return { row, key throws(StoreError) in
      guard let lists else { return (try Root(from: RowReader(row, access.layout)), []) }
      lists.key = key
      let record = try Root(from: RowReader(row, access.layout, lists: lists))
      // What the lists hold, as a store keeps it: types of their own tell nothing of their identity.
      let collector = ListCollector(count: access.lists.count)
      scratch.reset()
      try record.write(to: RowWriter(scratch, access.layout, lists: collector))
      return (record, collector.lists)
    }
  }
}
