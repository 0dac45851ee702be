import CLMDB
import KuraCore

/// A database that a transaction writes to, with the cursor and the last key that it knows.
@safe
final class WriteTarget {
  let database: MDB_dbi
  /// liblmdb's cursor, and the state of the snapshot in which it was opened.
  var cursor: OpaquePointer?
  var epoch: UInt64 = 0
  /// Whether an entry was removed since the cursor was placed.
  var mayStandAtDeleted = false
  /// A key that no entry of the database is greater than; entries may have been deleted since.
  let lastKey = OrderedKey()
  var knowsLastKey = false

  init(_ database: MDB_dbi) { self.database = database }
}
