import KuraCore

/// A walk over entries for the executor.
@safe
final class ForeignScan: RecordScan {
  private let source: ForeignRecordSource
  private let path: AccessPath
  private var walk: EntryWalk
  private var isOpen = true
  private let identity: EntryIdentity

  init(_ source: ForeignRecordSource, _ path: AccessPath) {
    self.source = source
    self.path = path
    identity = EntryIdentity(source.tree)
    walk = ForeignScan.walk(source, path, path.range)
  }

  private static func walk(_ source: ForeignRecordSource, _ path: AccessPath, _ keys: KeyRange)
    -> EntryWalk
  {
    var range = EntryRange()
    range.isReversed = path.isDescending
    if !keys.lower.isEmpty { range.from = keys.lower }
    range.to = keys.upper
    if let bounds = source.bounds {
      range.from = bounds.lower
      range.to = bounds.upper
    }
    let walk = EntryWalk(source.snapshot, source.tree, range)
    let columns = path.columns + path.laterColumns
    walk.readsLongValues = columns.contains { column in
      column == ForeignRecordSource.Column.value || column == ForeignRecordSource.Column.rawValue
    }
    return walk
  }

  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    try source.checkOpen()
    row.reset()
    guard isOpen, try walk.next() else { return false }
    unsafe source.fill(row, path.columns, key: walk.key, value: walk.value)
    return true
  }

  func complete(_ row: RowBuffer) throws(StoreError) {
    unsafe source.fill(row, path.laterColumns, key: walk.key, value: walk.value)
  }

  var recordKey: UnsafeRawBufferPointer { unsafe identity.bytes(walk.key, walk.value) }

  func restart(_ range: KeyRange) throws(StoreError) {
    walk = ForeignScan.walk(source, path, range)
  }

  func close() { isOpen = false }
}

/// Reads entries by what a scan gave as their keys.
final class ForeignFetch: RecordFetch {
  private let source: ForeignRecordSource
  private let columns: [Int]
  private let identity: EntryIdentity
  private var walk: EntryWalk?

  init(_ source: ForeignRecordSource, _ columns: [Int]) {
    self.source = source
    self.columns = columns
    identity = EntryIdentity(source.tree)
  }

  func read(_ recordKey: UnsafeRawBufferPointer, into row: RowBuffer) throws(StoreError) -> Bool {
    try source.checkOpen()
    row.reset()
    let (key, value) = unsafe identity.parts(recordKey)
    let walk = EntryWalk(source.snapshot, source.tree, .key(key))
    self.walk = walk
    while try walk.next() {
      guard unsafe walk.key.elementsEqual(key) else { return false }
      if let value, unsafe !walk.value.elementsEqual(value) { continue }
      unsafe source.fill(row, columns, key: walk.key, value: walk.value)
      return true
    }
    return false
  }

  func close() { walk = nil }
}
