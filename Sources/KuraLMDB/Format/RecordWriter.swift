import KuraCore

/// Writes the values of records of one model into a buffer that is reused: no allocation per record.
@safe final class RecordWriter {
  private struct Step {
    var column: Int
    var form: ValueForm
  }

  private let model: String
  private let steps: [Step]
  private let keyCount: Int
  private let header: UInt64
  private var lengths: [Int]
  private var storage: UnsafeMutableRawPointer
  private var capacity: Int

  /// Makes a writer of rows that have a binding's columns, one for each property.
  init(_ binding: ModelBinding) {
    let model = binding.model
    self.model = model.name
    keyCount = model.primaryKey.count
    header = UInt64(binding.shapeNumber) << 1
    var steps: [Step] = []
    for id in model.primaryKey + model.currentShape {
      guard let column = binding.column(id) else { continue }
      steps.append(Step(column: column, form: binding.forms[column]))
    }
    self.steps = steps
    lengths = [Int](repeating: 0, count: steps.count)
    capacity = 512
    unsafe storage = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { unsafe storage.deallocate() }

  /// The bytes of a record; valid until the next call.
  ///
  /// - Parameter storesKey: Whether the key properties are stored as well, because the record's key
  ///   does not give them back exactly.
  /// - Throws: ``StoreError/Code/limitReached`` for records of 4 GiB and more.
  func write(_ row: RowBuffer, storesKey: Bool) throws(StoreError) -> UnsafeRawBufferPointer {
    let first = storesKey ? 0 : keyCount
    reserve(10 + 5 * steps.count, keeping: 0)
    var offset = appendHeader(header | (storesKey ? 1 : 0))
    var total = 0
    for index in first..<max(first, steps.count) {
      let slot = row[steps[index].column]
      guard slot.kind != .null else {
        lengths[index] = 0
        unsafe storage.storeBytes(of: 0xFF, toByteOffset: offset, as: UInt8.self)
        offset += 1
        continue
      }
      let length = steps[index].form.byteCount(slot)
      lengths[index] = length
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
    for index in first..<max(first, steps.count) where lengths[index] > 0 {
      unsafe steps[index].form.write(
        row[steps[index].column], lengths[index], to: storage + offset)
      offset += lengths[index]
    }
    return unsafe UnsafeRawBufferPointer(start: storage, count: offset)
  }

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

  private func reserve(_ byteCount: Int, keeping used: Int) {
    guard byteCount > capacity else { return }
    let larger = max(byteCount, capacity * 2)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    unsafe moved.copyMemory(from: storage, byteCount: used)
    unsafe storage.deallocate()
    unsafe storage = moved
    capacity = larger
  }
}
