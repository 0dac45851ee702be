import KuraCore

/// Reads records of a model by the keys that walks gave.
final class ModelFetch<Snapshot: KeyValueSnapshot>: RecordFetch {
  private let source: ModelSource<Snapshot>
  private let reader: RecordReader
  private let keyCopy: OrderedKey?
  private let valueCopy: OrderedKey?

  init(_ source: ModelSource<Snapshot>, columns: [Int]) {
    self.source = source
    reader = RecordReader(source.binding, columns: columns)
    keyCopy = source.mayChange ? OrderedKey() : nil
    valueCopy = source.mayChange ? OrderedKey() : nil
  }

  @_specialize(where Snapshot == EnvironmentSnapshot)
  @_specialize(where Snapshot == PageSnapshot)
  func read(_ recordKey: UnsafeRawBufferPointer, into row: RowBuffer) throws(StoreError) -> Bool {
    try source.life.check()
    guard var value = unsafe try source.snapshot.value(recordKey, in: source.records) else {
      return false
    }
    var key = unsafe recordKey
    if let keyCopy, let valueCopy {
      keyCopy.truncate()
      unsafe keyCopy.append(recordKey)
      unsafe key = unsafe keyCopy.bytes
      valueCopy.truncate()
      unsafe valueCopy.append(value)
      unsafe value = unsafe valueCopy.bytes
    }
    if reader.mayCopy { row.reset() }
    unsafe try reader.read(key: key, value: value, into: row)
    return true
  }

  func close() {}
}
