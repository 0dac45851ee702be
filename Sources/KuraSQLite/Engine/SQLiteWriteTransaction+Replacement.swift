import CSQLite
import KuraCore

extension SQLiteWriteTransaction {
  /// Changes what a column's declaration says, which SQLite does only by making the table anew.
  func change(_ property: PropertyDescription, of model: String) throws(StoreError) {
    try checkTable(model)
    let column = try column(property.name, of: model)
    let name = SQLLiterals.quoted(property.name)
    let table = SQLLiterals.quoted(model)
    guard !column.isKey || !property.isOptional else {
      throw StoreError(
        .invalidSchema, "\"\(model)\".\"\(property.name)\" is part of the primary key",
        path: connection.path, suggestion: "change the key first")
    }
    if !property.isOptional,
      try connection.integer("SELECT 1 FROM \(table) WHERE \(name) IS NULL LIMIT 1") != nil
    {
      throw StoreError(
        .missingValue, "a record of \"\(model)\" has no value of \"\(property.name)\"",
        path: connection.path, suggestion: "give the records a value first")
    }
    if let reference = property.reference {
      try checkReference(property.name, of: model, to: reference.target)
    }
    let declaration = try TableLowering.column(property, isRowIDKey: false)
    let old = try indexes(of: model)
    try rebuild(model, keeping: columns(of: model).map(\.name)) { definition in
      definition.change(
        property.name, to: declaration,
        reference: property.reference.map { TableLowering.target($0) })
    }
    if property.reference == nil {
      for index in old where index.kind == "ref" && index.columns == [property.name] {
        try connection.execute("DROP INDEX \(SQLLiterals.quoted(index.name))")
      }
    }
    try addReferenceIndexes(of: model)
  }

  /// Throws when a value is no record's key.
  private func checkReference(_ property: String, of model: String, to target: String)
    throws(StoreError)
  {
    guard let key = try columns(of: target).first(where: { $0.keyPosition == 1 })?.name else {
      throw StoreError(.unknownModel, "there is no model \"\(target)\"", path: connection.path)
    }
    let column = SQLLiterals.quoted(property)
    let orphan = try connection.integer(
      "SELECT 1 FROM \(SQLLiterals.quoted(model)) AS r WHERE r.\(column) IS NOT NULL AND NOT EXISTS "
        + "(SELECT 1 FROM \(SQLLiterals.quoted(target)) AS t WHERE t.\(SQLLiterals.quoted(key)) "
        + "= r.\(column)) LIMIT 1")
    guard orphan == nil else {
      throw StoreError(
        .brokenReference, "a value of \"\(model)\".\"\(property)\" is no record's key",
        path: connection.path)
    }
  }

  func fill(
    _ replacement: ModelLayout, from model: ModelLayout, by transform: any RecordTransform
  ) throws(StoreError) -> Bool {
    try checkOpen()
    return try ReplacementFill.run(
      prepared(replacement), from: prepared(model), by: transform, connection)
  }

  /// Puts a filled table in the place of a model's.
  func replace(_ model: String, by replacement: String, _ indexes: [IndexDescription])
    throws(StoreError)
  {
    try checkTable(model)
    try checkTable(replacement)
    try swap(model, with: replacement) { () throws(StoreError) in
      for index in indexes {
        let kind = index.isUnique ? "unique" : "index"
        try connection.execute(
          KuraIndex(kind: kind, columns: index.properties, name: "").sql(model))
      }
      try addReferenceIndexes(of: model)
    }
  }

  /// Drops a table and gives its name to another: steps 10 to 12 of lang_altertable.html, section 7.
  ///
  /// Indexes of SQL and triggers, which go with the table, are made again.
  func swap(_ model: String, with other: String, _ makeIndexes: () throws(StoreError) -> Void)
    throws(StoreError)
  {
    let table = SQLLiterals.quoted(model)
    let dependents = try dependents(of: model)
    connection.preparedModels.forgetNextNumbers()
    try withoutForeignKeys { () throws(StoreError) in
      try connection.execute("DROP TABLE \(table)")
      // References, views and triggers name the model, not the other table: with the rules of old
      // versions the rename leaves their text alone and does not look whether they work now.
      connection.configure(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, true)
      defer { connection.configure(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, false) }
      try connection.execute("ALTER TABLE \(SQLLiterals.quoted(other)) RENAME TO \(table)")
    }
    try makeIndexes()
    for sql in dependents { try connection.execute(sql) }
  }

  /// The triggers of a table, and its indexes that are not Kura's, in the order of their making.
  private func dependents(of model: String) throws(StoreError) -> [String] {
    let statement = try connection.prepare(
      "SELECT name, sql FROM sqlite_schema WHERE tbl_name = ? COLLATE NOCASE "
        + "AND type IN ('trigger', 'index') AND sql IS NOT NULL ORDER BY type, rowid")
    try statement.bind(.text(model), at: 1)
    var declarations: [String] = []
    while try statement.step() {
      guard KuraIndex.kind(of: statement.text(0) ?? "") == nil else { continue }
      declarations.append(statement.text(1) ?? "")
    }
    return declarations
  }

  // MARK: Objects beside the models

  func setChecksReferences(_ isOn: Bool) throws(StoreError) {
    try checkOpen()
    checksReferences = isOn
    try setForeignKeys(isOn)
  }

  /// Prepares a reading of each view and a writing of each table with triggers.
  func brokenObjects() throws(StoreError) -> [String: String] {
    try checkOpen()
    let statement = try connection.prepare(
      "SELECT type, name, tbl_name FROM sqlite_schema WHERE type IN ('view', 'trigger')")
    var probes: [(name: String, sql: String)] = []
    while try statement.step() {
      let name = statement.text(1) ?? ""
      let table = SQLLiterals.quoted(statement.text(2) ?? "")
      if statement.text(0) == "view" {
        probes.append(("view \(name)", "SELECT * FROM \(SQLLiterals.quoted(name))"))
      } else {
        probes.append(("trigger \(name)", "DELETE FROM \(table)"))
        probes.append(("trigger \(name)", "INSERT INTO \(table) DEFAULT VALUES"))
        if let column = try connection.text(
          "SELECT name FROM pragma_table_info(?) LIMIT 1", .text(statement.text(2) ?? ""))
        {
          let name = SQLLiterals.quoted(column)
          probes.append(
            ("trigger \(statement.text(1) ?? "")", "UPDATE \(table) SET \(name) = \(name)"))
        }
      }
    }
    var broken: [String: String] = [:]
    for probe in probes {
      do {
        _ = try connection.prepare(probe.sql)
      } catch {
        broken[probe.name] = error.message
      }
    }
    return broken
  }
}

extension StoreError {
  /// The error of a view or trigger that a change would break, told by SQLite's words for it.
  var namingDependent: StoreError {
    guard code == .invalidSQL || code == .constraint || code == .internalError,
      message.contains("error in view") || message.contains("error in trigger")
        || message.contains("error in index")
    else { return self }
    var named = StoreError(
      .dependentObject, message, path: path,
      suggestion: "remove the object before the change and make it again after it",
      engineCode: engineCode)
    named.found = found
    return named
  }
}
