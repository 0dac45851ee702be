/// Where a record has its values.
///
/// The header is read through its pointer: `ManagedBuffer.header` checks exclusive access each time.
@usableFromInline
enum RecordContent {
  /// In storage that the record shares with its copies and changes when it is alone.
  case values(ManagedBuffer<RecordStorage.Header, StoredValue>)
  /// In a row of a batch, as it was read.
  case row(RecordBatch, Int)

  /// The number of values.
  var count: Int {
    switch self {
    case .values(let storage): storage.withUnsafeMutablePointerToHeader { $0.pointee.count }
    case .row(let batch, _): batch.columnCount
    }
  }

  /// The value of a column; null for an index out of bounds.
  @usableFromInline subscript(column: Int) -> StoredValue {
    switch self {
    case .values(let storage):
      storage.withUnsafeMutablePointers { header, values in
        guard column >= 0, column < header.pointee.count else { return .null }
        return values[column]
      }
    case .row(let batch, let row): batch.value(row: row, column: column)
    }
  }

  var layout: ModelLayout {
    switch self {
    case .values(let storage):
      storage.withUnsafeMutablePointerToHeader { $0.pointee.layout.takeUnretainedValue() }
    case .row(let batch, _): batch.layout
    }
  }

  /// Takes the content's storage out, as the only one that refers to it.
  @inline(__always)
  mutating func takeStorage() -> ManagedBuffer<RecordStorage.Header, StoredValue> {
    let old = self
    if case .values(var storage) = consume old {
      self = .row(.empty, 0)
      if isKnownUniquelyReferenced(&storage) { return storage }
      self = .values(storage)
    }
    let count = count
    return RecordStorage.make(layout, count: count) { values in
      for index in 0..<count { (values + index).initialize(to: self[index]) }
    }
  }
}
