/// Finds by sorting, for each combination of some columns, the first record in key order.
///
/// The items of its sorter have the combination as key; the payload is the place in key order, what
/// the record is to be sorted by later, and the record's key, followed by the counts of the first
/// and the last of them in four bytes each.
final class DistinctSorter {
  private let sorter: ExternalSorter
  private let combination: SortKeyEncoder
  /// `nil` when the record keys themselves are in key order.
  private let keyOrder: SortKeyEncoder?
  private let seen: SeenKeys?
  private let key = OrderedKey()
  private let payload = OrderedKey()
  private let last = OrderedKey()
  private var isFirst = true

  init(_ columns: [Int], inKeyOrder: Bool, _ source: any RecordSource, memoryLimit: Int) {
    sorter = ExternalSorter(memoryLimit: memoryLimit, limits: source.limits)
    combination = SortKeyEncoder(columns: columns, source.layout)
    keyOrder =
      source.key.isOrderTrusted
      ? nil : SortKeyEncoder(columns: source.layout.keyColumns, source.layout)
    seen = inKeyOrder ? SeenKeys(memoryLimit: memoryLimit / 2) : nil
  }

  /// Adds a record, with the bytes to sort it by later.
  func add(_ row: RowBuffer, recordKey: UnsafeRawBufferPointer, order: UnsafeRawBufferPointer)
    throws(StoreError)
  {
    key.truncate()
    combination.append(row, to: key)
    // In key order only the first record of a combination counts.
    if let seen, seen.add(key.bytes) == .seen { return }
    payload.truncate()
    if let keyOrder { keyOrder.append(row, to: payload) }
    if keyOrder == nil { payload.append(recordKey) }
    let placeCount = payload.count
    payload.append(order)
    payload.append(recordKey)
    appendCount(placeCount)
    appendCount(recordKey.count)
    try sorter.add(key.bytes, payload.bytes)
  }

  func finish() throws(StoreError) { try sorter.finish() }

  /// Moves to the first record of the next combination.
  func next() throws(StoreError) -> Bool {
    while try sorter.next() {
      let key = sorter.key
      if !isFirst, key.elementsEqual(last.bytes) { continue }
      isFirst = false
      last.truncate()
      last.append(key)
      return true
    }
    return false
  }

  /// The bytes to sort the record by.
  var order: UnsafeRawBufferPointer {
    let payload = sorter.payload
    return part(payload, from: count(payload, 8), to: payload.count - 8 - count(payload, 4))
  }

  /// The record's key.
  var recordKey: UnsafeRawBufferPointer {
    let payload = sorter.payload
    return part(payload, from: payload.count - 8 - count(payload, 4), to: payload.count - 8)
  }

  private func appendCount(_ count: Int) {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: count)) { payload.append($0) }
  }

  private func count(_ payload: UnsafeRawBufferPointer, _ distance: Int) -> Int {
    guard payload.count >= distance else { return 0 }
    return Int(
      payload.loadUnaligned(fromByteOffset: payload.count - distance, as: UInt32.self))
  }

  private func part(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int)
    -> UnsafeRawBufferPointer
  {
    guard start >= 0, start <= end, end <= bytes.count else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }
}
