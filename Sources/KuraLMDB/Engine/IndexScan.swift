import KuraCore

/// A walk over the entries of an index, with or without the records that they belong to.
@safe
final class IndexScan<Snapshot: KeyValueSnapshot>: RecordScan {
  private let source: ModelSource<Snapshot>
  private let walk: RangeWalk<Snapshot.Cursor>
  private let entries: EntryReader?
  private let reader: RecordReader
  private let laterReader: RecordReader?
  private let mayCopy: Bool
  private let keyCopy: OrderedKey?
  private let valueCopy: OrderedKey?
  private(set) var recordKey = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

  init(_ source: ModelSource<Snapshot>, _ path: AccessPath, _ position: Int) throws(StoreError) {
    self.source = source
    walk = RangeWalk(
      try source.snapshot.cursor(source.indexDatabases[position]), path.range,
      isDescending: path.isDescending)
    entries =
      path.readsEntryOnly
      ? EntryReader(
        source.binding, components: source.indexes[position].components, columns: path.columns)
      : nil
    reader = RecordReader(source.binding, columns: path.columns)
    laterReader =
      path.laterColumns.isEmpty
      ? nil : RecordReader(source.binding, columns: path.laterColumns)
    mayCopy = entries?.mayCopy == true || reader.mayCopy || laterReader?.mayCopy == true
    keyCopy = source.mayChange ? OrderedKey() : nil
    valueCopy = source.mayChange ? OrderedKey() : nil
  }

  @_specialize(where Snapshot == EnvironmentSnapshot)
  @_specialize(where Snapshot == PageSnapshot)
  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    try source.life.check()
    guard try walk.next() else { return false }
    guard let found = unsafe IndexEntry.recordKey(walk.cursor.key, walk.cursor.value) else {
      throw source.damagedEntry
    }
    unsafe recordKey = unsafe found
    if let keyCopy {
      keyCopy.truncate()
      unsafe keyCopy.append(found)
      unsafe recordKey = unsafe keyCopy.bytes
    }
    if mayCopy { row.reset() }
    if let entries {
      guard unsafe entries.read(walk.cursor.key, recordKey, into: row) else {
        throw source.damagedEntry
      }
    } else {
      unsafe try reader.read(key: recordKey, value: try record(), into: row)
    }
    return true
  }

  @_specialize(where Snapshot == EnvironmentSnapshot)
  @_specialize(where Snapshot == PageSnapshot)
  func complete(_ row: RowBuffer) throws(StoreError) {
    guard let laterReader else { return }
    unsafe try laterReader.read(key: recordKey, value: try record(), into: row)
  }

  /// The bytes of the entry's record.
  private func record() throws(StoreError) -> UnsafeRawBufferPointer {
    guard let value = unsafe try source.snapshot.value(recordKey, in: source.records) else {
      throw source.damagedEntry
    }
    guard let valueCopy else { return unsafe value }
    valueCopy.truncate()
    unsafe valueCopy.append(value)
    return unsafe valueCopy.bytes
  }

  func restart(_ range: KeyRange) throws(StoreError) { walk.restart(range) }

  func close() { walk.cursor.close() }
}

extension ModelSource {
  /// The error of an index entry that fits no record.
  var damagedEntry: StoreError {
    StoreError(
      .damaged, "an index of \"\(layout.name)\" does not fit its records", path: life.path,
      suggestion: "check the file with `store-inspect check`")
  }
}
