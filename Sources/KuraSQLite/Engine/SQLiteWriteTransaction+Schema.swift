import CSQLite
import KuraCore

extension SQLiteWriteTransaction {
  /// Applies one change as a whole: several statements take effect together or not at all.
  func apply(_ change: SchemaChange) throws(StoreError) {
    try checkOpen()
    try connection.execute("SAVEPOINT kura_change")
    do {
      try applyAll(change)
    } catch {
      if !connection.isAutocommit {
        try connection.execute("ROLLBACK TO kura_change; RELEASE kura_change")
      }
      throw error
    }
    try connection.execute("RELEASE kura_change")
  }

  private func applyAll(_ change: SchemaChange) throws(StoreError) {
    switch change {
    case .createModel(let model):
      guard try !hasTable(model.name) else { throw taken("model", model.name) }
      for sql in try TableLowering.create(model) { try connection.execute(sql) }
    case .dropModel(let name):
      try checkTable(name)
      // DROP TABLE deletes row by row where others refer to the table, which RESTRICT refuses.
      try withoutForeignKeys { () throws(StoreError) in
        try connection.execute("DROP TABLE \(SQLLiterals.quoted(name))")
      }
    case .addProperty(let model, let property): try add(property, to: model)
    case .removeProperty(let model, let property): try remove(property, from: model)
    case .renameProperty(let model, let old, let new): try rename(old, to: new, in: model)
    case .renameModel(let old, let new): try rename(old, to: new)
    case .addIndex(let model, let index): try add(index, to: model)
    case .removeIndex(let model, let index): try remove(index, from: model)
    }
  }

  /// Runs a body without foreign keys; unlike the pragma, the option also works inside a transaction.
  private func withoutForeignKeys(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    connection.configure(SQLITE_DBCONFIG_ENABLE_FKEY, false)
    defer { connection.configure(SQLITE_DBCONFIG_ENABLE_FKEY, true) }
    try body()
  }

  // MARK: Properties

  private func add(_ property: PropertyDescription, to model: String) throws(StoreError) {
    try checkTable(model)
    try Schema.checkNames([property.name], of: "property")
    let table = SQLLiterals.quoted(model)
    let columns = try columns(of: model)
    guard !columns.contains(where: { isSame($0.name, property.name) }) else {
      throw taken("property", property.name)
    }
    let hasDefault = property.defaultValue.map { !$0.isNull } ?? false
    let hasRecords = try connection.integer("SELECT 1 FROM \(table) LIMIT 1") != nil
    if !property.isOptional, !hasDefault, hasRecords {
      throw StoreError(
        .missingValue, "the records of \"\(model)\" would have no value of \"\(property.name)\"",
        path: connection.path,
        suggestion: "give the property a default value, or make it optional")
    }
    guard property.reference == nil || !hasDefault else {
      throw StoreError(
        .invalidSchema, "an added reference cannot have a default value", path: connection.path,
        suggestion: "add it without, then set it")
    }
    var definition = try TableLowering.column(property, isRowIDKey: false)
    if let reference = property.reference { definition += TableLowering.target(reference) }
    if hasRecords, try TableLowering.needsNewRows(property) {
      try rebuild(model, keeping: columns.map(\.name)) { $0.add(definition) }
    } else {
      try connection.execute("ALTER TABLE \(table) ADD COLUMN \(definition)")
    }
    try addReferenceIndexes(of: model)
  }

  private func remove(_ property: String, from model: String) throws(StoreError) {
    try checkTable(model)
    let column = try column(property, of: model)
    guard !column.isKey else {
      throw StoreError(
        .invalidSchema, "\"\(model)\".\"\(property)\" is part of the primary key",
        path: connection.path, suggestion: "change the key first")
    }
    for index in try indexes(of: model) where index.columns.contains(property) {
      guard index.kind == "ref" else {
        throw StoreError(
          .invalidSchema, "an index names \"\(model)\".\"\(property)\"", path: connection.path,
          suggestion: "remove the index first")
      }
      try connection.execute("DROP INDEX \(SQLLiterals.quoted(index.name))")
    }
    if try references(of: model).contains(property) {
      // SQLite does not drop columns that are foreign keys (lang_altertable.html).
      let kept = try columns(of: model).map(\.name).filter { $0 != property }
      try rebuild(model, keeping: kept) { $0.remove(property) }
    } else {
      try connection.execute(
        "ALTER TABLE \(SQLLiterals.quoted(model)) DROP COLUMN \(SQLLiterals.quoted(property))")
    }
  }

  private func rename(_ old: String, to new: String, in model: String) throws(StoreError) {
    try checkTable(model)
    try Schema.checkNames([new], of: "property")
    _ = try column(old, of: model)
    guard
      try !columns(of: model).contains(where: { $0.name != old && isSame($0.name, new) })
    else { throw taken("property", new) }
    try connection.execute(
      "ALTER TABLE \(SQLLiterals.quoted(model)) RENAME COLUMN \(SQLLiterals.quoted(old)) "
        + "TO \(SQLLiterals.quoted(new))")
    try renameIndexes(of: model)
  }

  private func rename(_ old: String, to new: String) throws(StoreError) {
    try checkTable(old)
    try Schema.checkNames([new], of: "model")
    if !isSame(old, new), try hasTable(new) { throw taken("model", new) }
    try connection.execute(
      "ALTER TABLE \(SQLLiterals.quoted(old)) RENAME TO \(SQLLiterals.quoted(new))")
    try renameIndexes(of: new)
  }

  /// Makes the table anew of another declaration: the procedure of lang_altertable.html, section 7.
  private func rebuild(
    _ model: String, keeping columns: [String], _ change: (inout TableDefinition) -> Void
  ) throws(StoreError) {
    let statement = try connection.prepare(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
    try statement.bind(.text(model), at: 1)
    guard try statement.step(), let sql = statement.text(0),
      var definition = TableDefinition(sql)
    else {
      throw StoreError(
        .invalidSchema, "the declaration of \"\(model)\" is not Kura's own", path: connection.path)
    }
    statement.reset()
    change(&definition)
    let kept = columns.map(SQLLiterals.quoted).joined(separator: ", ")
    let indexes = try indexes(of: model)
    let temporary = SQLLiterals.quoted("kura_rebuild")
    let table = SQLLiterals.quoted(model)
    try withoutForeignKeys { () throws(StoreError) in
      try connection.execute(definition.sql(named: temporary))
      try connection.execute("INSERT INTO \(temporary) (\(kept)) SELECT \(kept) FROM \(table)")
      try connection.execute("DROP TABLE \(table)")
      try connection.execute("ALTER TABLE \(temporary) RENAME TO \(table)")
    }
    for index in indexes { try connection.execute(index.sql(model)) }
  }

  // MARK: Indexes

  private func add(_ index: IndexDescription, to model: String) throws(StoreError) {
    try checkTable(model)
    for property in index.properties { _ = try column(property, of: model) }
    guard !index.properties.isEmpty, Set(index.properties).count == index.properties.count else {
      throw StoreError(
        .invalidSchema, "an index names each of its properties once", path: connection.path)
    }
    let new = KuraIndex(
      kind: index.isUnique ? "unique" : "index", columns: index.properties, name: "")
    let existing = try indexes(of: model)
    guard !existing.contains(where: { $0.kind == new.kind && $0.columns == new.columns }) else {
      throw StoreError(
        .invalidSchema, "\"\(model)\" has this index already", path: connection.path)
    }
    try connection.execute(new.sql(model))
    // The new index serves the references that had one for themselves.
    for old in existing where old.kind == "ref" && old.columns.first == index.properties.first {
      try connection.execute("DROP INDEX \(SQLLiterals.quoted(old.name))")
    }
  }

  private func remove(_ index: IndexDescription, from model: String) throws(StoreError) {
    try checkTable(model)
    let kind = index.isUnique ? "unique" : "index"
    guard
      let old = try indexes(of: model).first(where: {
        $0.kind == kind && $0.columns == index.properties
      })
    else {
      throw StoreError(.invalidSchema, "\"\(model)\" has no such index", path: connection.path)
    }
    try connection.execute("DROP INDEX \(SQLLiterals.quoted(old.name))")
    try addReferenceIndexes(of: model)
  }

  /// Gives each reference an index, as a new model's have.
  private func addReferenceIndexes(of model: String) throws(StoreError) {
    let key = try columns(of: model).first { $0.keyPosition == 1 }?.name
    let indexes = try indexes(of: model)
    for property in try references(of: model)
    where property != key && !indexes.contains(where: { $0.columns.first == property }) {
      try connection.execute(KuraIndex(kind: "ref", columns: [property], name: "").sql(model))
    }
  }

  /// Gives indexes the names that follow from their model and properties, so that a name that became
  /// free can be used again.
  private func renameIndexes(of model: String) throws(StoreError) {
    for index in try indexes(of: model) where index.name != index.properName(model) {
      try connection.execute("DROP INDEX \(SQLLiterals.quoted(index.name))")
      try connection.execute(index.sql(model))
    }
  }

  // MARK: What is there

  private struct Column {
    let name: String
    let keyPosition: Int64
    var isKey: Bool { keyPosition > 0 }
  }

  func hasTable(_ name: String) throws(StoreError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') "
        + "AND name = ? COLLATE NOCASE", .text(name)) != nil
  }

  private func checkTable(_ name: String) throws(StoreError) {
    guard try hasTable(name) else {
      throw StoreError(.unknownModel, "there is no model \"\(name)\"", path: connection.path)
    }
  }

  private func columns(of model: String) throws(StoreError) -> [Column] {
    let statement = try connection.prepare("SELECT name, pk FROM pragma_table_info(?)")
    try statement.bind(.text(model), at: 1)
    var columns: [Column] = []
    while try statement.step() {
      columns.append(Column(name: statement.text(0) ?? "", keyPosition: statement.integer(1)))
    }
    return columns
  }

  private func column(_ name: String, of model: String) throws(StoreError) -> Column {
    let columns = try columns(of: model)
    if let column = columns.first(where: { $0.name == name }) { return column }
    let hint = closestMatch(name, in: columns.map(\.name))
    throw StoreError(
      .unknownProperty, "\"\(model)\" has no property \"\(name.prefix(80))\"",
      path: connection.path, suggestion: hint.map { "did you mean \"\($0)\"?" })
  }

  /// The columns that are foreign keys by themselves.
  private func references(of model: String) throws(StoreError) -> [String] {
    let statement = try connection.prepare(
      "SELECT \"from\" FROM pragma_foreign_key_list(?) ORDER BY id DESC")
    try statement.bind(.text(model), at: 1)
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0) ?? "") }
    return names
  }

  private func indexes(of model: String) throws(StoreError) -> [KuraIndex] {
    let list = try connection.prepare(
      "SELECT name FROM pragma_index_list(?) WHERE origin = 'c' ORDER BY seq DESC")
    try list.bind(.text(model), at: 1)
    var names: [String] = []
    while try list.step() { names.append(list.text(0) ?? "") }
    let terms = try connection.prepare("SELECT name FROM pragma_index_info(?) ORDER BY seqno")
    var indexes: [KuraIndex] = []
    for name in names {
      guard let kind = KuraIndex.kind(of: name) else { continue }
      try terms.bind(.text(name), at: 1)
      var columns: [String] = []
      while try terms.step() { columns.append(terms.text(0) ?? "") }
      terms.reset()
      indexes.append(KuraIndex(kind: kind, columns: columns, name: name))
    }
    return indexes
  }

  private func isSame(_ name: String, _ other: String) -> Bool {
    Schema.asciiFolded(name) == Schema.asciiFolded(other)
  }

  private func taken(_ kind: String, _ name: String) -> StoreError {
    StoreError(
      .invalidSchema, "there is already a \(kind) \"\(name)\" (letter case does not count)",
      path: connection.path, suggestion: "remove it first, or use another name")
  }
}

/// An index that Kura made; its name follows from its kind, model and columns.
private struct KuraIndex {
  let kind: String
  let columns: [String]
  let name: String

  /// `unique`, `index` or `ref`; `nil` for names of others.
  static func kind(of name: String) -> String? {
    ["unique", "index", "ref"].first { name.hasPrefix("kura_\($0)_") }
  }

  func properName(_ model: String) -> String {
    "kura_\(kind)_\(model)_" + columns.joined(separator: "_")
  }

  func sql(_ model: String) -> String {
    "CREATE \(kind == "unique" ? "UNIQUE " : "")INDEX \(SQLLiterals.quoted(properName(model))) ON "
      + "\(SQLLiterals.quoted(model)) "
      + "(\(columns.map { SQLLiterals.quoted($0) }.joined(separator: ", ")))"
  }
}
