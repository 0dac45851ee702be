import KuraCore

/// Prepared statements of one connection by their text, the least recently used dropped first.
///
/// A statement is taken out while it is used, so that the same text can run twice at once.
package final class StatementCache {
  private unowned let connection: SQLiteConnection
  private var idle: [String: (statement: SQLiteStatement, lastUse: UInt64)] = [:]
  private var clock: UInt64 = 0
  private let capacity = 64

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// A statement that is reset and without parameters; give it back with ``put(_:)``.
  func take(_ sql: String) throws(StoreError) -> SQLiteStatement {
    if let found = idle.removeValue(forKey: sql) { return found.statement }
    return try connection.prepare(sql, isPersistent: true)
  }

  /// Gives a statement back for the next use.
  func put(_ statement: SQLiteStatement) {
    statement.reset()
    statement.clearBindings()
    clock &+= 1
    idle[statement.sql] = (statement, clock)
    if idle.count > capacity, let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      idle[oldest.key] = nil
    }
  }

  /// Forgets all idle statements.
  func removeAll() { idle.removeAll() }
}
