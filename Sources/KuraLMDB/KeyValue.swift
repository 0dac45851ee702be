import KuraCore

/// A walk over the entries of one key-value database inside one snapshot, in the order of the keys'
/// bytes.
///
/// ``key`` and ``value`` may be read after a call that returned `true`; their bytes stay valid until
/// the cursor's next call, and in a write transaction until the transaction's next change.
///
/// Both sources of bytes, liblmdb's map and our own page reader, give the same walks, so that
/// everything above is written once and is specialised for each of them.
protocol KeyValueCursor: AnyObject {
  /// Goes to the first entry whose key is this one or greater.
  ///
  /// - Returns: Whether there is one.
  /// - Throws: ``StoreError/Code/damaged`` and what else the source throws.
  func seek(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool

  /// Goes to the first entry, if there is one.
  func first() throws(StoreError) -> Bool

  /// Goes to the last entry, if there is one.
  func last() throws(StoreError) -> Bool

  /// Goes to the following entry, if there is one; only after a call that returned `true`.
  func next() throws(StoreError) -> Bool

  /// Goes to the preceding entry, if there is one; only after a call that returned `true`.
  func previous() throws(StoreError) -> Bool

  /// The key of the current entry.
  var key: UnsafeRawBufferPointer { get }

  /// The value of the current entry.
  var value: UnsafeRawBufferPointer { get }

  /// Gives back what the cursor holds; more calls do nothing.
  func close()
}

/// One consistent view of the named databases of a file.
protocol KeyValueSnapshot: AnyObject {
  /// What identifies a named database in this snapshot.
  associatedtype Database
  /// A walk over one of them.
  associatedtype Cursor: KeyValueCursor

  /// The database of a name, or `nil` when there is none.
  ///
  /// - Throws: ``StoreError/Code/damaged`` when the entry of the name is no database.
  func database(_ name: String) throws(StoreError) -> Database?

  /// The number of entries that a database records for itself.
  func count(_ database: Database) throws(StoreError) -> Int64

  /// A new walk that stands nowhere yet.
  func cursor(_ database: Database) throws(StoreError) -> Cursor

  /// The value of a key; its bytes stay valid until the next call of this function, and in a write
  /// transaction until the next change.
  func value(_ key: UnsafeRawBufferPointer, in database: Database) throws(StoreError)
    -> UnsafeRawBufferPointer?
}
