import KuraCore

/// SQL under construction with its bound values.
struct SQLText {
  var sql = ""
  var values: [StoredValue] = []
  private(set) var aliasCount = 0

  init(sql: String = "", values: [StoredValue] = []) {
    self.sql = sql
    self.values = values
  }

  /// A name for a table that no other part of the statement has.
  mutating func makeAlias() -> String {
    aliasCount += 1
    return "kura_\(aliasCount)"
  }

  mutating func append(_ text: String) { sql += text }

  /// Adds a parameter with its value.
  mutating func append(value: StoredValue) {
    values.append(value)
    sql += "?"
  }
}

extension ModelLayout {
  /// The quoted name of a column.
  func quotedColumn(_ index: Int) -> String {
    columns.indices.contains(index) ? SQLLiterals.quoted(columns[index].name) : "NULL"
  }

  /// A column in a comparison or order: by its bytes whatever collation a foreign file declares.
  func comparable(_ index: Int) -> String {
    isKuraModel ? quotedColumn(index) : quotedColumn(index) + " COLLATE BINARY"
  }

  /// The expressions that identify a row.
  var keyExpressions: [String] {
    if !keyColumns.isEmpty { return keyColumns.map(quotedColumn) }
    return rowIDName.map { [SQLLiterals.quoted($0)] } ?? []
  }
}
