import CSQLite
import KuraCore

extension SQLiteWriteTransaction {
  /// Applies one change as a whole: several statements take effect together or not at all.
  func apply(_ change: SchemaChange) throws(StoreError) {
    try checkOpen()
    // Builds of SQLite differ in the default; with it, a rename would leave references behind.
    connection.configure(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, false)
    try connection.execute("SAVEPOINT kura_change")
    hasChangedSchema = true
    notes?.uninstall()
    defer { notes?.reload() }
    do {
      try applyAll(change)
    } catch {
      if !connection.isAutocommit {
        try connection.execute("ROLLBACK TO kura_change; RELEASE kura_change")
      }
      throw error.namingDependent
    }
    try connection.execute("RELEASE kura_change")
    notes?.recorder.note(change)
  }

  private func applyAll(_ change: SchemaChange) throws(StoreError) {
    switch change {
    case .createModel(let model):
      guard try !hasTable(model.name) else { throw taken("model", model.name) }
      for sql in try TableLowering.create(model) { try connection.execute(sql) }
    case .dropModel(let name):
      try checkTable(name)
      // DROP TABLE deletes row by row where others refer to the table, which a foreign key may refuse.
      try withoutForeignKeys { () throws(StoreError) in
        try connection.execute("DROP TABLE \(SQLLiterals.quoted(name))")
      }
    case .createReplacement(let model):
      guard try !hasTable(model.name) else { throw taken("model", model.name) }
      for sql in try TableLowering.create(model).prefix(1) { try connection.execute(sql) }
    case .replaceModel(let name, let replacement, let indexes):
      try replace(name, by: replacement, indexes)
    case .setList(let name, _): try checkTable(name)
    case .changeProperty(let model, let property): try self.change(property, of: model)
    case .addProperty(let model, let property): try add(property, to: model)
    case .removeProperty(let model, let property): try remove(property, from: model)
    case .renameProperty(let model, let old, let new): try rename(old, to: new, in: model)
    case .renameModel(let old, let new): try rename(old, to: new)
    case .addIndex(let model, let index): try add(index, to: model)
    case .removeIndex(let model, let index): try remove(index, from: model)
    }
  }

  /// Runs a body without foreign keys; unlike the pragma, the option also works inside a transaction.
  func withoutForeignKeys(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try setForeignKeys(false)
    defer { if checksReferences { try? setForeignKeys(true) } }
    try body()
  }

  /// Switches foreign keys and reads the switch back: where it did not move, dropping a table would
  /// delete or change the rows that refer to it.
  func setForeignKeys(_ isOn: Bool) throws(StoreError) {
    connection.configure(SQLITE_DBCONFIG_ENABLE_FKEY, isOn)
    guard try connection.integer("PRAGMA foreign_keys") == (isOn ? 1 : 0) else {
      throw StoreError(
        .internalError, "foreign keys cannot be switched \(isOn ? "on" : "off")",
        path: connection.path)
    }
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
  func rebuild(
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
    let temporary = "kura_rebuild"
    let table = SQLLiterals.quoted(model)
    let indexes = try indexes(of: model)
    try withoutForeignKeys { () throws(StoreError) in
      try connection.execute(definition.sql(named: SQLLiterals.quoted(temporary)))
      try connection.execute(
        "INSERT INTO \(SQLLiterals.quoted(temporary)) (\(kept)) SELECT \(kept) FROM \(table)")
    }
    try swap(model, with: temporary) { () throws(StoreError) in
      for index in indexes { try connection.execute(index.sql(model)) }
    }
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
  func addReferenceIndexes(of model: String) throws(StoreError) {
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
}
