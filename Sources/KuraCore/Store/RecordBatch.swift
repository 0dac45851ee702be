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
  let slots: UnsafeMutablePointer<ColumnSlot>
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

  /// Puts a row of ``columnCount`` slots into the block, in a place that there is, and its bytes to an
  /// offset.
  ///
  /// - Returns: The offset behind the bytes; -1 when there is no room for them.
  @inline(__always)
  func put(_ source: UnsafeMutablePointer<ColumnSlot>, row: Int, offset: Int) -> Int {
    let first = slots + row &* columnCount
    var offset = offset
    for column in 0..<columnCount {
      var slot = source[column]
      if slot.kind.isBorrowed {
        let borrowed = slot.bytes
        guard borrowed.count <= byteCapacity &- offset else { return -1 }
        if let source = borrowed.baseAddress {
          (bytes + offset).copyMemory(from: source, byteCount: borrowed.count)
        }
        slot.word0 = UInt64(truncatingIfNeeded: offset)
        slot.word1 = UInt64(truncatingIfNeeded: borrowed.count)
        offset &+= borrowed.count
      }
      (first + column).initialize(to: slot)
    }
    return offset
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
  private var rowCapacity = 4
  private var rowCount = 0
  private var byteCount = 0

  init(_ layout: ModelLayout, columns: Int) {
    self.layout = layout
    columnCount = columns
    batch = RecordBatch(layout, columns: columns, rows: rowCapacity, bytes: 256)
  }

  /// The record of a row of as many columns, whose bytes are copied.
  @inline(__always)
  mutating func record(_ row: RowBuffer) -> Record {
    if rowCount < rowCapacity {
      let end = batch.put(row.storage, row: rowCount, offset: byteCount)
      if end >= 0 {
        byteCount = end
        rowCount &+= 1
        return Record(batch, row: rowCount &- 1)
      }
    }
    return firstRecord(row)
  }

  /// The record of a row in a new batch.
  @inline(never)
  private mutating func firstRecord(_ row: RowBuffer) -> Record {
    var rowBytes = 0
    for column in 0..<columnCount { rowBytes += row[column].bytes.count }
    begin(rowBytes)
    byteCount = batch.put(row.storage, row: 0, offset: 0)
    rowCount = 1
    return Record(batch, row: 0)
  }

  /// Begins a batch with room for a row of some bytes, and for more that are like those before.
  private mutating func begin(_ rowBytes: Int) {
    let rows = min(max(4, rowCount * 2), RecordBatches.mostRows)
    let usual = byteCount / max(1, rowCount) + 1
    let bytes = usual < RecordBatches.mostBytes ? min(usual * rows, RecordBatches.mostBytes) : 0
    batch = RecordBatch(layout, columns: columnCount, rows: rows, bytes: max(rowBytes, bytes))
    (rowCapacity, rowCount, byteCount) = (rows, 0, 0)
  }
}
