package import KuraCore

/// The entries of one database as records with the columns `key` and `value`.
///
/// Two more columns have the bytes as they are.
package final class ForeignRecordSource: RecordSource {
  /// The columns of ``layout``.
  package enum Column {
    /// The decoded key.
    package static let key = 0
    /// The decoded value.
    package static let value = 1
    /// The key's bytes.
    package static let rawKey = 2
    /// The value's bytes.
    package static let rawValue = 3
  }

  package let layout: ModelLayout
  package let key: KeyOffer
  package let indexes: [IndexOffer] = []
  package let estimatedCount: Int64
  package let isCountExact = true
  package let limits: ExecutionLimits?
  let snapshot: PageSnapshot
  let tree: PageTree
  let keyDecoder: any EntryDecoder
  let valueDecoder: any EntryDecoder
  private let life: ForeignReadTransaction.Life
  /// The keys of an integer database that a query can need; the second is the first too great.
  var bounds: (lower: [UInt8], upper: [UInt8]?)?
  /// The number of bytes of an integer database's keys.
  let keySize: Int

  init(
    _ snapshot: PageSnapshot, _ database: ForeignDatabase, _ tree: PageTree,
    decoders: (key: (any EntryDecoder)?, value: (any EntryDecoder)?), limits: ExecutionLimits?,
    _ life: ForeignReadTransaction.Life
  ) throws(StoreError) {
    self.snapshot = snapshot
    self.tree = tree
    self.limits = limits
    self.life = life
    estimatedCount = database.entries
    let flags = tree.record.flags
    let isInteger = tree.order == .integer
    keyDecoder = decoders.key ?? (isInteger ? NativeIntegerDecoder() : TextDecoder.keys())
    valueDecoder =
      decoders.value
      ?? (flags.contains(.integerDup) ? NativeIntegerDecoder() : TextDecoder.values())
    layout = ForeignRecordSource.layout(database.name, keyDecoder.type, valueDecoder.type)
    let last = isInteger ? try ForeignRecordSource.lastNumber(snapshot, tree) : nil
    keySize = last?.size ?? 8
    if decoders.key != nil {
      key = KeyOffer(form: .opaque, isOrderTrusted: false)
    } else if isInteger {
      // Greater numbers are none of ours, and their order is not that of the column then.
      key = KeyOffer(form: .opaque, isOrderTrusted: last.map { $0.number >= 0 } ?? true)
    } else {
      key = KeyOffer(
        form: tree.order == .bytes ? .plain : .opaque, isOrderTrusted: tree.order == .bytes)
    }
  }

  /// The layout of a database.
  static func layout(_ name: String, _ key: ValueType, _ value: ValueType) -> ModelLayout {
    ModelLayout(
      name: name,
      columns: [
        .init(name: "key", type: key, isOptional: false),
        .init(name: "value", type: value, isOptional: false),
        .init(name: "key bytes", type: .data, isOptional: false),
        .init(name: "value bytes", type: .data, isOptional: false),
      ], keyColumns: [Column.key], rowIDName: nil, isKuraModel: false)
  }

  /// The greatest number of an integer database and its size, a negative number when it is none of
  /// ours; `nil` without entries.
  private static func lastNumber(_ snapshot: PageSnapshot, _ tree: PageTree) throws(StoreError)
    -> (number: Int64, size: Int)?
  {
    var range = EntryRange()
    range.isReversed = true
    let walk = EntryWalk(snapshot, tree, range)
    walk.readsLongValues = false
    guard try walk.next() else { return nil }
    let number = unsafe NativeIntegerDecoder.number(walk.key).flatMap { Int64(exactly: $0) }
    return unsafe (number ?? -1, walk.key.count)
  }

  package func checkOpen() throws(StoreError) { try life.check() }

  package func scan(_ path: AccessPath) throws(StoreError) -> any RecordScan {
    ForeignScan(self, path)
  }

  package func fetch(columns: [Int]) throws(StoreError) -> any RecordFetch {
    ForeignFetch(self, columns)
  }

  /// Fills all columns of a row from an entry; the row borrows its bytes.
  package func fill(
    _ row: RowBuffer, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  ) {
    row.reset()
    unsafe fill(row, Array(0..<4), key: key, value: value)
  }

  /// Fills columns of a row from an entry.
  func fill(
    _ row: RowBuffer, _ columns: [Int], key: UnsafeRawBufferPointer,
    value: UnsafeRawBufferPointer
  ) {
    for column in columns {
      switch column {
      case Column.key: unsafe keyDecoder.decode(key, into: row, column: column)
      case Column.value: unsafe valueDecoder.decode(value, into: row, column: column)
      case Column.rawKey: row[column] = unsafe ColumnSlot(.data, borrowing: key)
      case Column.rawValue: row[column] = unsafe ColumnSlot(.data, borrowing: value)
      default: break
      }
    }
  }
}
