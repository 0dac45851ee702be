import CSQLite
import KuraCore

/// One snapshot of an SQLite file, on a connection of its own until the end.
class SQLiteTransaction: SQLReadTransaction {
  let engine: SQLiteEngine
  let connection: SQLiteConnection
  private(set) var isEnded = false
  private var openCursors: [ObjectIdentifier: Weak] = [:]
  private let reader: ConnectionPool.Reader?
  let commitNumber: UInt64?
  /// The statement whose row ``record(_:in:into:)`` lends until the next call.
  private var lent: SQLiteStatement?

  /// The model of the last call: most calls are about the same one.
  private final var lastModel: PreparedModel?

  private struct Weak {
    weak var cursor: SQLiteCursor?
  }

  init(
    _ engine: SQLiteEngine, _ connection: SQLiteConnection, reader: ConnectionPool.Reader?,
    commitNumber: UInt64?
  ) {
    self.commitNumber = commitNumber
    self.engine = engine
    self.connection = connection
    self.reader = reader
  }

  deinit { end() }

  func checkOpen() throws(StoreError) {
    giveBackLent()
    guard !isEnded else {
      throw StoreError(
        .transactionEnded, "the transaction has ended", path: connection.path,
        suggestion: "use transaction and cursors only inside the closure")
    }
    try checkNotRolledBack()
  }

  /// After some failures SQLite rolls back of its own accord; what came next would be committed
  /// statement by statement.
  func checkNotRolledBack() throws(StoreError) {
    guard !connection.isAutocommit else {
      throw StoreError(
        .transactionFailed, "the transaction failed before and was rolled back",
        path: connection.path, suggestion: "end it and begin another one")
    }
  }

  func add(_ cursor: SQLiteCursor) { openCursors[ObjectIdentifier(cursor)] = Weak(cursor: cursor) }
  func remove(_ cursor: SQLiteCursor) { openCursors[ObjectIdentifier(cursor)] = nil }

  /// What the connection keeps ready for a model.
  @inline(__always)
  final func prepared(_ layout: ModelLayout) -> PreparedModel {
    if let lastModel, lastModel.layout === layout { return lastModel }
    let model = connection.preparedModels.model(layout)
    lastModel = model
    return model
  }

  /// Ends all walks, so that no statement holds the snapshot.
  func closeCursors() {
    giveBackLent()
    for weak in openCursors.values { weak.cursor?.close() }
    openCursors.removeAll()
  }

  private func giveBackLent() {
    guard let statement = lent else { return }
    lent = nil
    statement.reset()
  }

  func end() {
    guard markEnded() else { return }
    let isUsable = rollBack()
    if let reader { engine.pool.put(reader, isUsable: isUsable) }
  }

  /// Marks the end; `false` when it was marked before.
  func markEnded() -> Bool {
    guard !isEnded else { return false }
    isEnded = true
    closeCursors()
    connection.preparedModels.forgetValues()
    return true
  }

  /// Ends SQLite's transaction; `false` when the connection is beyond use.
  func rollBack() -> Bool {
    if !connection.isAutocommit { try? connection.execute("ROLLBACK") }
    return connection.isAutocommit
  }

  // MARK: Reading

  func storedSchema() throws(StoreError) -> StoredSchema {
    try checkOpen()
    return try SchemaReader(connection).read()
  }

  func storedSchema(detailing names: Set<String>) throws(StoreError) -> StoredSchema {
    try checkOpen()
    return try SchemaReader(connection).read(detailing: names)
  }

  func history() throws(StoreError) -> [HistoryEntry] {
    try checkOpen()
    return try MetadataTables.history(connection)
  }

  func metadata(_ name: String) throws(StoreError) -> StoredValue? {
    try checkOpen()
    guard
      try connection.integer(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'kura_meta'") != nil
    else { return nil }
    let statement = try connection.statements.take("SELECT value FROM kura_meta WHERE name = ?")
    defer { connection.statements.put(statement) }
    try statement.bind(.text(name), at: 1)
    guard try statement.step() else { return nil }
    let row = RowBuffer(columns: 1)
    row[0] = statement.slot(0)
    return row.value(at: 0)
  }

  func cursor(for query: BoundQuery) throws(StoreError) -> any RecordCursor {
    try checkOpen()
    let layout = query.rowLayout
    let text = try QueryLowering(query).select()
    let columns = query.columns ?? Array(query.layout.columns.indices)
    return try cursor(
      text,
      names: columns.map { layout.columns.indices.contains($0) ? layout.columns[$0].name : "" },
      codecs: columns.map { codec(layout, $0) }, model: layout.name)
  }

  private func codec(_ layout: ModelLayout, _ column: Int) -> ColumnCodec {
    guard layout.columns.indices.contains(column) else { return .natural }
    return ColumnCodec(layout.columns[column].type, isKuraModel: layout.isKuraModel)
  }

  final func cursor(_ text: SQLText, names: [String], codecs: [ColumnCodec], model: String)
    throws(StoreError) -> SQLiteCursor
  {
    let statement = try connection.statements.take(text.sql)
    do {
      for (index, value) in text.values.enumerated() { try statement.bind(value, at: index + 1) }
    } catch {
      connection.statements.put(statement)
      throw error
    }
    return SQLiteCursor(
      statement, names: names, codecs: codecs, model: model, in: self, isCached: true)
  }

  func record(_ key: RecordKey, in model: ModelLayout, into row: RowBuffer) throws(StoreError)
    -> Bool
  {
    try checkOpen()
    let prepared = prepared(model)
    try checkKey(key, prepared)
    let statement = try prepared.statement(.read, connection)
    try bindKey(key, to: statement, from: 1)
    guard try statement.step() else {
      statement.reset()
      return false
    }
    lent = statement
    guard row.count >= prepared.codecs.count else {
      throw StoreError(.internalError, "the row has fewer columns than \"\(model.name)\"")
    }
    let slots = unsafe row.storage
    for (index, codec) in prepared.codecs.enumerated() {
      guard
        unsafe codec.read(
          statement.handle, Int32(truncatingIfNeeded: index),
          plainKind: prepared.plainKinds[index], into: slots + index)
      else { throw undecodable(model, index) }
    }
    return true
  }

  private func undecodable(_ model: ModelLayout, _ column: Int) -> StoreError {
    StoreError(
      .undecodable,
      "a stored value of \"\(model.name)\".\"\(model.columns[column].name)\" is not of the "
        + "property's type", path: connection.path, expected: model.columns[column].type.rawValue,
      suggestion: "check the file with `store-inspect check --deep`")
  }

  /// Checks a key's count and types.
  @inline(__always)
  final func checkKey(_ key: RecordKey, _ prepared: PreparedModel) throws(StoreError) {
    // The usual case: one value of exactly the column's type.
    if let column = prepared.singleKey, key.rest.isEmpty,
      prepared.codecs[column].isForm(of: key.first)
    {
      return
    }
    try checkKey(key, prepared.layout)
  }

  private func checkKey(_ key: RecordKey, _ model: ModelLayout) throws(StoreError) {
    let expected =
      model.keyColumns.isEmpty ? (model.rowIDName == nil ? 0 : 1) : model.keyColumns.count
    guard expected > 0 else {
      throw StoreError(
        .wrongKey, "\"\(model.name)\" has no key", path: connection.path,
        suggestion: "use a query")
    }
    guard key.count == expected else {
      throw StoreError(
        .wrongKey, "the key of \"\(model.name)\" has another number of values",
        path: connection.path, found: "\(key.count)", expected: "\(expected)")
    }
    guard model.isKuraModel else { return }
    for (value, column) in zip(key.values, model.keyColumns) {
      let property = model.columns[column]
      do {
        _ = try value.coerced(to: property.type, isOptional: false)
      } catch {
        throw StoreError(
          .wrongKey, "the key property \"\(model.name)\".\"\(property.name)\" has another type",
          path: connection.path, found: value.typeName, expected: property.type.rawValue)
      }
    }
  }

  func bindKey(_ key: RecordKey, to statement: SQLiteStatement, from first: Int)
    throws(StoreError)
  {
    try statement.bind(key.first, at: first)
    for (offset, value) in key.rest.enumerated() {
      try statement.bind(value, at: first + 1 + offset)
    }
  }

  func aggregate(_ request: AggregateRequest) throws(StoreError) -> [StoredValue] {
    try checkOpen()
    return try AggregateReader(request, self).read()
  }

  /// Runs a statement of bound values to its only row.
  func firstRow<R>(_ text: SQLText, _ body: (SQLiteStatement) throws(StoreError) -> R)
    throws(StoreError) -> R?
  {
    let statement = try connection.statements.take(text.sql)
    defer { connection.statements.put(statement) }
    for (index, value) in text.values.enumerated() { try statement.bind(value, at: index + 1) }
    guard try statement.step() else { return nil }
    return try body(statement)
  }

  func explain(_ query: BoundQuery) throws(StoreError) -> [String] {
    try checkOpen()
    let text = try QueryLowering(query).select()
    let statement = try connection.prepare("EXPLAIN QUERY PLAN " + text.sql)
    for (index, value) in text.values.enumerated() { try statement.bind(value, at: index + 1) }
    var lines = [text.sql]
    while try statement.step() { lines.append(statement.text(3) ?? "") }
    return lines
  }

  // MARK: SQL

  func cursor(sql: String, parameters: [String: StoredValue]) throws(StoreError)
    -> any RecordCursor
  {
    try checkOpen()
    try RawSQL.check(sql[...].utf8, canWrite: canWrite)
    let statement = try connection.prepare(sql)
    guard statement.isReadOnly || canWrite else {
      throw StoreError(
        .readOnly, "the statement would change the file", path: connection.path,
        suggestion: "use a write transaction; on the command line, --write")
    }
    try SQLParameters.bindAll(parameters, to: statement)
    if !statement.isReadOnly { willWrite(sql) }
    let names = (0..<statement.columnCount).map { statement.columnName($0) }
    return SQLiteCursor(
      statement, names: names, codecs: names.map { _ in .natural }, model: "query", in: self,
      isCached: false)
  }

  /// Whether raw SQL may change the file.
  var canWrite: Bool { false }

  /// Called before a walk executes a statement that writes.
  func willWrite(_ sql: String) {}

  /// Called when a walk's statement failed.
  func walkFailed() {}
}
