import CSQLite
import KuraCore

/// One change of a row, inside the pre-update hook.
@safe
struct RowChange {
  private let connection: OpaquePointer
  let operation: Int32
  /// The row's number before and after.
  let oldRow: Int64
  let newRow: Int64

  init(_ connection: OpaquePointer, operation: Int32, oldRow: Int64, newRow: Int64) {
    unsafe self.connection = connection
    self.operation = operation
    self.oldRow = oldRow
    self.newRow = newRow
  }

  /// A value of the row as it is, or as it will be; `nil` when SQLite does not give it.
  func value(_ column: Int32, isNew: Bool) -> OpaquePointer? {
    unsafe isNew
      ? kura_sqlite3_new_value(connection, column) : kura_sqlite3_old_value(connection, column)
  }
}

/// What is noted of one table.
@safe
final class ObservedTable {
  /// The name as SQLite gives it.
  let name: UnsafeMutablePointer<CChar>
  /// The changes, as long as they are noted one by one.
  var log: ModelChangeLog?
  /// The last statement that changed the table, and how many changes were noted before it.
  var statement: UInt64 = 0
  var countBefore = 0
  private let shape: ChangeShapes.Table?

  /// Whether Kura's schema describes the table.
  var isKuraModel: Bool { shape?.isKuraModel ?? false }

  init(_ name: UnsafePointer<CChar>, _ shape: ChangeShapes.Table?, _ log: ModelChangeLog?) {
    let count = unsafe strlen(name) + 1
    unsafe self.name = .allocate(capacity: count)
    unsafe self.name.initialize(from: name, count: count)
    self.shape = shape
    self.log = log
  }

  deinit { unsafe name.deallocate() }

  /// Notes a change.
  func note(_ row: RowChange, in log: ModelChangeLog) {
    guard let shape, shape.isTold else { return log.noteEverything() }
    switch row.operation {
    case SQLITE_INSERT:
      guard let key = shape.key(row, isNew: true) else { return log.noteEverything() }
      log.note(key, .insertion)
    case SQLITE_DELETE:
      guard let key = shape.key(row, isNew: false) else { return log.noteEverything() }
      log.note(key, .deletion)
    default:
      guard let old = shape.key(row, isNew: false), let new = shape.key(row, isNew: true) else {
        return log.noteEverything()
      }
      guard old == new else {
        log.note(old, .deletion)
        return log.note(new, .insertion)
      }
      let changed = shape.changes(row)
      if !changed.isEmpty { log.note(old, .modification, changed) }
    }
  }
}
