import KuraCore

/// The SQL of models: tables, indexes and the statements that write single records.
enum TableLowering {
  /// The statements that make a model.
  static func create(_ model: ModelDescription) throws(StoreError) -> [String] {
    let isRowIDKey = usesRowID(model)
    // The integrity check of SQLite 3.40 reads wrong columns of tables without row numbers whose
    // key columns are not the first, and reports nulls that are none.
    let keys = isRowIDKey ? [] : model.primaryKey.compactMap { model.property(named: $0) }
    let others = model.properties.filter { property in
      !keys.contains { $0.name == property.name }
    }
    var lines = try (keys + others).map { property throws(StoreError) in
      try column(property, isRowIDKey: isRowIDKey && property.name == model.primaryKey[0])
    }
    if !isRowIDKey { lines.append("PRIMARY KEY (\(list(model.primaryKey)))") }
    for property in model.properties {
      guard let reference = property.reference else { continue }
      lines.append(
        "FOREIGN KEY (\(SQLLiterals.quoted(property.name))) REFERENCES "
          + SQLLiterals.quoted(reference.target) + " ON DELETE " + action(reference.onDelete))
    }
    let options = isRowIDKey ? "STRICT" : "STRICT, WITHOUT ROWID"
    let body = lines.map { "  " + $0 }.joined(separator: ",\n")
    var statements = ["CREATE TABLE \(SQLLiterals.quoted(model.name)) (\n\(body)\n) \(options)"]
    for index in model.indexes { statements.append(create(index, of: model.name)) }
    // Deleting a target looks for its references; without an index that is a scan for each record.
    for property in model.properties
    where property.reference != nil && model.primaryKey.first != property.name
      && !model.indexes.contains(where: { $0.properties.first == property.name })
    {
      statements.append(
        "CREATE INDEX \(SQLLiterals.quoted("kura_ref_\(model.name)_\(property.name)")) ON "
          + "\(SQLLiterals.quoted(model.name)) (\(SQLLiterals.quoted(property.name)))")
    }
    return statements
  }

  /// Whether the only key property is an integer, which SQLite keeps as the row number.
  static func usesRowID(_ model: ModelDescription) -> Bool {
    model.primaryKey.count == 1 && model.property(named: model.primaryKey[0])?.type == .integer
  }

  private static func create(_ index: IndexDescription, of model: String) -> String {
    let kind = index.isUnique ? "unique" : "index"
    let name = "kura_\(kind)_\(model)_" + index.properties.joined(separator: "_")
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(SQLLiterals.quoted(name)) ON "
      + "\(SQLLiterals.quoted(model)) (\(list(index.properties)))"
  }

  static func column(_ property: PropertyDescription, isRowIDKey: Bool)
    throws(StoreError) -> String
  {
    let name = SQLLiterals.quoted(property.name)
    if isRowIDKey { return "\(name) INTEGER PRIMARY KEY" }
    var text = "\(name) \(sqlType(property.type))"
    if !property.isOptional { text += " NOT NULL" }
    if let value = property.defaultValue, !value.isNull {
      text += " DEFAULT " + literal(try value.coerced(to: property.type, isOptional: true))
    }
    switch property.type {
    case .bool: text += " CHECK (\(name) IN (0, 1))"
    case .double:
      // A REAL column turns -0.0 into 0.0, because it keeps whole numbers as integers.
      text += " CHECK (typeof(\(name)) IN ('real', 'null'))"
    default: break
    }
    return text
  }

  /// Whether rows that are there must be written again to have the default value of a new column.
  static func needsNewRows(_ property: PropertyDescription) throws(StoreError) -> Bool {
    guard let value = property.defaultValue, !value.isNull else { return false }
    switch try value.coerced(to: property.type, isOptional: true) {
    // They would read it as an integer, and -0.0 as 0 (SQLite 3.40).
    case .double(let number) where number == number.rounded(): return true
    // SQLite adds no column whose default is an expression (lang_altertable.html).
    case let value: return literal(value).hasPrefix("(")
    }
  }

  private static func sqlType(_ type: ValueType) -> String {
    switch type {
    case .bool, .integer: "INTEGER"
    case .decimal, .date, .text, .uuid, .objectID, .json: "TEXT"
    case .data: "BLOB"
    case .double, .any: "ANY"
    }
  }

  /// A value as an SQL literal; text with U+0000 and infinities have forms that stay exact.
  private static func literal(_ value: StoredValue) -> String {
    switch value {
    case .null: return "NULL"
    case .bool(let value): return value ? "1" : "0"
    case .integer(.min): return "(-9223372036854775807 - 1)"
    case .integer(let value): return String(value)
    case .double(let value):
      if value.isInfinite { return value < 0 ? "-9e999" : "9e999" }
      return value.description
    case .decimal(let value): return SQLLiterals.literal(value.sortableText)
    case .date(let value): return SQLLiterals.literal(value.description)
    case .text(let value):
      guard value.utf8.contains(0) else { return SQLLiterals.literal(value) }
      return "(CAST(X'\(StoredValue.hex(value.utf8))' AS TEXT))"
    case .malformedText(let bytes): return "(CAST(X'\(StoredValue.hex(bytes))' AS TEXT))"
    case .data(let bytes): return "X'\(StoredValue.hex(bytes))'"
    case .uuid(let value): return SQLLiterals.literal(ValueText.text(of: value))
    case .objectID(let value): return SQLLiterals.literal(value.description)
    }
  }

  /// What follows a column that refers to a model.
  static func target(_ reference: ReferenceDescription) -> String {
    " REFERENCES \(SQLLiterals.quoted(reference.target)) ON DELETE \(action(reference.onDelete))"
  }

  private static func action(_ rule: ReferenceDescription.DeleteRule) -> String {
    switch rule {
    // RESTRICT would refuse as soon as a record is referred to by one that the same deletion takes
    // later; tables of older files still do.
    case .deny: "NO ACTION"
    case .nullify: "SET NULL"
    case .cascade: "CASCADE"
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map(SQLLiterals.quoted).joined(separator: ", ")
  }

  /// The statement that writes a record of all columns that are not computed.
  static func write(_ layout: ModelLayout, _ mode: WriteMode) -> String {
    let written = layout.columns.filter { !$0.isGenerated }.map { SQLLiterals.quoted($0.name) }
    let marks = written.map { _ in "?" }.joined(separator: ", ")
    var sql =
      "INSERT INTO \(SQLLiterals.quoted(layout.name)) (\(written.joined(separator: ", "))) "
      + "VALUES (\(marks))"
    if mode == .upsert {
      let keys = Set(layout.keyColumns)
      let others = layout.columns.indices.filter {
        !keys.contains($0) && !layout.columns[$0].isGenerated
      }
      let target = layout.keyColumns.map(layout.quotedColumn).joined(separator: ", ")
      let assignments = others.map {
        "\(layout.quotedColumn($0)) = excluded.\(layout.quotedColumn($0))"
      }
      sql += " ON CONFLICT (\(target)) DO "
      sql +=
        others.isEmpty ? "NOTHING" : "UPDATE SET " + assignments.joined(separator: ", ")
    }
    return sql
  }

  /// `"a" = ? AND "b" = ?` over the key.
  static func keyCondition(_ layout: ModelLayout) -> String {
    layout.keyExpressions.map { $0 + " = ?" }.joined(separator: " AND ")
  }
}
