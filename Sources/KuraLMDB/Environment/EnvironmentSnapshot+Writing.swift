import CLMDB
import KuraCore

extension EnvironmentSnapshot {
  /// Writes an entry.
  ///
  /// Keys that come in their order are appended, which fills pages and seeks nothing.
  ///
  /// - Parameter isNew: Whether an entry of the key must not be replaced.
  /// - Returns: Whether it was written; not when there is one that must not be replaced.
  @inline(__always)
  func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, into target: WriteTarget,
    isNew: Bool
  ) throws(StoreError) -> Bool {
    let cursor = unsafe try writeCursor(target)
    let isLast = unsafe ByteOrder.compare(key, target.lastKey.bytes) > 0
    var keyValue = unsafe MDB_val(key)
    var dataValue = unsafe MDB_val(value)
    if isLast, target.mayStandAtDeleted {
      // A cursor that stands at the end would append beside the place where the last entry was.
      var (firstKey, firstValue) = unsafe (MDB_val(), MDB_val())
      unsafe mdb_cursor_get(cursor, &firstKey, &firstValue, MDB_FIRST)
      target.mayStandAtDeleted = false
    }
    let flags = isLast ? MDB_APPEND : isNew ? MDB_NOOVERWRITE : 0
    let result = unsafe mdb_cursor_put(cursor, &keyValue, &dataValue, UInt32(flags))
    noteChange()
    guard result == MDB_SUCCESS else {
      guard result == MDB_KEYEXIST else { throw fail(result, doing: "write an entry") }
      return false
    }
    hasWritten = true
    if isLast {
      target.lastKey.truncate()
      unsafe target.lastKey.append(key)
    }
    return true
  }

  /// Removes an entry.
  ///
  /// - Returns: Whether there was one.
  func delete(_ key: UnsafeRawBufferPointer, from target: WriteTarget) throws(StoreError) -> Bool {
    var keyValue = unsafe MDB_val(key)
    let result = unsafe mdb_del(try open(), target.database, &keyValue, nil)
    noteChange()
    target.mayStandAtDeleted = true
    if result == MDB_SUCCESS {
      hasWritten = true
      return true
    }
    guard result == MDB_NOTFOUND else { throw fail(result, doing: "remove an entry") }
    return false
  }

  /// The cursor of a target in the transaction as it is now.
  @inline(__always)
  private func writeCursor(_ target: WriteTarget) throws(StoreError) -> OpaquePointer {
    if target.epoch == epoch, !hasFailed, let cursor = unsafe target.cursor {
      return unsafe cursor
    }
    return unsafe try openWriteCursor(target)
  }

  private func openWriteCursor(_ target: WriteTarget) throws(StoreError) -> OpaquePointer {
    var opened: OpaquePointer?
    var result = unsafe mdb_cursor_open(try open(), target.database, &opened)
    guard result == MDB_SUCCESS, let cursor = unsafe opened else {
      throw fail(result, doing: "write to a database")
    }
    unsafe writeCursors.append(cursor)
    unsafe target.cursor = unsafe cursor
    target.epoch = epoch
    guard !target.knowsLastKey else { return unsafe cursor }
    var key = unsafe MDB_val()
    var value = unsafe MDB_val()
    result = unsafe mdb_cursor_get(cursor, &key, &value, MDB_LAST)
    guard result == MDB_SUCCESS || result == MDB_NOTFOUND else {
      throw fail(result, doing: "find the last entry")
    }
    if result == MDB_SUCCESS { unsafe target.lastKey.append(key.bytes) }
    target.knowsLastKey = true
    return unsafe cursor
  }

  /// The greatest key of a database, if it has entries; valid until the next change.
  func lastKey(of target: WriteTarget) throws(StoreError) -> UnsafeRawBufferPointer? {
    let cursor = unsafe try writeCursor(target)
    if target.mayStandAtDeleted {
      var (key, value) = unsafe (MDB_val(), MDB_val())
      var result = unsafe mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
      if result == MDB_SUCCESS { result = unsafe mdb_cursor_get(cursor, &key, &value, MDB_LAST) }
      guard result == MDB_SUCCESS || result == MDB_NOTFOUND else {
        throw fail(result, doing: "find the last entry")
      }
      target.lastKey.truncate()
      if result == MDB_SUCCESS { unsafe target.lastKey.append(key.bytes) }
      target.mayStandAtDeleted = false
    }
    return unsafe target.lastKey.count > 0 ? target.lastKey.bytes : nil
  }

  /// Makes a database, or opens the one of the name.
  func create(_ name: String) throws(StoreError) {
    guard try database(name) == nil else { return }
    var handle: MDB_dbi = 0
    let result = unsafe mdb_dbi_open(try open(), name, UInt32(MDB_CREATE), &handle)
    noteChange()
    guard result == MDB_SUCCESS else { throw fail(result, doing: "make a database") }
    hasWritten = true
    newHandles[name] = handle
  }

  /// Removes all entries of a database.
  ///
  /// The empty database stays: removing it would close its handle under the readers of this process.
  func empty(_ database: MDB_dbi) throws(StoreError) {
    let result = unsafe mdb_drop(try open(), database, 0)
    noteChange()
    guard result == MDB_SUCCESS else { throw fail(result, doing: "empty a database") }
  }
}
