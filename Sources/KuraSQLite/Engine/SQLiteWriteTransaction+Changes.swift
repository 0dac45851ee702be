import KuraCore

extension SQLiteWriteTransaction {
  func recordChanges(in recorder: ChangeRecorder) {
    notes?.uninstall()
    notes = ChangeNotes(recorder, connection, allowsHook: engine.allowsChangeHook)
  }

  /// Notes what raw SQL is about to do that the hook does not tell.
  func noteWriting(_ sql: String) {
    if RawSQL.changesRows(sql[...].utf8) {
      if let notes, !notes.hasHook { notes.noteEverything() }
    } else {
      hasChangedSchema = true
      connection.keptShapes = nil
      notes?.noteEverything()
    }
  }
}
