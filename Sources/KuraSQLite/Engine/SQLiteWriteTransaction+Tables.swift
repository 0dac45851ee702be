import KuraCore

extension SQLiteWriteTransaction {
  struct Column {
    let name: String
    let keyPosition: Int64
    var isKey: Bool { keyPosition > 0 }
  }

  func hasTable(_ name: String) throws(StoreError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') "
        + "AND name = ? COLLATE NOCASE", .text(name)) != nil
  }

  func checkTable(_ name: String) throws(StoreError) {
    guard try hasTable(name) else {
      throw StoreError(.unknownModel, "there is no model \"\(name)\"", path: connection.path)
    }
  }

  func columns(of model: String) throws(StoreError) -> [Column] {
    let statement = try connection.prepare("SELECT name, pk FROM pragma_table_info(?)")
    try statement.bind(.text(model), at: 1)
    var columns: [Column] = []
    while try statement.step() {
      columns.append(Column(name: statement.text(0) ?? "", keyPosition: statement.integer(1)))
    }
    return columns
  }

  func column(_ name: String, of model: String) throws(StoreError) -> Column {
    let columns = try columns(of: model)
    if let column = columns.first(where: { $0.name == name }) { return column }
    let hint = closestMatch(name, in: columns.map(\.name))
    throw StoreError(
      .unknownProperty, "\"\(model)\" has no property \"\(name.prefix(80))\"",
      path: connection.path, suggestion: hint.map { "did you mean \"\($0)\"?" })
  }

  /// The columns that are foreign keys by themselves.
  func references(of model: String) throws(StoreError) -> [String] {
    let statement = try connection.prepare(
      "SELECT \"from\" FROM pragma_foreign_key_list(?) ORDER BY id DESC")
    try statement.bind(.text(model), at: 1)
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0) ?? "") }
    return names
  }

  func indexes(of model: String) throws(StoreError) -> [KuraIndex] {
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

  func isSame(_ name: String, _ other: String) -> Bool {
    Schema.asciiFolded(name) == Schema.asciiFolded(other)
  }

  func taken(_ kind: String, _ name: String) -> StoreError {
    StoreError(
      .invalidSchema, "there is already a \(kind) \"\(name)\" (letter case does not count)",
      path: connection.path, suggestion: "remove it first, or use another name")
  }
}
