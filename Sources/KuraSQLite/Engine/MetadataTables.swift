import KuraCore

/// Kura's own tables in a file.
enum MetadataTables {
  /// `application_id` of files that Kura made: "KURA".
  static let applicationID: Int64 = 0x4B55_5241
  /// The version of the tables and of the values' forms in the file.
  static let fileFormat: Int64 = 1

  /// Makes the tables unless they exist.
  static func create(_ connection: SQLiteConnection) throws(StoreError) {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS kura_meta (
        name TEXT NOT NULL PRIMARY KEY,
        value ANY NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS kura_schema (
        version INTEGER PRIMARY KEY,
        fingerprint TEXT NOT NULL,
        json TEXT NOT NULL
      ) STRICT;
      """)
  }

  /// Makes a schema that of the file; earlier ones stay in the table as the file's past.
  static func record(_ schema: Schema, _ connection: SQLiteConnection) throws(StoreError) {
    let statement = try connection.statements.take(
      "INSERT INTO kura_schema VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "
        + "fingerprint = excluded.fingerprint, json = excluded.json")
    defer { connection.statements.put(statement) }
    try statement.bind(.integer(Int64(schema.version)), at: 1)
    try statement.bind(.text(schema.fingerprint), at: 2)
    try statement.bind(.text(schema.canonicalJSON), at: 3)
    try statement.run()
    let meta = try connection.statements.take(
      "INSERT INTO kura_meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    for (name, value) in [
      ("format", StoredValue.integer(fileFormat)),
      ("schemaVersion", .integer(Int64(schema.version))),
    ] {
      try meta.bind(.text(name), at: 1)
      try meta.bind(value, at: 2)
      try meta.run()
    }
    connection.statements.put(meta)
    try connection.execute(
      "PRAGMA user_version = \(schema.version); PRAGMA application_id = \(applicationID)")
  }

  /// Adds an entry to the history; its table is made with the first one.
  static func append(_ entry: HistoryEntry, _ connection: SQLiteConnection) throws(StoreError) {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS kura_history (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        kind TEXT NOT NULL,
        from_version INTEGER NOT NULL,
        to_version INTEGER NOT NULL,
        started TEXT NOT NULL,
        json TEXT NOT NULL
      ) STRICT;
      """)
    let statement = try connection.prepare(
      "INSERT INTO kura_history VALUES (NULL, ?, ?, ?, ?, ?, ?)")
    let values: [StoredValue] = [
      .text(entry.id), .text(entry.kind), .integer(Int64(entry.from)), .integer(Int64(entry.to)),
      .text(entry.started), .text(entry.json),
    ]
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    try statement.run()
  }

  /// The history, the oldest entry first.
  static func history(_ connection: SQLiteConnection) throws(StoreError) -> [HistoryEntry] {
    guard
      try connection.integer(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'kura_history'") != nil
    else { return [] }
    let statement = try connection.prepare(
      "SELECT id, kind, from_version, to_version, started, json FROM kura_history ORDER BY number")
    var entries: [HistoryEntry] = []
    while try statement.step() {
      entries.append(
        HistoryEntry(
          id: statement.text(0) ?? "", kind: statement.text(1) ?? "",
          from: Int(statement.integer(2)), to: Int(statement.integer(3)),
          started: statement.text(4) ?? "", json: statement.text(5) ?? ""))
    }
    return entries
  }

  /// Whether the file records a format of Kura, with both tables there.
  ///
  /// - Throws: ``StoreError/Code/newerFormat``.
  private static func hasFormat(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
    let format = try connection.integer("SELECT value FROM kura_meta WHERE name = 'format'") ?? 0
    guard format <= fileFormat else {
      throw StoreError(
        .newerFormat, "a newer version of Kura made the file", path: connection.path,
        found: "format \(format)", expected: "format \(fileFormat)",
        suggestion: "update Kura; until then SQL can read the file")
    }
    return format > 0
  }

  /// Throws for a file whose forms of values a newer Kura laid down: what this one wrote could break
  /// rules that it does not know.
  static func checkWritable(_ connection: SQLiteConnection) throws(StoreError) {
    guard
      try connection.integer(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'kura_meta'")
        != nil
    else { return }
    _ = try hasFormat(connection)
  }

  /// The schema that the file records; `nil` when Kura did not make it.
  ///
  /// - Throws: ``StoreError/Code/damaged`` when the record cannot be read,
  ///   ``StoreError/Code/newerFormat``.
  static func schema(_ connection: SQLiteConnection) throws(StoreError) -> Schema? {
    let tables = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' "
        + "AND name IN ('kura_meta', 'kura_schema')")
    guard tables == 2, try hasFormat(connection) else { return nil }
    guard
      let json = try connection.text(
        "SELECT json FROM kura_schema WHERE version = "
          + "(SELECT value FROM kura_meta WHERE name = 'schemaVersion')")
    else {
      throw StoreError(
        .damaged, "the file's record of its schema is missing", path: connection.path,
        suggestion: "restore a backup")
    }
    do {
      return try Schema(json: json)
    } catch {
      throw StoreError(
        .damaged, "the file's record of its schema cannot be read: \(error.message)",
        path: connection.path, suggestion: "restore a backup")
    }
  }
}
