import KuraCore

extension SQLiteWriteTransaction {
  func delete(_ records: [(model: ModelLayout, key: RecordKey)]) throws(StoreError) -> [Bool] {
    guard records.count > 1 else {
      return try records.first.map { record throws(StoreError) in
        [try delete(record.key, in: record.model)]
      } ?? []
    }
    try checkOpen()
    // To defer expires statements, which ends walks that open tables on their way: only where it matters.
    try connection.execute("SAVEPOINT kura_together")
    let mark = notes?.recorder.mark()
    do throws(StoreError) {
      var found: [Bool] = []
      for record in records { found.append(try delete(record.key, in: record.model)) }
      try connection.execute("RELEASE kura_together")
      return found
    } catch {
      guard error.code == .brokenReference, !connection.isAutocommit else { throw error }
      try connection.execute("ROLLBACK TO kura_together; RELEASE kura_together")
      if let mark { notes?.recorder.rollBack(to: mark) }
    }
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
