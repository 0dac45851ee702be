import CSQLite
package import KuraCore

/// Writes a database as SQL text that a stock `sqlite3` turns into an equal database.
///
/// What is kept beyond the rows: encoding, page size, `auto_vacuum`, `user_version`,
/// `application_id`, the counters of AUTOINCREMENT, the statistics of ANALYZE, row numbers (also of
/// tables without an INTEGER PRIMARY KEY, because full-text tables and applications refer to them)
/// and virtual tables, whose own tables are written as they are.
package struct SQLiteDump {
  /// Which part of a database.
  package enum Content: Sendable {
    /// Declarations and rows.
    case everything
    /// Declarations only.
    case schema
    /// Rows only, for a database that has the tables already.
    case rows
  }

  /// What to write.
  package struct Options: Sendable {
    /// Which part of the database.
    package var content: Content = .everything
    /// The tables and views to write; `nil` writes all.
    ///
    /// A virtual table brings its own tables along.
    package var names: Set<String>?
    /// Conditions that rows must fulfil, by table.
    package var conditions: [String: BoundQuery] = [:]
    /// A condition in SQL that rows of every written table must fulfil.
    package var conditionSQL: String?
    /// Writes NULL instead of data.
    package var skipsData = false

    /// Makes options to write everything.
    package init() {}
  }

  /// What was written.
  package struct Summary: Sendable {
    /// The number of rows.
    package var rowCount: Int64 = 0
    /// What could not be read, one sentence each; the text then has a comment at that place.
    package var problems: [String] = []
    /// Whether everything was read.
    package var isComplete: Bool { problems.isEmpty }
  }

  let transaction: SQLiteTransaction
  let options: Options
  let bytes: ByteWriter
  let progress: ProgressHandler?
  private let models: [String: StoredModel]
  let objects: [DumpObject]
  let literals: DumpLiterals
  var summary = Summary()
  /// The written tables and views, whose indexes and triggers are written too.
  private var wantedOwners: Set<String> = []
  var connection: SQLiteConnection { transaction.connection }

  /// Writes a snapshot's content; the caller flushes the writer.
  ///
  /// Damage does not end the text: what is readable follows it.
  ///
  /// - Throws: ``StoreError`` when nothing can be read, and what the writer and `progress` throw.
  package static func write(
    _ transaction: any EngineReadTransaction, _ options: Options = Options(),
    to bytes: ByteWriter, progress: ProgressHandler? = nil
  ) throws(StoreError) -> Summary {
    guard let transaction = transaction as? SQLiteTransaction else {
      throw StoreError(
        .unsupportedQuery, "only SQLite databases can be written as SQL",
        suggestion: "use another format, such as ndjson")
    }
    try transaction.checkOpen()
    var dump = try SQLiteDump(transaction, options, bytes, progress)
    try dump.run()
    return dump.summary
  }

  private init(
    _ transaction: SQLiteTransaction, _ options: Options, _ bytes: ByteWriter,
    _ progress: ProgressHandler?
  ) throws(StoreError) {
    self.transaction = transaction
    self.options = options
    self.bytes = bytes
    self.progress = progress
    models = try SQLiteDump.models(transaction, options.names)
    objects = try DumpObject.read(transaction.connection)
    literals = try DumpLiterals(transaction.connection, bytes, skipsData: options.skipsData)
  }

  /// The models by name; those that are not written without their details.
  private static func models(_ transaction: SQLiteTransaction, _ names: Set<String>?)
    throws(StoreError) -> [String: StoredModel]
  {
    var schema: StoredSchema
    if let names {
      schema = try transaction.storedSchema(detailing: names)
      // A virtual table brings its own tables along.
      let own = schema.models.filter { $0.kind == .shadow && names.contains($0.module ?? "") }
      if !own.isEmpty {
        schema = try transaction.storedSchema(detailing: names.union(own.map(\.name)))
      }
    } else {
      schema = try transaction.storedSchema()
    }
    return Dictionary(schema.models.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private var isWhole: Bool {
    options.names == nil && options.conditionSQL == nil && options.conditions.isEmpty
  }

  private mutating func run() throws(StoreError) {
    wantedOwners = Set(
      objects.filter { ($0.kind == .table || $0.kind == .view) && wants($0) }
        .map { Schema.asciiFolded($0.name) })
    if options.content != .rows { try writeFileSettings() }
    try bytes.append("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n")
    let tables = objects.filter { $0.kind == .table && wants($0) }
    var hasSequence = false
    for table in tables {
      try writeTable(table)
      if isAutoincrement(table) { hasSequence = true }
    }
    if options.content != .rows {
      for index in objects where index.kind == .index && wantsOwner(index) {
        try index.append(to: bytes)
      }
    }
    if options.content != .schema {
      try writeStatistics()
      try writeSequence(tables, isMade: hasSequence)
    }
    if options.content != .rows { try writeLateDeclarations() }
    if options.content != .rows, isWhole { try writeVersions() }
    try bytes.append("COMMIT;\n")
  }

  /// What a new file must know before its first table is made.
  private func writeFileSettings() throws(StoreError) {
    try bytes.append("PRAGMA encoding='\(literals.encoding)';\n")
    guard isWhole else { return }
    if let size = try connection.integer("PRAGMA page_size") {
      try bytes.append("PRAGMA page_size=\(size);\n")
    }
    if let mode = try connection.integer("PRAGMA auto_vacuum"), mode != 0 {
      try bytes.append("PRAGMA auto_vacuum=\(mode);\n")
    }
  }

  private func writeVersions() throws(StoreError) {
    for name in ["user_version", "application_id"] {
      if let value = try connection.integer("PRAGMA \(name)"), value != 0 {
        try bytes.append("PRAGMA \(name)=\(value);\n")
      }
    }
  }

  // MARK: Which objects

  /// The virtual table that a shadow table belongs to.
  private func owner(of object: DumpObject) -> StoredModel? {
    guard let model = model(object.name), model.kind == .shadow, let owner = model.module else {
      return nil
    }
    return self.model(owner)
  }

  func model(_ name: String) -> StoredModel? { models[name] }

  private func wants(_ object: DumpObject) -> Bool {
    if let owner = owner(of: object) {
      // The module makes its own tables when their content is not wanted.
      if options.content == .schema, owner.problem == nil { return false }
      if let names = options.names, names.contains(owner.name) { return true }
    }
    return options.names?.contains(object.name) ?? true
  }

  private func wantsOwner(_ object: DumpObject) -> Bool {
    wantedOwners.contains(Schema.asciiFolded(object.owner))
  }

  private func isAutoincrement(_ table: DumpObject) -> Bool {
    guard let columns = model(table.name)?.primaryKey, columns.count == 1 else { return false }
    var isCounted: Int32 = 0
    let result = unsafe sqlite3_table_column_metadata(
      connection.handle, "main", table.name, columns[0], nil, nil, nil, nil, &isCounted)
    return result == SQLITE_OK && isCounted != 0
  }

  // MARK: Tables

  private mutating func writeTable(_ table: DumpObject) throws(StoreError) {
    if options.content != .rows { try table.append(to: bytes) }
    let isShadow = owner(of: table) != nil
    guard options.content != .schema || isShadow else { return }
    if options.content == .rows, isShadow {
      // Tables of an empty full-text index have rows already.
      try bytes.append("DELETE FROM \(DumpObject.identifier(table.name));\n")
    }
    try writeRows(of: table.name)
  }

  mutating func writeRows(of name: String, keepsRowIDs: Bool = true) throws(StoreError) {
    guard let model = model(name) else { return }
    if model.isDamaged, let problem = model.problem {
      try bytes.append("/**** ERROR: \(problem) *****/\n")
      summary.problems.append("the rows of \"\(name)\" cannot be read: \(problem)")
      return
    }
    // A selection of rows is data for another table, not a copy of this one: numbers stay behind.
    let isWhole = options.conditions[name] == nil && options.conditionSQL == nil
    var writer = try TableDump(self, model, keepsRowIDs: keepsRowIDs && isWhole)
    try writer.run()
    summary.rowCount += writer.rowCount
    summary.problems += writer.problems
  }

  // MARK: The engine's own tables

  private mutating func writeStatistics() throws(StoreError) {
    guard isWhole else { return }
    for table in objects where table.isStatistics {
      if table.name == "sqlite_stat1" {
        // Makes the table; there is nothing to count yet that it would count.
        if options.content == .everything { try bytes.append("ANALYZE sqlite_schema;\n") }
      } else if options.content == .everything {
        // Libraries without STAT4 do not make these, but keep them.
        try bytes.append("PRAGMA writable_schema=ON;\n")
        try table.append(to: bytes, ifNotExists: true)
        try bytes.append("PRAGMA writable_schema=OFF;\n")
      }
      try bytes.append("DELETE FROM \(table.name);\n")
      try writeRows(of: table.name, keepsRowIDs: false)
    }
  }

  private mutating func writeSequence(_ tables: [DumpObject], isMade: Bool) throws(StoreError) {
    guard objects.contains(where: { $0.name == "sqlite_sequence" }) else { return }
    guard isWhole else {
      let sequence = try connection.prepare("SELECT name, seq FROM sqlite_sequence")
      while try sequence.step() {
        let name = sequence.text(0) ?? ""
        guard tables.contains(where: { $0.name == name }) else { continue }
        let literal = SQLLiterals.literal(name)
        try bytes.append("DELETE FROM sqlite_sequence WHERE name=\(literal);\n")
        try bytes.append("INSERT INTO sqlite_sequence VALUES(\(literal),\(sequence.integer(1)));\n")
      }
      return
    }
    if !isMade, options.content == .everything {
      // Its last user was dropped; only another one makes it again.
      try bytes.append(
        "CREATE TABLE kura_sequence(a INTEGER PRIMARY KEY AUTOINCREMENT);\n"
          + "DROP TABLE kura_sequence;\n")
    }
    try bytes.append("DELETE FROM sqlite_sequence;\n")
    try writeRows(of: "sqlite_sequence", keepsRowIDs: false)
  }

  // MARK: What comes last

  private func writeLateDeclarations() throws(StoreError) {
    let virtuals = objects.filter { $0.kind == .virtual && wants($0) }
    let made = virtuals.filter { options.content == .schema && model($0.name)?.problem == nil }
    for table in made { try table.append(to: bytes) }
    let entered = virtuals.filter { table in !made.contains { $0.name == table.name } }
    if !entered.isEmpty {
      // CREATE VIRTUAL TABLE would make the module's tables a second time, or fail without the
      // module; the entry alone is what the file has.
      try bytes.append("PRAGMA writable_schema=ON;\n")
      for table in entered {
        let name = SQLLiterals.literal(table.name)
        try bytes.append(
          "INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table',"
            + "\(name),\(name),0,")
        try literals.append(text: table.sql)
        try bytes.append(");\n")
      }
      // Reads the entries in; libraries before 3.22 only switch writing off.
      try bytes.append("PRAGMA writable_schema=RESET;\n")
    }
    for view in objects where view.kind == .view && wants(view) { try view.append(to: bytes) }
    for trigger in objects where trigger.kind == .trigger && wantsOwner(trigger) {
      try trigger.append(to: bytes)
    }
  }
}
