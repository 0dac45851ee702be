/// Makes the rows of an observed query inside one transaction.
final class RowMaker<Element: Sendable> {
  /// Makes what the observer gets of a row, and what its lists hold.
  typealias Decode = (RowBuffer, RecordKey) throws(StoreError) -> (Element, [[StoredListElement]])

  private let plan: ObservationPlan
  private let transaction: any EngineReadTransaction
  private let decode: Decode
  private let encoder: SortKeyEncoder
  private let order = OrderedKey()
  private let keyRow: RowBuffer
  private let row: RowBuffer

  init(
    _ plan: ObservationPlan, _ transaction: any EngineReadTransaction, _ decode: @escaping Decode
  ) {
    self.plan = plan
    self.transaction = transaction
    self.decode = decode
    let layout = plan.query.layout
    encoder = SortKeyEncoder(plan.query.order, layout)
    keyRow = RowBuffer(columns: layout.columns.count)
    row = RowBuffer(columns: layout.columns.count)
  }

  /// All rows of the query, in its order.
  func all() throws(StoreError) -> [ObservedRow<Element>] {
    let cursor = try transaction.cursor(for: plan.query)
    defer { cursor.close() }
    var rows: [ObservedRow<Element>] = []
    rows.reserveCapacity(max(0, min(cursor.expectedCount, 1 << 20)))
    var isSorted = true
    var anonymous: Int64 = 0
    while try cursor.next(into: row) {
      anonymous += 1
      let made = try make(number: anonymous)
      if let last = rows.last, plan.reasonToRerun == nil, !last.order.precedes(made.order) {
        isSorted = false
      }
      rows.append(made)
    }
    // Changed records are looked for by these bytes, whatever a backend thinks of equal ones.
    if !isSorted { rows.sort { $0.order.precedes($1.order) } }
    return rows
  }

  /// The row of a key; `nil` when there is no such record or the query does not hold for it.
  func one(_ key: RecordKey, _ matcher: ConditionMatcher) throws(StoreError) -> ObservedRow<
    Element
  >? {
    row.reset()
    guard try transaction.record(key, in: plan.query.layout, into: row), matcher.matches(row) else {
      return nil
    }
    return try make(number: 0)
  }

  /// Where a record stands, by its key alone.
  func order(of key: RecordKey) -> [UInt8] {
    keyRow.reset()
    for (column, value) in zip(plan.query.layout.keyColumns, key.values) {
      keyRow.setValue(value, at: column)
    }
    return bytes(keyRow)
  }

  private func bytes(_ row: RowBuffer) -> [UInt8] {
    order.truncate()
    encoder.append(row, to: order)
    return Array(order.bytes)
  }

  private func make(number: Int64) throws(StoreError) -> ObservedRow<Element> {
    let layout = plan.query.layout
    // A record without a key is known by its place.
    let key =
      RecordKey(layout.keyColumns.map { row.value(at: $0) }) ?? RecordKey(.integer(number))
    var fingerprint = Fingerprint(row, columns: plan.columns)
    let order = plan.reasonToRerun == nil ? bytes(row) : []
    let (element, lists) = try decode(row, key)
    if plan.tellsAll, !lists.isEmpty { fingerprint = Fingerprint(fingerprint, lists) }
    return ObservedRow(key, order: order, fingerprint, element)
  }
}

extension [UInt8] {
  /// Whether the bytes come before others.
  func precedes(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { left in
      other.withUnsafeBytes { right in
        for index in 0..<Swift.min(left.count, right.count) where left[index] != right[index] {
          return left[index] < right[index]
        }
        return left.count < right.count
      }
    }
  }
}
