import KuraCore

/// Writes the values of records of one model into a buffer that is reused: no allocation per record.
@safe final class RecordWriter {
  private struct Step: BitwiseCopyable {
    var column: Int
    var form: ValueForm
    /// The bytes of the payload of the record at hand.
    var length = 0
  }

  private let model: String
  // A pointer, because an array would be counted and checked for each record. A writer belongs to one
  // thread and calls nothing back, so exclusive access need not be checked either.
  private let steps: UnsafeMutablePointer<Step>
  private let stepCount: Int
  private let columnCount: Int
  private let keyCount: Int
  private let header: UInt64
  @exclusivity(unchecked) private var storage: UnsafeMutableRawPointer
  private var capacity: Int

  /// Makes a writer of rows that have a binding's columns, one for each property.
  init(_ binding: ModelBinding) {
    let model = binding.model
    self.model = model.name
    keyCount = model.primaryKey.count
    header = UInt64(binding.shapeNumber) << 1
    var all: [Step] = []
    for id in model.primaryKey + model.currentShape {
      guard let column = binding.column(id) else { continue }
      all.append(Step(column: column, form: binding.forms[column]))
    }
    stepCount = all.count
    columnCount = (all.map(\.column).max() ?? -1) + 1
    unsafe steps = .allocate(capacity: max(1, all.count))
    for (index, step) in all.enumerated() { unsafe (steps + index).initialize(to: step) }
    capacity = 512
    unsafe storage = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    unsafe steps.deallocate()
    unsafe storage.deallocate()
  }

  /// The bytes of a record; valid until the next call.
  ///
  /// - Parameter storesKey: Whether the key properties are stored as well, because the record's key
  ///   does not give them back exactly.
  /// - Throws: ``StoreError/Code/limitReached`` for records of 4 GiB and more.
  func write(_ row: RowBuffer, storesKey: Bool) throws(StoreError) -> UnsafeRawBufferPointer {
    guard row.count >= columnCount else {
      throw StoreError(.internalError, "a row has fewer columns than \"\(model)\"")
    }
    let first = storesKey ? 0 : keyCount
    let slots = unsafe row.storage
    if let bytes = unsafe writeShort(slots, first, storesKey: storesKey) { return unsafe bytes }
    reserve(10 + 5 * stepCount, keeping: 0)
    var offset = appendHeader(header | (storesKey ? 1 : 0))
    var total = 0
    for index in first..<max(first, stepCount) {
      let slot = unsafe slots[steps[index].column]
      guard slot.kind != .null else {
        unsafe steps[index].length = 0
        unsafe storage.storeBytes(of: 0xFF, toByteOffset: offset, as: UInt8.self)
        offset += 1
        continue
      }
      let length = unsafe steps[index].form.byteCount(slot)
      unsafe steps[index].length = length
      total += length
      if length <= 0xFB {
        unsafe storage.storeBytes(
          of: UInt8(truncatingIfNeeded: length), toByteOffset: offset, as: UInt8.self)
        offset += 1
      } else {
        offset = appendLongLength(length, offset)
      }
    }
    guard total < Int(UInt32.max) - offset else {
      throw StoreError(
        .limitReached, "a record of \"\(model)\" is larger than LMDB allows",
        expected: "less than 4,294,967,295 bytes")
    }
    reserve(offset + total + 16, keeping: offset)
    for index in first..<max(first, stepCount) {
      let step = unsafe steps[index]
      guard step.length > 0 else { continue }
      unsafe step.form.write(slots[step.column], step.length, to: storage + offset)
      offset += step.length
    }
    return unsafe UnsafeRawBufferPointer(start: storage, count: offset)
  }

  /// The same in one pass, for records with short values and a header of one byte; `nil` for others.
  @inline(__always)
  private func writeShort(
    _ slots: UnsafeMutablePointer<ColumnSlot>, _ first: Int, storesKey: Bool
  ) -> UnsafeRawBufferPointer? {
    let header = header | (storesKey ? 1 : 0)
    let target = unsafe storage
    let end = capacity &- 16
    var offset = 1 &+ stepCount &- first
    guard header < 0x80, offset <= end, first <= stepCount else { return nil }
    unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: header), as: UInt8.self)
    var entry = 1
    var step = unsafe steps + first
    let last = unsafe steps + stepCount
    while unsafe step < last {
      let slot = unsafe slots + step.pointee.column
      let form = unsafe step.pointee.form
      unsafe step += 1
      var length = 0xFF
      if unsafe slot.pointee.kind != .null {
        length = unsafe form.byteCount(slot.pointee)
        guard length <= 0xFB, offset &+ length <= end else { return nil }
        unsafe form.write(slot.pointee, length, to: target + offset)
        offset &+= length
      }
      unsafe target.storeBytes(
        of: UInt8(truncatingIfNeeded: length), toByteOffset: entry, as: UInt8.self)
      entry &+= 1
    }
    return unsafe UnsafeRawBufferPointer(start: target, count: offset)
  }

  @inline(__always)
  private func appendHeader(_ header: UInt64) -> Int {
    var (rest, offset) = (header, 0)
    while rest >= 0x80 {
      unsafe storage.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: offset, as: UInt8.self)
      rest >>= 7
      offset += 1
    }
    unsafe storage.storeBytes(
      of: UInt8(truncatingIfNeeded: rest), toByteOffset: offset, as: UInt8.self)
    return offset + 1
  }

  private func appendLongLength(_ length: Int, _ offset: Int) -> Int {
    if length <= 0xFFFF {
      unsafe storage.storeBytes(of: 0xFC, toByteOffset: offset, as: UInt8.self)
      unsafe storage.storeBytes(
        of: UInt16(truncatingIfNeeded: length).littleEndian, toByteOffset: offset + 1,
        as: UInt16.self)
      return offset + 3
    }
    unsafe storage.storeBytes(of: 0xFD, toByteOffset: offset, as: UInt8.self)
    unsafe storage.storeBytes(
      of: UInt32(truncatingIfNeeded: length).littleEndian, toByteOffset: offset + 1,
      as: UInt32.self)
    return offset + 5
  }

  @inline(__always)
  private func reserve(_ byteCount: Int, keeping used: Int) {
    guard byteCount > capacity else { return }
    grow(byteCount, keeping: used)
  }

  @inline(never)
  private func grow(_ byteCount: Int, keeping used: Int) {
    let larger = max(byteCount, capacity * 2)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    unsafe moved.copyMemory(from: storage, byteCount: used)
    unsafe storage.deallocate()
    unsafe storage = moved
    capacity = larger
  }
}
