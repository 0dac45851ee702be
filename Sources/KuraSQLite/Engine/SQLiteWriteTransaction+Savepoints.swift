import KuraCore

extension SQLiteWriteTransaction {
  func beginSavepoint() throws(StoreError) {
    try checkOpen()
    try connection.execute("SAVEPOINT kura_\(savepointDepth + 1)")
    savepointDepth += 1
    if let notes { savepointMarks.append(notes.recorder.mark()) }
  }

  func releaseSavepoint() throws(StoreError) {
    try checkOpen()
    try checkSavepoint()
    try connection.execute("RELEASE kura_\(savepointDepth)")
    savepointDepth -= 1
    _ = savepointMarks.popLast()
  }

  func rollBackToSavepoint() throws(StoreError) {
    try checkOpen()
    try checkSavepoint()
    closeCursors()
    connection.preparedModels.forgetNextNumbers()
    try connection.execute("ROLLBACK TO kura_\(savepointDepth); RELEASE kura_\(savepointDepth)")
    savepointDepth -= 1
    guard let notes, let mark = savepointMarks.popLast() else { return }
    notes.recorder.rollBack(to: mark)
    if hasChangedSchema { notes.reload() }
  }

  private func checkSavepoint() throws(StoreError) {
    guard savepointDepth > 0 else {
      throw StoreError(
        .transactionFailed, "the transaction has no savepoint", path: connection.path)
    }
  }

  func commit() throws(StoreError) {
    try checkOpen()
    closeCursors()
    if !checksReferences { try setChecksReferences(true) }
    // A transaction that wrote nothing uses no number up; another process may then have made the next.
    let hasWritten = hasChangedSchema || connection.totalChanges != changesAtBegin
    let before = hasWritten ? engine.numbers.newest(connection) : nil
    do {
      _ = try engine.pool.source.isCurrent()
      try connection.execute("COMMIT")
    } catch {
      // SQLite keeps the transaction when the caller may mend the cause and try again.
      if !connection.isAutocommit, error.code == .locked || error.code == .brokenReference {
        throw engine.named(error)
      }
      let wasRolledBack = !connection.isAutocommit
      end()
      guard error.code == .ioError, !wasRolledBack else { throw error }
      throw StoreError(
        .commitOutcomeUnknown, "the commit failed and may be durable nevertheless",
        path: connection.path, suggestion: "open the store again and look", outcome: .unknown,
        engineCode: error.engineCode)
    }
    if let before, let after = engine.numbers.newest(connection), after != before {
      committedNumber = before &+ 1
    }
    guard markEnded() else { return }
    engine.finishWrite(connection, isUsable: true)
  }
}
