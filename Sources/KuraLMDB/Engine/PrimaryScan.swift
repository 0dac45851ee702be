import KuraCore

/// A walk over the records of a model in the order of their keys.
final class PrimaryScan<Snapshot: KeyValueSnapshot>: RecordScan {
  private let source: ModelSource<Snapshot>
  private let walk: RangeWalk<Snapshot.Cursor>
  private let reader: RecordReader
  private let laterReader: RecordReader?
  private let mayCopy: Bool
  /// The record's bytes where the transaction may change them; the key's the cursor keeps itself.
  private let copy: OrderedKey?

  init(_ source: ModelSource<Snapshot>, _ path: AccessPath) throws(StoreError) {
    self.source = source
    walk = RangeWalk(
      try source.snapshot.cursor(source.records), path.range, isDescending: path.isDescending)
    reader = RecordReader(source.binding, columns: path.columns)
    laterReader =
      path.laterColumns.isEmpty
      ? nil : RecordReader(source.binding, columns: path.laterColumns)
    mayCopy = reader.mayCopy || laterReader?.mayCopy == true
    copy = source.mayChange ? OrderedKey() : nil
  }

  @_specialize(where Snapshot == EnvironmentSnapshot)
  @_specialize(where Snapshot == PageSnapshot)
  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    try source.life.check()
    guard try walk.next() else { return false }
    if mayCopy { row.reset() }
    var value = unsafe walk.cursor.value
    if let copy {
      copy.truncate()
      unsafe copy.append(value)
      unsafe value = unsafe copy.bytes
    }
    unsafe try reader.read(key: walk.cursor.key, value: value, into: row)
    return true
  }

  @_specialize(where Snapshot == EnvironmentSnapshot)
  @_specialize(where Snapshot == PageSnapshot)
  func complete(_ row: RowBuffer) throws(StoreError) {
    guard let laterReader else { return }
    unsafe try laterReader.read(
      key: walk.cursor.key, value: copy?.bytes ?? walk.cursor.value, into: row)
  }

  var recordKey: UnsafeRawBufferPointer { unsafe walk.cursor.key }

  func restart(_ range: KeyRange) throws(StoreError) { walk.restart(range) }

  func close() { walk.cursor.close() }
}
