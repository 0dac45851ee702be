import CSQLite
import KuraCore

/// The one write transaction of an SQLite file.
final class SQLiteWriteTransaction: SQLiteTransaction, SQLWriteTransaction {
  var savepointDepth = 0
  var savepointMarks: [ChangeRecorder.Mark] = []
  private let thread = currentThread()
  /// Whether foreign keys are on; off while a migration proves them itself.
  var checksReferences = true
  /// What notes the changes, if anybody wants to know them.
  var notes: ChangeNotes?
  /// The number of the commit, when it used one up.
  var committedNumber: UInt64?
  /// Whether the schema was changed, which is not counted among the changed rows.
  var hasChangedSchema = false
  let changesAtBegin: Int64

  override init(
    _ engine: SQLiteEngine, _ connection: SQLiteConnection, reader: ConnectionPool.Reader?,
    commitNumber: UInt64?
  ) {
    changesAtBegin = connection.totalChanges
    super.init(engine, connection, reader: reader, commitNumber: commitNumber)
  }

  deinit { end() }

  override var canWrite: Bool { true }

  override func markEnded() -> Bool {
    notes?.uninstall()
    return super.markEnded()
  }

  /// Ends without a commit, whoever ends: roll back and let the next writer in.
  override func end() {
    guard markEnded() else { return }
    var isUsable = rollBack()
    if !checksReferences {
      do { try setForeignKeys(true) } catch { isUsable = false }
    }
    engine.finishWrite(connection, isUsable: isUsable)
  }

  override func willWrite(_ sql: String) { noteWriting(sql) }

  /// What a statement noted that failed between others cannot be told apart.
  override func walkFailed() { notes?.noteEverything() }

  // MARK: Metadata

  func setMetadata(_ name: String, _ value: StoredValue) throws(StoreError) {
    try checkOpen()
    try MetadataTables.create(connection)
    let sql =
      value.isNull
      ? "DELETE FROM kura_meta WHERE name = ?"
      : "INSERT INTO kura_meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
    let statement = try connection.statements.take(sql)
    defer { connection.statements.put(statement) }
    try statement.bind(.text(name), at: 1)
    if !value.isNull { try statement.bind(value, at: 2) }
    try statement.run()
  }

  func setSchema(_ schema: Schema) throws(StoreError) {
    try checkOpen()
    try MetadataTables.create(connection)
    try MetadataTables.record(schema, connection)
    connection.keptShapes = nil
    notes?.reload()
  }

  func appendHistory(_ entry: HistoryEntry) throws(StoreError) {
    try checkOpen()
    try MetadataTables.append(entry, connection)
  }

  // MARK: Records

  @discardableResult
  func write(_ row: RowBuffer, into model: ModelLayout, mode: WriteMode) throws(StoreError)
    -> Int64?
  {
    try checkOpen()
    let prepared = prepared(model)
    guard row.count >= model.columns.count else { throw shortRow(model) }
    if let key = prepared.singleKey { try checkNumber(row[key], prepared) }
    let statement = try prepared.statement(mode == .insert ? .insert : .upsert, connection)
    var parameter: Int32 = 1
    for column in prepared.written {
      let slot = row[column.index]
      guard column.codec.accepts(slot) else { throw refused(slot, model, column.index) }
      // The statement runs before the row's bytes can change.
      try statement.bindBorrowing(slot, at: parameter)
      parameter += 1
    }
    notes?.beginStatement()
    do {
      try statement.run()
    } catch {
      notes?.takeBack()
      // SQLite looks at the newest index first, so the key of a table without row numbers comes last.
      if error.code == .notUnique, mode == .insert, try hasRecord(row, model) {
        throw duplicate(model)
      }
      throw describe(error, model)
    }
    notes?.noteUnseen(model.name)
    guard let key = prepared.singleKey, row[key].kind == .null else { return nil }
    let number = connection.lastInsertedRowID
    if number == .max { prepared.hasNextNumber = false }
    return number
  }

  func update(_ key: RecordKey, in model: ModelLayout, columns: [Int], from row: RowBuffer)
    throws(StoreError) -> Bool
  {
    try checkOpen()
    try checkKey(key, prepared(model))
    guard !columns.isEmpty else {
      return try record(key, in: model, into: RowBuffer(columns: model.columns.count))
    }
    try checkRow(row, model, columns)
    let sql =
      "UPDATE \(SQLLiterals.quoted(model.name)) SET \(assignments(columns, model)) WHERE "
      + TableLowering.keyCondition(model)
    do {
      return try change(sql, model) { statement throws(StoreError) in
        for (offset, column) in columns.enumerated() {
          try statement.bind(row[column], at: offset + 1)
        }
        try bindKey(key, to: statement, from: columns.count + 1)
      } > 0
    } catch {
      guard error.code == .notUnique, columns.contains(where: model.keyColumns.contains) else {
        throw error
      }
      // The record's key is to change: does another record have the new one?
      let (old, changed) = (RowBuffer(columns: model.columns.count), Set(columns))
      for (column, value) in zip(model.keyColumns, key.values) { old.setValue(value, at: column) }
      let new = RowBuffer(columns: model.columns.count)
      for column in model.keyColumns {
        new[column] = (changed.contains(column) ? row : old)[column]
      }
      let isMoved = model.keyColumns.contains { !new[$0].compares(.equal, to: old[$0]) }
      guard isMoved, try hasRecord(new, model) else { throw error }
      throw duplicate(model)
    }
  }

  func update(matching query: BoundQuery, columns: [Int], from row: RowBuffer)
    throws(StoreError) -> Int
  {
    try checkOpen()
    let model = query.layout
    guard !columns.isEmpty else {
      let count = try aggregate(AggregateRequest(query, [.count]))
      if case .integer(let number)? = count.first { return Int(clamping: number) }
      return 0
    }
    try checkRow(row, model, columns)
    var text = SQLText()
    text.append("UPDATE \(SQLLiterals.quoted(model.name)) SET \(assignments(columns, model))")
    try QueryLowering(query).selection(into: &text)
    return try change(text.sql, model) { statement throws(StoreError) in
      for (offset, column) in columns.enumerated() {
        try statement.bind(row[column], at: offset + 1)
      }
      for (offset, value) in text.values.enumerated() {
        try statement.bind(value, at: columns.count + 1 + offset)
      }
    }
  }

  func delete(_ key: RecordKey, in model: ModelLayout) throws(StoreError) -> Bool {
    try checkOpen()
    let prepared = prepared(model)
    try checkKey(key, prepared)
    let statement = try prepared.statement(.delete, connection)
    try bindKey(key, to: statement, from: 1)
    notes?.beginStatement()
    do {
      try statement.run()
    } catch {
      notes?.takeBack()
      throw describe(error, model)
    }
    notes?.noteUnseen(model.name)
    return connection.changes > 0
  }

  func delete(matching query: BoundQuery) throws(StoreError) -> Int {
    try checkOpen()
    var text = SQLText()
    text.append("DELETE FROM \(SQLLiterals.quoted(query.layout.name))")
    let whole = text.sql
    try QueryLowering(query).selection(into: &text)
    // Without a condition SQLite would empty the table without looking at its rows, when the statement
    // was made while nobody wanted to know the changes.
    if notes != nil, text.sql == whole { text.append(" WHERE 1") }
    return try change(text.sql, query.layout) { statement throws(StoreError) in
      for (offset, value) in text.values.enumerated() { try statement.bind(value, at: offset + 1) }
    }
  }

  private func assignments(_ columns: [Int], _ model: ModelLayout) -> String {
    columns.map { model.quotedColumn($0) + " = ?" }.joined(separator: ", ")
  }

  /// Runs a statement and counts the rows that it changed itself.
  private func change(
    _ sql: String, _ model: ModelLayout,
    _ bind: (SQLiteStatement) throws(StoreError) -> Void
  ) throws(StoreError) -> Int {
    connection.preparedModels.forgetNextNumbers()
    let statement = try connection.statements.take(sql)
    defer { connection.statements.put(statement) }
    try bind(statement)
    notes?.beginStatement()
    do {
      try statement.run()
    } catch {
      notes?.takeBack()
      throw describe(error, model)
    }
    notes?.noteUnseen(model.name)
    return Int(clamping: connection.changes)
  }

  /// Checks the types of slots, because SQLite would convert some silently.
  private func checkRow(_ row: RowBuffer, _ model: ModelLayout, _ columns: [Int])
    throws(StoreError)
  {
    guard row.count >= model.columns.count else { throw shortRow(model) }
    let codecs = prepared(model).codecs
    for index in columns {
      guard codecs.indices.contains(index) else {
        throw StoreError(.unknownProperty, "\"\(model.name)\" has no such property")
      }
      guard codecs[index].accepts(row[index]) else { throw refused(row[index], model, index) }
    }
    // SQLite would only look at it for a record that there is.
    for index in columns
    where model.isKuraModel && row[index].kind == .null && !model.columns[index].isOptional {
      throw StoreError(
        .missingValue, "a required property has no value", path: connection.path,
        found: "\(model.name).\(model.columns[index].name)")
    }
  }

  private func shortRow(_ model: ModelLayout) -> StoreError {
    StoreError(
      .internalError, "the row has fewer columns than \"\(model.name)\"", path: connection.path)
  }

  private func refused(_ slot: ColumnSlot, _ model: ModelLayout, _ column: Int) -> StoreError {
    let property = model.columns[column]
    let isNotANumber = slot.kind == .double && slot.double.isNaN
    return StoreError(
      isNotANumber || slot.kind == .malformedText ? .notStorable : .wrongType,
      "a value for \"\(model.name)\".\"\(property.name)\" cannot be stored",
      path: connection.path,
      found: isNotANumber ? "not-a-number" : "\(slot.kind)",
      expected: property.type.rawValue)
  }

  /// Throws when a record without a key can have no number after the greatest one.
  @inline(__always)
  private func checkNumber(_ key: ColumnSlot, _ prepared: PreparedModel) throws(StoreError) {
    if key.kind == .null {
      if !prepared.hasNextNumber { try findNextNumber(prepared) }
    } else if key.kind == .integer, key.integer == .max {
      prepared.hasNextNumber = false
    }
  }

  @inline(never)
  private func findNextNumber(_ prepared: PreparedModel) throws(StoreError) {
    let layout = prepared.layout
    guard layout.isKuraModel, let key = prepared.singleKey, layout.columns[key].type == .integer
    else { return }
    let greatest = RowBuffer(columns: layout.columns.count)
    greatest[key] = ColumnSlot(.integer, UInt64(bitPattern: .max))
    guard try !hasRecord(greatest, layout) else {
      throw StoreError(
        .limitReached, "\"\(layout.name)\" has a record with the greatest number",
        path: connection.path, suggestion: "give the record a key")
    }
    prepared.hasNextNumber = true
  }

  /// Whether there is a record of the key that a row has.
  private func hasRecord(_ row: RowBuffer, _ model: ModelLayout) throws(StoreError) -> Bool {
    guard !model.keyColumns.isEmpty else { return false }
    let statement = try connection.statements.take(
      "SELECT 1 FROM \(SQLLiterals.quoted(model.name)) WHERE " + TableLowering.keyCondition(model))
    defer { connection.statements.put(statement) }
    for (offset, column) in model.keyColumns.enumerated() {
      try statement.bind(row[column], at: offset + 1)
    }
    return try statement.step()
  }

  private func duplicate(_ model: ModelLayout) -> StoreError {
    let names = model.keyColumns.map { "\(model.name).\(model.columns[$0].name)" }
    return StoreError(
      .duplicateKey, "there is already a record with this key", path: connection.path,
      found: names.joined(separator: ", "))
  }

  private func describe(_ error: StoreError, _ model: ModelLayout) -> StoreError {
    // The conflict of a single-column key of a table without row numbers is reported by SQLite as
    // UNIQUE in an upsert's other index; the subject tells them apart already.
    var error = error
    if error.found?.isEmpty != false, error.kindIsConstraint { error.found = model.name }
    return error
  }

  // MARK: SQL

  @discardableResult
  func execute(sql: String, parameters: [String: StoredValue]) throws(StoreError) -> Int {
    try checkOpen()
    connection.preparedModels.forgetNextNumbers()
    // Several statements take effect together or not at all, as every call does.
    try connection.execute("SAVEPOINT kura_sql")
    let mark = notes?.recorder.mark()
    let count: Int64
    do {
      count = try executeAll(sql, parameters)
    } catch {
      if !connection.isAutocommit {
        try connection.execute("ROLLBACK TO kura_sql; RELEASE kura_sql")
        if let mark { notes?.recorder.rollBack(to: mark) }
      }
      throw error
    }
    try connection.execute("RELEASE kura_sql")
    return Int(clamping: count)
  }

  private func executeAll(_ sql: String, _ parameters: [String: StoredValue]) throws(StoreError)
    -> Int64
  {
    var count: Int64 = 0
    var unused = Set(parameters.keys)
    var rest = sql[...].utf8
    repeat {
      try RawSQL.check(rest, canWrite: true)
      let statement = try SQLiteStatement(connection, firstOf: String(Substring(rest)))
      unused.subtract(try SQLParameters.bind(parameters, to: statement))
      let before = connection.totalChanges
      if !statement.isReadOnly { willWrite(String(Substring(rest))) }
      while try statement.step() {}
      statement.reset()
      // The count of the last change stays when a statement changes nothing, and only it leaves out
      // what foreign keys and triggers did.
      if connection.totalChanges != before { count += connection.changes }
      var following = SQLTokens(statement.tail)
      rest = following.withoutEmptyStatements()
    } while !rest.isEmpty
    try SQLParameters.refuse(unused)
    return count
  }
}

extension StoreError {
  fileprivate var kindIsConstraint: Bool {
    code == .brokenReference || code == .notUnique || code == .duplicateKey
      || code == .missingValue || code == .constraint
  }
}
