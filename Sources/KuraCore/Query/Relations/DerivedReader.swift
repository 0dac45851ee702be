/// Where the records of all models of a snapshot are, for queries that go from one to another.
package protocol RecordSources: AnyObject {
  /// The records of a model.
  func recordSource(_ layout: ModelLayout) throws(StoreError) -> any RecordSource
}

/// Reads one derived column, for one record after the other.
protocol DerivedReader: AnyObject {
  /// The value for a record; borrowed until the next call.
  func value(_ row: RowBuffer) throws(StoreError) -> ColumnSlot

  /// Frees what reading holds; more calls do nothing.
  func close()
}

extension DerivedColumn {
  /// The column of the record that the value depends on.
  func input(of layout: ModelLayout) -> Int {
    if let first = steps.first { return first.column }
    switch content {
    case .column(let column), .membership(let column, _): return column
    case .list: return layout.keyColumns.first ?? 0
    }
  }

  /// What reads the column for the records of a source.
  func reader(_ base: any RecordSource, _ sources: any RecordSources) throws(StoreError)
    -> any DerivedReader
  {
    let input = input(of: base.layout)
    switch content {
    case .column(let column):
      return try PathReader(input, steps, taking: column, sources)
    case .list(let number):
      // The last reference is the key of the list's owner already.
      let owner = steps.last.map(\.column) ?? 0
      let path =
        try steps.isEmpty ? nil : PathReader(input, steps.dropLast(), taking: owner, sources)
      return try ListNumberReader(number, input, path, sources)
    case .membership(let column, let subquery):
      return try subquery.membershipReader(column, sources)
    }
  }
}

/// Reads records of a model by the value of its only key column.
final class RecordLookup {
  /// The record that was read last; valid until the next one is read.
  let row: RowBuffer
  private let source: any RecordSource
  private let fetch: any RecordFetch
  private let key = OrderedKey()

  init(_ source: any RecordSource, columns: some Sequence<Int>) throws(StoreError) {
    self.source = source
    row = RowBuffer(columns: source.layout.columns.count)
    fetch = try source.fetch(columns: Set(columns).sorted())
  }

  /// Reads the record of a key; `false` when there is none.
  func read(_ value: ColumnSlot) throws(StoreError) -> Bool {
    guard value.kind != .null else { return false }
    key.truncate()
    source.appendRecordKey(value, to: key)
    return try fetch.read(key.bytes, into: row)
  }

  func close() { fetch.close() }
}

/// Follows references to a column of the record at their end.
final class PathReader: DerivedReader {
  private let input: Int
  private let lookups: [RecordLookup]
  /// The column to take of each of the records.
  private let columns: [Int]

  init(
    _ input: Int, _ steps: some Collection<DerivedColumn.Step>, taking column: Int,
    _ sources: any RecordSources
  ) throws(StoreError) {
    self.input = input
    columns = steps.dropFirst().map(\.column) + [column]
    var lookups: [RecordLookup] = []
    for (place, step) in steps.enumerated() {
      lookups.append(
        try RecordLookup(try sources.recordSource(step.target), columns: [columns[place]]))
    }
    self.lookups = lookups
  }

  func value(_ row: RowBuffer) throws(StoreError) -> ColumnSlot {
    var slot = row[input]
    for (place, lookup) in lookups.enumerated() {
      guard try lookup.read(slot) else { return ColumnSlot(.null) }
      slot = lookup.row[columns[place]]
    }
    return slot
  }

  func close() { for lookup in lookups { lookup.close() } }
}
