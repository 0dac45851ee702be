import KuraCore

/// SQL under construction with its bound values.
struct SQLText {
  var sql = ""
  var values: [StoredValue] = []

  mutating func append(_ text: String) { sql += text }

  /// Adds a parameter with its value.
  mutating func append(value: StoredValue) {
    values.append(value)
    sql += "?"
  }

  /// A name in double quotes, quotes in it doubled.
  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  /// A text as an SQL literal; it must not contain U+0000.
  static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}

extension ModelLayout {
  /// The quoted name of a column.
  func quotedColumn(_ index: Int) -> String {
    columns.indices.contains(index) ? SQLText.quoted(columns[index].name) : "NULL"
  }

  /// A column in a comparison or order: by its bytes whatever collation a foreign file declares.
  func comparable(_ index: Int) -> String {
    isKuraModel ? quotedColumn(index) : quotedColumn(index) + " COLLATE BINARY"
  }

  /// The expressions that identify a row.
  var keyExpressions: [String] {
    if !keyColumns.isEmpty { return keyColumns.map(quotedColumn) }
    return rowIDName.map { [SQLText.quoted($0)] } ?? []
  }
}
