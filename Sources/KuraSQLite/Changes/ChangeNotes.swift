import CSQLite
import KuraCore

/// Notes what the statements of one write transaction change, as SQLite tells it row by row.
///
/// The pre-update hook sees every change of an ordinary table: also those by foreign keys, triggers and
/// raw SQL. Where the library has no hook, every record of what is written may have changed.
@safe
final class ChangeNotes {
  let recorder: ChangeRecorder
  /// Whether the hook tells the changes.
  let hasHook: Bool
  private unowned let connection: SQLiteConnection
  private var tables: [String: ObservedTable] = [:]
  /// The table of the last change: most are in the same one.
  private var last: ObservedTable?
  /// Views and virtual tables, whose changes nobody tells.
  private var unseen: [ModelChangeLog] = []
  /// The statement that runs.
  private var statement: UInt64 = 0
  private var isInstalled = false
  private var hasInstalled = false
  private var shapes: ChangeShapes?

  /// Begins to note.
  ///
  /// - Parameter allowsHook: Whether the library's hook is used when there is one.
  init(_ recorder: ChangeRecorder, _ connection: SQLiteConnection, allowsHook: Bool = true) {
    self.recorder = recorder
    self.connection = connection
    hasHook = allowsHook && kura_sqlite3_has_preupdate_hook() != 0
    reload()
  }

  deinit { uninstall() }

  // MARK: The hook

  /// Reads the schema, which must be known before a statement runs, and asks for its changes.
  func reload() {
    uninstall()
    guard recorder.isCounting else { return }
    do throws(StoreError) {
      // Without the hook, what foreign keys reach must be known of all tables.
      let shapes = try connection.changeShapes(of: hasHook ? recorder.wanted : nil)
      self.shapes = shapes
      tables.removeAll()
      last = nil
      unseen = shapes.unseen.compactMap { recorder.log(of: $0) }
      if hasHook { install() }
    } catch {
      // What cannot be read cannot be told apart.
      recorder.noteEverything()
    }
  }

  private func install() {
    guard !isInstalled else { return }
    isInstalled = true
    // Statements that were made without the hook empty tables, inside triggers, without telling it.
    // Once: it also ends walks.
    if !hasInstalled, shapes?.hasTriggers ?? true { connection.expireStatements() }
    hasInstalled = true
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe kura_sqlite3_set_preupdate_hook(
      connection.handle,
      { context, _, operation, database, table, oldRow, newRow in
        guard let context = unsafe context, let database = unsafe database,
          let table = unsafe table
        else { return }
        unsafe Unmanaged<ChangeNotes>.fromOpaque(context).takeUnretainedValue()
          .note(operation, database, table, oldRow, newRow)
      }, this)
  }

  /// Notes no more.
  func uninstall() {
    guard isInstalled else { return }
    isInstalled = false
    unsafe kura_sqlite3_set_preupdate_hook(connection.handle, nil, nil)
  }

  private func note(
    _ operation: Int32, _ database: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>,
    _ oldRow: Int64, _ newRow: Int64
  ) {
    let table: ObservedTable
    if let last, unsafe strcmp(last.name, name) == 0 {
      table = last
    } else {
      table = unsafe find(name)
      last = table
    }
    guard let log = table.log else { return }
    // A temporary table may have the name of another one.
    guard unsafe strcmp(database, "main") == 0 else { return }
    if table.statement != statement {
      table.statement = statement
      table.countBefore = log.count
    }
    let row = unsafe RowChange(
      connection.handle, operation: operation, oldRow: oldRow, newRow: newRow)
    table.note(row, in: log)
    if log.isFull { table.log = nil }
  }

  private func find(_ name: UnsafePointer<CChar>) -> ObservedTable {
    let text = unsafe String(cString: name)
    if !unseen.isEmpty {
      for log in unseen { log.noteEverything() }
      unseen = []
    }
    if let table = tables[text] { return table }
    let shape = shapes?.tables[text]
    if let owner = shape?.owner { recorder.log(of: owner)?.noteEverything() }
    let log = recorder.log(of: text)
    // A table that was not there when the schema was read.
    if shape == nil { log?.noteEverything() }
    let table = unsafe ObservedTable(name, shape, log.flatMap { $0.isFull ? nil : $0 })
    tables[text] = table
    return table
  }

  // MARK: Statements

  /// Begins a statement, to which ``takeBack()`` goes back.
  @inline(__always)
  func beginStatement() { statement &+= 1 }

  /// Takes back what a statement noted that failed.
  func takeBack() {
    for table in tables.values where table.statement == statement {
      guard let log = table.log else { continue }
      // Only Kura's own tables are sure to have no rule that keeps half of what a failed statement
      // did (lang_conflict.html, FAIL).
      if table.isKuraModel, shapes?.hasTriggers == false {
        log.truncate(to: table.countBefore)
      } else {
        log.noteEverything()
      }
    }
    statement &+= 1
  }

  /// Notes the writes of a call to a model, where no hook tells them.
  func noteUnseen(_ model: String) {
    guard !hasHook else { return }
    guard let shapes, !shapes.hasTriggers else { return recorder.noteEverything() }
    for name in shapes.reached(from: model) { recorder.log(of: name)?.noteEverything() }
    for log in unseen { log.noteEverything() }
  }

  /// Notes statements whose changes nobody tells, such as those that change the schema.
  func noteEverything() {
    uninstall()
    recorder.noteEverything()
  }
}
