/// The values of one row on their way between a backend and a record, reused from row to row.
///
/// A cursor fills the slots with borrowed values; a writer fills them with values that the buffer
/// owns. Neither allocates for a row once the buffer has grown to the largest row. A buffer belongs
/// to one thread at a time.
public final class RowBuffer {
  /// The number of columns.
  public let count: Int
  @usableFromInline let slots: UnsafeMutablePointer<ColumnSlot>
  // A buffer belongs to one thread and nothing is called back while its members change: exclusive access
  // need not be checked for each value that is written.
  @exclusivity(unchecked) private var arena: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var arenaCapacity: Int
  @exclusivity(unchecked) private var arenaUsed = 0

  /// Makes a buffer for rows of a number of columns.
  public init(columns count: Int) {
    self.count = count
    slots = .allocate(capacity: max(1, count))
    slots.initialize(repeating: ColumnSlot(.null), count: max(1, count))
    arenaCapacity = 256
    arena = .allocate(byteCount: arenaCapacity, alignment: 16)
  }

  deinit {
    slots.deallocate()
    arena.deallocate()
  }

  /// The slot of a column; an index out of bounds reads as null and ignores what is assigned.
  @inlinable public subscript(column: Int) -> ColumnSlot {
    get {
      guard column >= 0, column < count else { return ColumnSlot(.null) }
      return slots[column]
    }
    set {
      guard column >= 0, column < count else { return }
      slots[column] = newValue
    }
  }

  /// The slots, for loops that have compared their columns with ``count``: no other bounds are checked.
  @inlinable package var storage: UnsafeMutablePointer<ColumnSlot> { slots }

  /// Makes every slot null and forgets the bytes that the buffer owns.
  public func reset() {
    slots.update(repeating: ColumnSlot(.null), count: max(1, count))
    arenaUsed = 0
  }

  /// Copies bytes into the buffer and makes a column borrow them from it.
  public func setBytes(_ bytes: UnsafeRawBufferPointer, kind: ColumnSlot.Kind, column: Int) {
    let start = reserve(bytes.count)
    if let source = bytes.baseAddress, bytes.count > 0 {
      (arena + start).copyMemory(from: source, byteCount: bytes.count)
    }
    self[column] = ColumnSlot(
      kind, borrowing: UnsafeRawBufferPointer(start: arena + start, count: bytes.count))
  }

  /// Makes room for bytes at the arena's end and returns their offset; slots follow a move.
  private func reserve(_ byteCount: Int) -> Int {
    let start = arenaUsed
    let needed = start + byteCount
    if needed > arenaCapacity {
      let capacity = max(needed, arenaCapacity * 2)
      let moved = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
      moved.copyMemory(from: arena, byteCount: start)
      let old = UInt64(UInt(bitPattern: arena))
      let new = UInt64(UInt(bitPattern: moved))
      for column in 0..<count {
        guard slots[column].kind.isBorrowed else { continue }
        let address = slots[column].word0
        if address >= old, address <= old + UInt64(start) {
          slots[column].word0 = new + (address - old)
        }
      }
      arena.deallocate()
      arena = moved
      arenaCapacity = capacity
    }
    arenaUsed = needed
    return start
  }
}
