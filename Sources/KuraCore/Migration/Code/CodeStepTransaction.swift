/// The write transaction as a code step may use it: records of the models that its operation names.
///
/// The schema, the metadata and the end of the transaction belong to the migration.
final class CodeStepTransaction: EngineWriteTransaction {
  private let inner: any EngineWriteTransaction
  private let changes: Set<String>
  private var isEnded = false

  init(_ inner: any EngineWriteTransaction, changes: Set<String>) {
    self.inner = inner
    self.changes = changes
  }

  private func checkOpen() throws(StoreError) {
    guard !isEnded else {
      throw StoreError(.transactionEnded, "a code step's transaction was used after the step")
    }
  }

  private func checkMayChange(_ model: ModelLayout) throws(StoreError) {
    try checkOpen()
    guard !changes.contains(model.name) else { return }
    throw StoreError(
      .invalidMigration, "the code step may not change \"\(model.name)\"",
      expected: changes.sorted().joined(separator: ", "),
      suggestion: "name the model in the operation's changes")
  }

  private var notAllowed: StoreError {
    StoreError(
      .invalidMigration, "a code step moves data only",
      suggestion: "change the schema by operations")
  }

  // MARK: Reading

  func storedSchema() throws(StoreError) -> StoredSchema {
    try checkOpen()
    return try inner.storedSchema()
  }

  func storedSchema(detailing names: Set<String>) throws(StoreError) -> StoredSchema {
    try checkOpen()
    return try inner.storedSchema(detailing: names)
  }

  func metadata(_ name: String) throws(StoreError) -> StoredValue? {
    try checkOpen()
    return try inner.metadata(name)
  }

  func history() throws(StoreError) -> [HistoryEntry] {
    try checkOpen()
    return try inner.history()
  }

  func cursor(for query: BoundQuery) throws(StoreError) -> any RecordCursor {
    try checkOpen()
    return try inner.cursor(for: query)
  }

  func record(_ key: RecordKey, in model: ModelLayout, into row: RowBuffer) throws(StoreError)
    -> Bool
  {
    try checkOpen()
    return try inner.record(key, in: model, into: row)
  }

  func aggregate(_ request: AggregateRequest) throws(StoreError) -> [StoredValue] {
    try checkOpen()
    return try inner.aggregate(request)
  }

  func explain(_ query: BoundQuery) throws(StoreError) -> [String] {
    try checkOpen()
    return try inner.explain(query)
  }

  /// Ends what the step may do; the migration's transaction goes on.
  func end() { isEnded = true }

  // MARK: Writing

  @discardableResult
  func write(_ row: RowBuffer, into model: ModelLayout, mode: WriteMode) throws(StoreError)
    -> Int64?
  {
    try checkMayChange(model)
    return try inner.write(row, into: model, mode: mode)
  }

  func update(_ key: RecordKey, in model: ModelLayout, columns: [Int], from row: RowBuffer)
    throws(StoreError) -> Bool
  {
    try checkMayChange(model)
    return try inner.update(key, in: model, columns: columns, from: row)
  }

  func update(matching query: BoundQuery, columns: [Int], from row: RowBuffer)
    throws(StoreError) -> Int
  {
    try checkMayChange(query.layout)
    return try inner.update(matching: query, columns: columns, from: row)
  }

  func delete(_ key: RecordKey, in model: ModelLayout) throws(StoreError) -> Bool {
    try checkMayChange(model)
    return try inner.delete(key, in: model)
  }

  func delete(matching query: BoundQuery) throws(StoreError) -> Int {
    try checkMayChange(query.layout)
    return try inner.delete(matching: query)
  }

  func beginSavepoint() throws(StoreError) {
    try checkOpen()
    try inner.beginSavepoint()
  }

  func releaseSavepoint() throws(StoreError) { try inner.releaseSavepoint() }

  func rollBackToSavepoint() throws(StoreError) { try inner.rollBackToSavepoint() }

  // MARK: What belongs to the migration

  func apply(_ change: SchemaChange) throws(StoreError) { throw notAllowed }

  func setMetadata(_ name: String, _ value: StoredValue) throws(StoreError) { throw notAllowed }

  func appendHistory(_ entry: HistoryEntry) throws(StoreError) { throw notAllowed }

  func setSchema(_ schema: Schema) throws(StoreError) { throw notAllowed }

  func commit() throws(StoreError) { throw notAllowed }

  var isWorthRepeating: Bool { inner.isWorthRepeating }
}
