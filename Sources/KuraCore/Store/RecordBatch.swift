/// Rows as they came from a store, packed into one block that the records of a batch share.
///
/// Values are made when they are asked for: a record that is read and passed on costs a copy of its
/// bytes and no allocation of its own.
///
/// `@unchecked Sendable`: rows are added by ``RecordBatches`` only, before any record of the batch is
/// given to somebody.
@usableFromInline
final class RecordBatch: @unchecked Sendable {
  let layout: ModelLayout
  @usableFromInline let columnCount: Int
  private let rowCapacity: Int
  private let byteCapacity: Int
  /// The slots of all rows; what they borrow is counted from ``bytes``, so it has no address.
  private let slots: UnsafeMutablePointer<ColumnSlot>
  private let bytes: UnsafeMutableRawPointer
  private(set) var rowCount = 0
  private(set) var byteCount = 0

  /// What stands in for a record's content while that is changed.
  static let empty = RecordBatch(
    ModelLayout(name: "", columns: [], keyColumns: [], rowIDName: nil, isKuraModel: false),
    columns: 0, rows: 0, bytes: 0)

  init(_ layout: ModelLayout, columns: Int, rows: Int, bytes byteCapacity: Int) {
    self.layout = layout
    columnCount = columns
    rowCapacity = rows
    self.byteCapacity = byteCapacity
    slots = .allocate(capacity: max(1, rows * columns))
    bytes = .allocate(byteCount: max(1, byteCapacity), alignment: 1)
  }

  deinit {
    slots.deallocate()
    bytes.deallocate()
  }

  /// Takes a row as the last one; `false` when it does not fit.
  @inline(__always)
  func add(_ row: RowBuffer, byteCount rowBytes: Int) -> Bool {
    guard rowCount < rowCapacity, rowBytes <= byteCapacity - byteCount else { return false }
    let first = slots + rowCount * columnCount
    for column in 0..<columnCount {
      var slot = row[column]
      if slot.kind.isBorrowed {
        let borrowed = slot.bytes
        if let source = borrowed.baseAddress {
          (bytes + byteCount).copyMemory(from: source, byteCount: borrowed.count)
        }
        slot.word0 = UInt64(byteCount)
        slot.word1 = UInt64(borrowed.count)
        byteCount += borrowed.count
      }
      (first + column).initialize(to: slot)
    }
    rowCount += 1
    return true
  }

  /// The value of a column; null for one out of bounds.
  @usableFromInline
  func value(row: Int, column: Int) -> StoredValue {
    guard row >= 0, row < rowCount, column >= 0, column < columnCount else { return .null }
    var slot = slots[row &* columnCount &+ column]
    if slot.kind.isBorrowed { slot.word0 &+= UInt64(UInt(bitPattern: bytes)) }
    return slot.value
  }
}

/// Packs rows into batches that grow with the result, up to a size that a kept record may hold on to.
struct RecordBatches {
  private static let mostRows = 128
  private static let mostBytes = 32_768

  private let layout: ModelLayout
  private let columnCount: Int
  private var batch: RecordBatch

  init(_ layout: ModelLayout, columns: Int) {
    self.layout = layout
    columnCount = columns
    batch = RecordBatch(layout, columns: columns, rows: 4, bytes: 256)
  }

  /// The record of a row, whose bytes are copied.
  @inline(__always)
  mutating func record(_ row: RowBuffer) -> Record {
    var byteCount = 0
    for column in 0..<columnCount { byteCount += row[column].bytes.count }
    if !batch.add(row, byteCount: byteCount) {
      batch = next(byteCount)
      _ = batch.add(row, byteCount: byteCount)
    }
    return Record(batch, row: batch.rowCount - 1)
  }

  /// An empty batch with room for a row of some bytes, and for more that are like those before.
  private func next(_ byteCount: Int) -> RecordBatch {
    let rows = min(max(4, batch.rowCount * 2), RecordBatches.mostRows)
    let usual = batch.byteCount / max(1, batch.rowCount) + 1
    let bytes = usual < RecordBatches.mostBytes ? min(usual * rows, RecordBatches.mostBytes) : 0
    return RecordBatch(
      layout, columns: columnCount, rows: rows, bytes: max(byteCount, bytes))
  }
}
