/// The records of a source with derived columns behind their own ones.
final class DerivedSource: RecordSource {
  let layout: ModelLayout
  private let base: any RecordSource
  private let derived: [DerivedColumn]
  private let sources: any RecordSources

  init(_ base: any RecordSource, _ derived: [DerivedColumn], _ sources: any RecordSources) {
    layout = base.layout.extended(by: derived)
    self.base = base
    self.derived = derived
    self.sources = sources
  }

  var key: KeyOffer { base.key }
  var indexes: [IndexOffer] { base.indexes }
  var estimatedCount: Int64 { base.estimatedCount }
  var isCountExact: Bool { base.isCountExact }
  var limits: ExecutionLimits? { base.limits }

  func checkOpen() throws(StoreError) { try base.checkOpen() }

  func appendRecordKey(_ value: ColumnSlot, to key: OrderedKey) {
    base.appendRecordKey(value, to: key)
  }

  func scan(_ path: AccessPath) throws(StoreError) -> any RecordScan {
    let (now, later) = (DerivedSet(path.columns, self), DerivedSet(path.laterColumns, self))
    guard !now.isEmpty || !later.isEmpty else { return try base.scan(path) }
    var own = path
    own.columns = now.baseColumns
    own.laterColumns = later.baseColumns
    return DerivedScan(
      try base.scan(own), try readers(now), try readers(later),
      completes: !own.laterColumns.isEmpty)
  }

  func fetch(columns: [Int]) throws(StoreError) -> any RecordFetch {
    let set = DerivedSet(columns, self)
    guard !set.isEmpty else { return try base.fetch(columns: columns) }
    return DerivedFetch(try base.fetch(columns: set.baseColumns), try readers(set))
  }

  private func readers(_ set: DerivedSet) throws(StoreError) -> [(Int, any DerivedReader)] {
    var readers: [(Int, any DerivedReader)] = []
    for column in set.derivedColumns {
      readers.append((column, try derived[column - layout.storedCount].reader(base, sources)))
    }
    return readers
  }

  /// Columns to read: those of the base, with what the derived ones need, and the derived ones.
  private struct DerivedSet {
    var baseColumns: [Int]
    var derivedColumns: [Int]

    init(_ columns: [Int], _ source: DerivedSource) {
      let stored = source.layout.storedCount
      derivedColumns = columns.filter { $0 >= stored && $0 < source.layout.columns.count }
      guard !derivedColumns.isEmpty else {
        baseColumns = columns
        return
      }
      var base = Set(columns.filter { $0 < stored })
      for column in derivedColumns {
        base.insert(source.derived[column - stored].input(of: source.base.layout))
      }
      baseColumns = base.sorted()
    }

    var isEmpty: Bool { derivedColumns.isEmpty }
  }
}

/// A walk that fills derived columns as well.
private final class DerivedScan: RecordScan {
  private let base: any RecordScan
  private let readers: [(Int, any DerivedReader)]
  private let laterReaders: [(Int, any DerivedReader)]
  private let completes: Bool

  init(
    _ base: any RecordScan, _ readers: [(Int, any DerivedReader)],
    _ laterReaders: [(Int, any DerivedReader)], completes: Bool
  ) {
    self.base = base
    self.readers = readers
    self.laterReaders = laterReaders
    self.completes = completes
  }

  func next(into row: RowBuffer) throws(StoreError) -> Bool { try base.next(into: row) }

  func derive(_ row: RowBuffer) throws(StoreError) {
    for (column, reader) in readers { row[column] = try reader.value(row) }
  }

  func complete(_ row: RowBuffer) throws(StoreError) {
    if completes { try base.complete(row) }
    for (column, reader) in laterReaders { row[column] = try reader.value(row) }
  }

  var recordKey: UnsafeRawBufferPointer { base.recordKey }

  func restart(_ range: KeyRange) throws(StoreError) { try base.restart(range) }

  func close() {
    base.close()
    for (_, reader) in readers + laterReaders { reader.close() }
  }
}

/// Reads records by their keys, with derived columns.
private final class DerivedFetch: RecordFetch {
  private let base: any RecordFetch
  private let readers: [(Int, any DerivedReader)]

  init(_ base: any RecordFetch, _ readers: [(Int, any DerivedReader)]) {
    self.base = base
    self.readers = readers
  }

  func read(_ recordKey: UnsafeRawBufferPointer, into row: RowBuffer) throws(StoreError) -> Bool {
    guard try base.read(recordKey, into: row) else { return false }
    for (column, reader) in readers { row[column] = try reader.value(row) }
    return true
  }

  func close() {
    base.close()
    for (_, reader) in readers { reader.close() }
  }
}
