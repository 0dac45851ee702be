import CSQLite
import KuraCore

/// Reads what a file declares: tables, views, indexes, triggers, made by anybody.
///
/// Nothing in a file stops it: what cannot be used is listed with its problem.
struct SchemaReader {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// One row of `sqlite_schema`.
  struct Row {
    var kind: String
    var name: String
    var owner: String
    var sql: String?
    /// Whether the name is UTF-8, as the text of every sound schema is.
    var hasTextName: Bool
  }

  /// Reads everything, or of the models that are not named only names and kinds.
  ///
  /// - Parameter detailed: The models to read in detail, in any letter case; `nil` reads all.
  func read(detailing detailed: Set<String>? = nil) throws(StoreError) -> StoredSchema {
    let names = detailed.map { Set($0.map { $0.lowercased() }) }
    let rows = try schemaRows()
    let kuraSchema = try MetadataTables.schema(connection)
    var models: [StoredModel] = []
    let owned = Dictionary(grouping: rows) { Schema.asciiFolded($0.owner) }
    for row in rows where row.kind == "table" || row.kind == "view" {
      let isDetailed = names?.contains(row.name.lowercased()) ?? true
      models.append(
        model(row, owned[Schema.asciiFolded(row.name)] ?? [], isDetailed: isDetailed))
    }
    ShadowTables.mark(&models)
    if let kuraSchema { adoptTypes(of: kuraSchema, in: &models) }
    let owners = Set(models.map { Schema.asciiFolded($0.name) })
    let others = rows.filter {
      $0.kind != "table" && $0.kind != "view" && !owners.contains(Schema.asciiFolded($0.owner))
    }
    return StoredSchema(
      kuraSchema: kuraSchema,
      version: Int(try connection.integer("PRAGMA user_version") ?? 0), models: models,
      otherObjects: others.map {
        StoredObject(kind: $0.kind, name: $0.name, owner: $0.owner, sql: $0.sql)
      })
  }

  private func schemaRows() throws(StoreError) -> [Row] {
    let statement = try connection.prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")
    var rows: [Row] = []
    while try statement.step() {
      rows.append(
        Row(
          kind: statement.text(0) ?? "", name: statement.text(1) ?? "",
          owner: statement.text(2) ?? "", sql: statement.text(3),
          hasTextName: statement.slot(1).kind != .malformedText))
    }
    return rows
  }

  private func model(_ row: Row, _ rows: [Row], isDetailed: Bool) -> StoredModel {
    var model = StoredModel(name: row.name, kind: .table, sql: row.sql)
    if row.kind == "view" { model.kind = .view }
    if let module = ShadowTables.module(of: row.sql) {
      model.kind = .virtual
      model.module = module
    }
    let folded = Schema.asciiFolded(row.name)
    if folded.hasPrefix("sqlite_") || folded.hasPrefix("kura_") { model.kind = .system }
    guard isDetailed else { return model }
    if row.kind == "table", model.module == nil {
      // `PRAGMA table_list` tells it too, but looks at every table again for each view: minutes in a
      // file of many tables with one broken view.
      let options = TableOptions(declaration: row.sql ?? "")
      model.isWithoutRowID = options.isWithoutRowID
      model.isStrict = options.isStrict
    }
    model.triggers = rows.filter {
      $0.kind == "trigger" && Schema.asciiFolded($0.owner) == folded
    }.map { StoredObject(kind: "trigger", name: $0.name, owner: $0.owner, sql: $0.sql) }
    do throws(StoreError) {
      guard row.hasTextName else {
        throw StoreError(.damaged, "its name is not UTF-8", path: connection.path)
      }
      try readColumns(of: &model)
      try readIndexes(of: &model, rows)
      try readForeignKeys(of: &model)
      model.problem = problem(of: model)
    } catch {
      model.problem = SchemaReader.problem(error)
      model.isDamaged = error.code.kind == .damaged
    }
    return model
  }

  private func readColumns(of model: inout StoredModel) throws(StoreError) {
    let statement = try connection.prepare(
      "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?)")
    try statement.bind(.text(model.name), at: 1)
    var keys: [(position: Int64, name: String)] = []
    var damagedColumn: Int?
    while try statement.step() {
      let name = statement.text(0) ?? ""
      if statement.slot(0).kind == .malformedText { damagedColumn = model.columns.count + 1 }
      let declared = statement.text(1) ?? ""
      let hidden = statement.integer(5)
      let position = statement.integer(4)
      if position > 0 { keys.append((position, name)) }
      model.columns.append(
        StoredColumn(
          name: name, declaredType: declared, type: .any,
          isOptional: statement.integer(2) == 0, defaultSQL: statement.text(3),
          generation: hidden == 2 ? .virtual : hidden == 3 ? .stored : nil, isHidden: hidden == 1))
    }
    model.primaryKey = keys.sorted { $0.position < $1.position }.map(\.name)
    if let damagedColumn {
      // No statement of ours could name it.
      throw StoreError(
        .damaged, "the name of column \(damagedColumn) is not UTF-8", path: connection.path)
    }
    if model.kind == .table || model.kind == .shadow || model.kind == .system {
      for index in model.columns.indices where model.columns[index].generation == nil {
        model.columns[index].collation = collation(of: model.columns[index].name, in: model.name)
      }
    }
    if !model.isWithoutRowID, model.kind != .view {
      let taken = Set(model.columns.map { Schema.asciiFolded($0.name) })
      model.rowIDName = ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
    }
    // Null is allowed in the key columns of ordinary tables unless they are declared otherwise, an
    // old fault that SQLite keeps; such a key identifies nothing.
    if !model.isWithoutRowID, model.kind == .table || model.kind == .shadow,
      !isRowIDAlias(model), model.rowIDName != nil,
      model.primaryKey.contains(where: { name in
        model.columns.first { $0.name == name }?.isOptional ?? true
      }), try hasNullKey(model)
    {
      model.primaryKey = []
    }
  }

  private func hasNullKey(_ model: StoredModel) throws(StoreError) -> Bool {
    let condition = model.primaryKey.map { SQLLiterals.quoted($0) + " IS NULL" }
      .joined(separator: " OR ")
    return try connection.integer(
      "SELECT 1 FROM \(SQLLiterals.quoted(model.name)) WHERE \(condition) LIMIT 1") != nil
  }

  /// Whether the key is one INTEGER column, which is the row number by another name.
  private func isRowIDAlias(_ model: StoredModel) -> Bool {
    guard model.primaryKey.count == 1, !model.isWithoutRowID else { return false }
    return model.columns.first { $0.name == model.primaryKey[0] }
      .map { Schema.asciiFolded($0.declaredType) == "integer" } ?? false
  }

  private func collation(of column: String, in table: String) -> String? {
    var name: UnsafePointer<CChar>?
    let result = unsafe sqlite3_table_column_metadata(
      connection.handle, "main", table, column, nil, &name, nil, nil, nil)
    guard result == SQLITE_OK, let name = unsafe name else { return nil }
    let text = unsafe String(cString: name)
    return text == "BINARY" ? nil : text
  }

  private func readIndexes(of model: inout StoredModel, _ rows: [Row]) throws(StoreError) {
    let list = try connection.prepare(
      "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?) ORDER BY seq DESC")
    try list.bind(.text(model.name), at: 1)
    let terms = try connection.prepare(
      "SELECT name, \"desc\", coll, cid FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno")
    while try list.step() {
      let name = list.text(0) ?? ""
      try terms.bind(.text(name), at: 1)
      var parts: [StoredIndex.Term] = []
      while try terms.step() {
        let collation = terms.text(2)
        parts.append(
          StoredIndex.Term(
            column: terms.integer(3) >= -1 ? terms.text(0) ?? "rowid" : nil,
            isDescending: terms.integer(1) != 0,
            collation: collation == "BINARY" ? nil : collation))
      }
      terms.reset()
      let origin: StoredIndex.Origin =
        switch list.text(2) {
        case "u": .unique
        case "pk": .primaryKey
        default: .statement
        }
      model.indexes.append(
        StoredIndex(
          name: name, terms: parts, isUnique: list.integer(1) != 0,
          isPartial: list.integer(3) != 0, origin: origin,
          sql: rows.first { $0.kind == "index" && $0.name == name }?.sql))
    }
  }

  private func readForeignKeys(of model: inout StoredModel) throws(StoreError) {
    let statement = try connection.prepare(
      "SELECT id, \"table\", \"from\", \"to\", on_update, on_delete "
        + "FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq")
    try statement.bind(.text(model.name), at: 1)
    var last: Int64?
    while try statement.step() {
      if statement.integer(0) != last {
        model.foreignKeys.append(
          StoredForeignKey(
            columns: [], target: statement.text(1) ?? "", targetColumns: [],
            onDelete: statement.text(5) ?? "", onUpdate: statement.text(4) ?? ""))
        last = statement.integer(0)
      }
      let index = model.foreignKeys.count - 1
      model.foreignKeys[index].columns.append(statement.text(2) ?? "")
      model.foreignKeys[index].targetColumns.append(statement.text(3))
    }
  }

  /// Why a table or view cannot be read, found by preparing a statement on it.
  private func problem(of model: StoredModel) -> String? {
    do {
      _ = try connection.prepare("SELECT * FROM \(SQLLiterals.quoted(model.name))")
      return nil
    } catch {
      return SchemaReader.problem(error)
    }
  }

  /// SQLite names the missing table of a view with its schema; people know it without.
  private static func problem(_ error: StoreError) -> String {
    error.message.replacing("no such table: main.", with: "no such table: ")
  }

  /// Gives the columns of Kura's own tables their logical types.
  private func adoptTypes(of schema: Schema, in models: inout [StoredModel]) {
    for index in models.indices {
      guard let description = schema.model(named: models[index].name) else { continue }
      for column in models[index].columns.indices {
        if let property = description.property(named: models[index].columns[column].name) {
          models[index].columns[column].type = property.type
        }
      }
    }
  }
}
