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
    return try deleteDeferring(records)
  }

  /// Deletes while SQLite counts the references to nothing, instead of refusing the statement.
  private func deleteDeferring(_ records: [(model: ModelLayout, key: RecordKey)])
    throws(StoreError) -> [Bool]
  {
    // Raw SQL may have left references of its own to be resolved later, by keys that it declared
    // DEFERRABLE. SQLite tells only whether there are any, so that they are then looked for.
    let before = connection.hasUnresolvedReferences ? try? unresolvedReferences() : nil
    try connection.execute("PRAGMA defer_foreign_keys = ON")
    defer { try? connection.execute("PRAGMA defer_foreign_keys = OFF") }
    var found: [Bool] = []
    for record in records { found.append(try delete(record.key, in: record.model)) }
    guard connection.hasUnresolvedReferences else { return found }
    guard let before, let now = try? unresolvedReferences(),
      now.allSatisfy({ $0.value <= before[$0.key] ?? 0 })
    else { throw SQLiteErrors.brokenReference(found: records.first?.model.name) }
    return found
  }

  /// A row with a reference to nothing; rows of tables without row numbers are not told apart.
  private struct UnresolvedReference: Hashable {
    let table: String?
    let row: Int64
    let parent: String?
    let key: Int64
  }

  /// The rows with a reference to nothing, and how many there are of each.
  private func unresolvedReferences() throws(StoreError) -> [UnresolvedReference: Int] {
    let statement = try connection.prepare("PRAGMA foreign_key_check")
    var rows: [UnresolvedReference: Int] = [:]
    while try statement.step() {
      let row = UnresolvedReference(
        table: statement.text(0), row: statement.integer(1), parent: statement.text(2),
        key: statement.integer(3))
      rows[row, default: 0] += 1
    }
    return rows
  }
}
