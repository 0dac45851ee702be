@testable import KuraCore

/// A source over sorted arrays: keys and entries have the bytes that databases have, cut keys included.
final class ArraySource: RecordSource {
  struct Index {
    var offer: IndexOffer
    var entries: [Entry] = []
  }

  struct Entry {
    var bytes: [UInt8]
    var isCut: Bool
    var record: Int
  }

  let layout: ModelLayout
  var key: KeyOffer
  var indexes: [IndexOffer] { built.map(\.offer) }
  var estimatedCount: Int64
  var isCountExact = true
  var limits: ExecutionLimits?
  var isOpen = true

  /// The records in the order of their database.
  private(set) var records: [(key: [UInt8], values: [StoredValue], row: RowBuffer)] = []
  private var built: [Index] = []

  // What was done, for tests.
  var openScans = 0
  var openFetches = 0
  var readCount = 0
  var fetchCount = 0

  /// Makes a source of rows; those that break a unique index or repeat a key are left out.
  init(
    _ layout: ModelLayout, indexes: [(columns: [Int], isUnique: Bool)] = [],
    rows: [[StoredValue]], form: KeyOffer.Form = .ordered
  ) {
    self.layout = layout
    key = KeyOffer(form: form)
    estimatedCount = 0
    built = indexes.map { columns, isUnique in
      Index(
        offer: IndexOffer(
          name: columns.map { layout.columns[$0].name }.joined(separator: ", "),
          components: columns, isUnique: isUnique, isOrderTrusted: true, estimatedCount: 0))
    }
    var seen: Set<[UInt8]> = []
    var seenUnique: [Set<[UInt8]>] = Array(repeating: [], count: indexes.count)
    for values in rows {
      let row = RowBuffer(columns: values.count)
      for (column, value) in values.enumerated() { row.setValue(value, at: column) }
      let (bytes, isCut) = recordKey(row)
      guard !seen.contains(bytes) else { continue }
      let components = built.map { self.components($0.offer, row) }
      let clashes = built.indices.contains { number in
        built[number].offer.isUnique
          && !built[number].offer.components.contains { row[$0].kind == .null }
          && seenUnique[number].contains(components[number])
      }
      guard !clashes else { continue }
      seen.insert(bytes)
      for number in built.indices { seenUnique[number].insert(components[number]) }
      if isCut { key.isOrderTrusted = false }
      records.append((bytes, values, row))
    }
    records.sort { $0.key.lexicographicallyPrecedes($1.key) }
    for number in built.indices {
      built[number].entries = records.enumerated().map { position, record in
        let whole = components(built[number].offer, record.row) + record.key
        let bytes = ArraySource.cut(whole)
        return Entry(bytes: bytes, isCut: bytes.count < whole.count, record: position)
      }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      built[number].offer.isOrderTrusted = !built[number].entries.contains(where: \.isCut)
      built[number].offer.estimatedCount = Int64(records.count)
    }
    estimatedCount = Int64(records.count)
  }

  private func recordKey(_ row: RowBuffer) -> (bytes: [UInt8], isCut: Bool) {
    let key = OrderedKey()
    for column in layout.keyColumns {
      if self.key.form == .plain { key.append(row[column].bytes) } else { key.append(row[column]) }
    }
    let whole = Array(key.bytes)
    let bytes = ArraySource.cut(whole)
    return (bytes, bytes.count < whole.count)
  }

  private func components(_ offer: IndexOffer, _ row: RowBuffer) -> [UInt8] {
    let key = OrderedKey()
    for column in offer.components { key.appendTagged(row[column]) }
    return Array(key.bytes)
  }

  /// The rule of docs/file-formats.md; the hash is of no matter here, only that it is not the order.
  private static func cut(_ key: [UInt8]) -> [UInt8] {
    guard key.count > 511 else { return key }
    var state: UInt64 = 14_695_981_039_346_656_037
    for byte in key { state = (state ^ UInt64(byte)) &* 1_099_511_628_211 }
    return Array(key.prefix(479))
      + (0..<32).map { UInt8(truncatingIfNeeded: (state &* UInt64($0 * 2 + 1)) >> 24) }
  }

  func checkOpen() throws(StoreError) {
    guard isOpen else { throw StoreError(.transactionEnded, "the transaction has ended") }
  }

  func scan(_ path: AccessPath) throws(StoreError) -> any RecordScan {
    try checkOpen()
    openScans += 1
    let entries: [Entry] =
      switch path.database {
      case .primary:
        records.enumerated().map { Entry(bytes: $1.key, isCut: false, record: $0) }
      case .index(let number): built[number].entries
      }
    return ArrayScan(self, path, entries)
  }

  func fetch(columns: [Int]) throws(StoreError) -> any RecordFetch {
    try checkOpen()
    openFetches += 1
    return ArrayFetch(self, columns)
  }

  /// Fills columns, and everything else with what nobody may look at.
  fileprivate func fill(_ row: RowBuffer, _ record: Int, _ columns: [Int]) {
    for column in columns { row[column] = records[record].row[column] }
  }

  fileprivate static func poison(_ row: RowBuffer) {
    row.reset()
    for column in 0..<row.count { row[column] = ColumnSlot(.objectID, 0xDEAD, 0xBEEF) }
  }

  /// Fills columns from an index entry.
  fileprivate func fill(_ row: RowBuffer, from entry: [UInt8], _ number: Int, _ columns: [Int])
    throws(StoreError)
  {
    let own = RowBuffer(columns: layout.columns.count)
    let isWhole = entry.withUnsafeBytes { bytes in
      var reader = OrderedKeyReader(bytes)
      for column in built[number].offer.components {
        guard reader.readTagged(layout.columns[column].type, into: own, column: column) else {
          return false
        }
      }
      for column in layout.keyColumns {
        guard reader.read(layout.columns[column].type, into: own, column: column) else {
          return false
        }
      }
      for column in columns { row.setValue(own.value(at: column), at: column) }
      return reader.isAtEnd
    }
    guard isWhole else { throw StoreError(.damaged, "an entry cannot be read back") }
  }

  fileprivate func position(of key: UnsafeRawBufferPointer) -> Int? {
    records.firstIndex { $0.key.elementsEqual(key) }
  }
}

private final class ArrayScan: RecordScan {
  private let source: ArraySource
  private let path: AccessPath
  private let entries: [ArraySource.Entry]
  private var left: [Int] = []
  private var current = 0
  private let key = OrderedKey()
  private var isOpen = true

  init(_ source: ArraySource, _ path: AccessPath, _ entries: [ArraySource.Entry]) {
    self.source = source
    self.path = path
    self.entries = entries
    start(path.range)
  }

  private func start(_ range: KeyRange) {
    left = entries.indices.filter { position in
      entries[position].bytes.withUnsafeBytes { range.contains($0) }
    }
    // The next one is the last of the list.
    if !path.isDescending { left.reverse() }
  }

  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    try source.checkOpen()
    guard isOpen else { throw StoreError(.internalError, "the scan is closed") }
    guard let position = left.popLast() else { return false }
    ArraySource.poison(row)
    current = position
    source.readCount += 1
    key.truncate()
    source.records[entries[position].record].key.withUnsafeBytes { key.append($0) }
    guard path.readsEntryOnly, case .index(let number) = path.database else {
      source.fill(row, entries[position].record, path.columns)
      return true
    }
    guard !path.columns.isEmpty else { return true }
    try source.fill(row, from: entries[position].bytes, number, path.columns)
    return true
  }

  func complete(_ row: RowBuffer) throws(StoreError) {
    source.fill(row, entries[current].record, path.laterColumns)
  }

  var recordKey: UnsafeRawBufferPointer { key.bytes }

  func restart(_ range: KeyRange) throws(StoreError) {
    try source.checkOpen()
    start(range)
  }

  func close() {
    if isOpen { source.openScans -= 1 }
    isOpen = false
  }
}

private final class ArrayFetch: RecordFetch {
  private let source: ArraySource
  private let columns: [Int]
  private var isOpen = true

  init(_ source: ArraySource, _ columns: [Int]) {
    self.source = source
    self.columns = columns
  }

  func read(_ recordKey: UnsafeRawBufferPointer, into row: RowBuffer) throws(StoreError) -> Bool {
    try source.checkOpen()
    ArraySource.poison(row)
    source.fetchCount += 1
    guard let position = source.position(of: recordKey) else { return false }
    source.fill(row, position, columns)
    return true
  }

  func close() {
    if isOpen { source.openFetches -= 1 }
    isOpen = false
  }
}
