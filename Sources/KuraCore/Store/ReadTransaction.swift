/// One snapshot of a store, inside the closure of ``Store/read(_:)-(_)``.
///
/// After the closure's end every call throws ``StoreError/Code/transactionEnded``.
public class ReadTransaction {
  @usableFromInline final let engineTransaction: any EngineReadTransaction
  final let store: Store
  /// The model that was read by key last and its buffer; most such reads are of the same one.
  @exclusivity(unchecked) private final var keyLayout: ModelLayout?
  @exclusivity(unchecked) private final var keyRow = RowBuffer(columns: 0)
  /// The type that was read or written last: most calls are of the same one.
  @exclusivity(unchecked) @usableFromInline final var lastAccess: ModelAccess?
  private final var accesses: [ObjectIdentifier: ModelAccess] = [:]

  init(_ engineTransaction: any EngineReadTransaction, _ store: Store) {
    self.engineTransaction = engineTransaction
    self.store = store
  }

  /// The store's schema.
  public var schema: Schema { store.schema }

  /// What reading and writing a type needs.
  @inlinable @inline(__always)
  final func modelAccess<Root: Model>(_ type: Root.Type) throws(StoreError) -> ModelAccess {
    if let lastAccess, lastAccess.type == ObjectIdentifier(type) { return lastAccess }
    return try findAccess(type)
  }

  @usableFromInline final func findAccess<Root: Model>(_ type: Root.Type) throws(StoreError)
    -> ModelAccess
  {
    let identity = ObjectIdentifier(type)
    let known = accesses[identity]
    let access = if let known { known } else { try ModelAccess(type, store) }
    accesses[identity] = access
    lastAccess = access
    return access
  }

  /// An error with the store's path.
  @usableFromInline final func located(_ error: StoreError) -> StoreError {
    error.at(store.configuration.location.path)
  }

  /// A checked query.
  final func bound(_ query: Query) throws(StoreError) -> BoundQuery {
    do {
      return try query.bound(to: try store.layout(of: query.model), in: store.catalogue)
    } catch {
      throw located(error)
    }
  }

  /// Reads the record of a key; `nil` when there is none.
  ///
  /// - Throws: ``StoreError/Code/unknownModel``, ``StoreError/Code/wrongKey``,
  ///   ``StoreError/Code/transactionEnded`` and what reading throws.
  public func record(_ model: String, key: RecordKey) throws(StoreError) -> Record? {
    guard let layout = keyLayout, layout.name == model else {
      let layout = try store.layout(of: model)
      keyLayout = layout
      keyRow = RowBuffer(columns: layout.columns.count)
      return try record(layout, key)
    }
    return try record(layout, key)
  }

  @inline(__always)
  private func record(_ layout: ModelLayout, _ key: RecordKey) throws(StoreError) -> Record? {
    let row = keyRow
    guard try engineTransaction.record(key, in: layout, into: row) else { return nil }
    return Record(layout, copying: row)
  }

  /// Reads all records of a query.
  ///
  /// - Throws: ``StoreError/Code/unknownModel``, ``StoreError/Code/unknownProperty``,
  ///   ``StoreError/Code/invalidQuery``, ``StoreError/Code/transactionEnded`` and what reading
  ///   throws.
  public func records(_ query: Query) throws(StoreError) -> [Record] {
    let bound = try bound(query)
    let layout = bound.layout
    let cursor = try engineTransaction.cursor(for: bound)
    defer { cursor.close() }
    let row = RowBuffer(columns: layout.columns.count)
    var batches = RecordBatches(layout, columns: row.count)
    var records: [Record] = []
    while try cursor.next(into: row) { records.append(batches.record(row)) }
    return records
  }

  /// Reads the records of a query one by one, in constant memory.
  ///
  /// - Throws: What the body throws, and as ``records(_:)``.
  public func forEach(_ query: Query, _ body: (Record) throws -> Void) throws {
    let walk = try walk(query)
    defer { walk.close() }
    while let record = try walk.next() { try body(record) }
  }

  /// Begins to read the records of a query, one by one as they are asked for.
  ///
  /// - Throws: As ``records(_:)``.
  public func walk(_ query: Query) throws(StoreError) -> RecordWalk {
    let bound = try bound(query)
    return RecordWalk(try engineTransaction.cursor(for: bound), bound.layout)
  }

  /// Reads the first record of a query; `nil` when there is none.
  ///
  /// - Throws: As ``records(_:)``.
  public func first(_ query: Query) throws(StoreError) -> Record? {
    var query = query
    query.limit = min(1, query.limit ?? 1)
    let walk = try walk(query)
    defer { walk.close() }
    return try walk.next()
  }

  /// Whether a query has a record.
  ///
  /// - Throws: As ``records(_:)``.
  public func exists(_ query: Query) throws(StoreError) -> Bool {
    var bound = try bound(query)
    bound.limit = min(1, bound.limit ?? 1)
    bound.columns = []
    // Which record it is does not matter.
    if bound.offset == 0 { bound.order = [] }
    let cursor = try engineTransaction.cursor(for: bound)
    defer { cursor.close() }
    return try cursor.next(into: RowBuffer(columns: 0))
  }

  /// How the backend would execute a query, one step a line.
  ///
  /// - Throws: As ``records(_:)``.
  public func explain(_ query: Query) throws(StoreError) -> [String] {
    try boundRows(query).explain(engineTransaction)
  }
}
