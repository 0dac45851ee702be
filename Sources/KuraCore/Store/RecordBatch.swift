/// Rows as they came from a store, packed into one block that the records of a batch share.
///
/// Values are made when they are asked for: a record that is read and passed on costs a copy of its
/// bytes and no allocation of its own.
///
/// `@unchecked Sendable`: rows are put into the block by ``RecordBatches`` only, before any record of the
/// batch is given to somebody. It counts them, too: a count that changes here would have its exclusive
/// access checked at run time for each value that is read.
@usableFromInline
final class RecordBatch: @unchecked Sendable {
  let layout: ModelLayout
  let columnCount: Int
  let rowCapacity: Int
  let byteCapacity: Int
  /// The slots of all rows; what they borrow is counted from ``bytes``, so it has no address.
  private let slots: UnsafeMutablePointer<ColumnSlot>
  private let bytes: UnsafeMutableRawPointer

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

  /// Puts a row into the block, for which there is room, and its bytes to an offset.
  @inline(__always)
  func put(_ source: RowBuffer, row: Int, offset: Int) {
    let first = slots + row * columnCount
    var offset = offset
    for column in 0..<columnCount {
      var slot = source[column]
      if slot.kind.isBorrowed {
        let borrowed = slot.bytes
        if let source = borrowed.baseAddress {
          (bytes + offset).copyMemory(from: source, byteCount: borrowed.count)
        }
        slot.word0 = UInt64(offset)
        slot.word1 = UInt64(borrowed.count)
        offset += borrowed.count
      }
      (first + column).initialize(to: slot)
    }
  }

  /// The value of a column; null for one out of bounds.
  func value(row: Int, column: Int) -> StoredValue {
    guard row >= 0, row < rowCapacity, column >= 0, column < columnCount else { return .null }
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
  private var rowCount = 0
  private var byteCount = 0

  init(_ layout: ModelLayout, columns: Int) {
    self.layout = layout
    columnCount = columns
    batch = RecordBatch(layout, columns: columns, rows: 4, bytes: 256)
  }

  /// The record of a row, whose bytes are copied.
  @inline(__always)
  mutating func record(_ row: RowBuffer) -> Record {
    var rowBytes = 0
    for column in 0..<columnCount { rowBytes += row[column].bytes.count }
    if rowCount == batch.rowCapacity || rowBytes > batch.byteCapacity - byteCount {
      begin(rowBytes)
    }
    batch.put(row, row: rowCount, offset: byteCount)
    rowCount += 1
    byteCount += rowBytes
    return Record(batch, row: rowCount - 1)
  }

  /// Begins a batch with room for a row of some bytes, and for more that are like those before.
  private mutating func begin(_ rowBytes: Int) {
    let rows = min(max(4, rowCount * 2), RecordBatches.mostRows)
    let usual = byteCount / max(1, rowCount) + 1
    let bytes = usual < RecordBatches.mostBytes ? min(usual * rows, RecordBatches.mostBytes) : 0
    batch = RecordBatch(layout, columns: columnCount, rows: rows, bytes: max(rowBytes, bytes))
    (rowCount, byteCount) = (0, 0)
  }
}
