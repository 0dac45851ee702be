import CSQLite
package import KuraCore

/// The statements that a migration executes, found by running it on a copy of a file's schema without
/// records.
///
/// Records that would be written one by one leave no statement here.
package final class MigrationSketch {
  /// A store in memory that has the file's tables, views and triggers.
  package let engine: any StorageEngine
  private let connection: SQLiteConnection
  private let collected = Collected()

  private final class Collected {
    var statements: [String] = []
  }

  /// Copies the schema of an open SQLite file.
  ///
  /// - Returns: `nil` for other engines.
  /// - Throws: What reading throws, and ``StoreError/Code/invalidSQL`` when an object cannot be made
  ///   here, such as a virtual table of a module that is not there.
  package init?(_ source: any StorageEngine, limits: ExecutionLimits) throws(StoreError) {
    guard let source = source as? SQLiteEngine else { return nil }
    let reader = try source.beginSQLRead()
    defer { reader.end() }
    let engine = try SQLiteEngine.open(
      .memory, EngineOptions(maximumReaders: 2, limits: limits))
    self.engine = engine
    // The writer comes back to the pool and is the one that every later transaction uses.
    connection = try engine.pool.takeWriter()
    defer { engine.pool.putWriter(connection, isUsable: true) }
    try MigrationSketch.copyObjects(reader.connection, connection)
    try MigrationSketch.copyMetadata(reader.connection, connection)
    let context = unsafe Unmanaged.passUnretained(collected).toOpaque()
    unsafe sqlite3_trace_v2(
      connection.handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, _, text in
        guard let context = unsafe context, let text = unsafe text else { return 0 }
        // For this kind of event the last argument is the text of the statement (sqlite3.h).
        let sql = unsafe String(cString: UnsafePointer(text.assumingMemoryBound(to: CChar.self)))
        unsafe Unmanaged<Collected>.fromOpaque(context).takeUnretainedValue().statements.append(sql)
        return 0
      }, context)
  }

  deinit {
    unsafe sqlite3_trace_v2(connection.handle, 0, nil, nil)
    try? engine.close()
  }

  /// The statements since the last call that change tables or what is in them.
  package func takeStatements() -> [String] {
    defer { collected.statements.removeAll() }
    return collected.statements.filter(MigrationSketch.isChange)
  }

  private static let changes = [
    "CREATE", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE", "REPLACE", "REINDEX",
  ]

  /// Whether a statement is the migration's own: neither a question nor the keeping of records about
  /// it; statements inside triggers and modules come as comments.
  private static func isChange(_ sql: String) -> Bool {
    var tokens = SQLTokens(sql[...].utf8)
    guard let word = tokens.next(), changes.contains(word) else { return false }
    for name in ["kura_meta", "kura_schema", "kura_history"] where sql.contains(name) {
      return false
    }
    return true
  }

  // MARK: The copy

  private static func copyObjects(_ source: SQLiteConnection, _ target: SQLiteConnection)
    throws(StoreError)
  {
    // Virtual tables make their own; then tables, so that what names them finds them.
    let statement = try source.prepare(
      "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' "
        + "ESCAPE '\\' ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'view' THEN 1 WHEN 'index' THEN 2 "
        + "ELSE 3 END, upper(substr(sql, 1, 14)) <> 'CREATE VIRTUAL', rowid")
    while try statement.step() {
      guard let name = statement.text(0), let sql = statement.text(1) else { continue }
      let known = try target.integer(
        "SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE", .text(name))
      if known == nil { try target.prepare(sql).run() }
    }
  }

  private static func copyMetadata(_ source: SQLiteConnection, _ target: SQLiteConnection)
    throws(StoreError)
  {
    for (table, columns) in [("kura_meta", 2), ("kura_schema", 3)] {
      let there = try target.integer(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", .text(table))
      guard there != nil else { continue }
      let rows = try source.prepare("SELECT * FROM \(table)")
      let marks = [String](repeating: "?", count: columns).joined(separator: ", ")
      while try rows.step() {
        let insert = try target.prepare("INSERT INTO \(table) VALUES (\(marks))")
        for column in 0..<columns {
          try insert.bind(rows.slot(Int32(column)), at: column + 1)
        }
        try insert.run()
      }
    }
  }
}
