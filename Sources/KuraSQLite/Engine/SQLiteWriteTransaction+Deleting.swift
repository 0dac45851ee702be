import KuraCore

extension SQLiteWriteTransaction {
  func delete(_ records: [(model: ModelLayout, key: RecordKey)]) throws(StoreError) -> [Bool] {
    guard records.count > 1 else {
      return try records.first.map { record throws(StoreError) in
        [try delete(record.key, in: record.model)]
      } ?? []
    }
    try checkOpen()
    // SQLite then counts the references to nothing, instead of refusing the statement.
    try connection.execute("PRAGMA defer_foreign_keys = ON")
    defer { try? connection.execute("PRAGMA defer_foreign_keys = OFF") }
    var found: [Bool] = []
    for record in records { found.append(try delete(record.key, in: record.model)) }
    guard !connection.hasUnresolvedReferences else {
      throw SQLiteErrors.brokenReference(found: records.first?.model.name)
    }
    return found
  }
}
