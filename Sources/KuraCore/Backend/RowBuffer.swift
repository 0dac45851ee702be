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
  @exclusivity(unchecked) @usableFromInline var arena: UnsafeMutableRawPointer
  @exclusivity(unchecked) @usableFromInline var arenaCapacity: Int
  @exclusivity(unchecked) @usableFromInline var arenaUsed = 0

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
  @inlinable public func reset() {
    slots.update(repeating: ColumnSlot(.null), count: max(1, count))
    arenaUsed = 0
  }

  /// Copies bytes into the buffer and makes a column borrow them from it.
  @inlinable
  public func setBytes(_ bytes: UnsafeRawBufferPointer, kind: ColumnSlot.Kind, column: Int) {
    let start = arenaUsed
    let end = start + bytes.count
    if end > arenaCapacity { grow(adding: bytes.count) }
    if let source = bytes.baseAddress, bytes.count > 0 {
      (arena + start).copyMemory(from: source, byteCount: bytes.count)
    }
    arenaUsed = end
    self[column] = ColumnSlot(
      kind, borrowing: UnsafeRawBufferPointer(start: arena + start, count: bytes.count))
  }

  /// Makes room for bytes at the arena's end; slots follow a move.
  @usableFromInline func grow(adding byteCount: Int) {
    let used = arenaUsed
    let capacity = max(used + byteCount, arenaCapacity * 2)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    moved.copyMemory(from: arena, byteCount: used)
    let old = UInt64(UInt(bitPattern: arena))
    let new = UInt64(UInt(bitPattern: moved))
    for column in 0..<count {
      guard slots[column].kind.isBorrowed else { continue }
      let address = slots[column].word0
      if address >= old, address <= old + UInt64(used) {
        slots[column].word0 = new + (address - old)
      }
    }
    arena.deallocate()
    arena = moved
    arenaCapacity = capacity
  }
}
