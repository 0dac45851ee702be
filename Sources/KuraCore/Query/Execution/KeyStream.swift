/// The record keys of a plan in the query's order, for plans that sort.
final class KeyStream {
  private let plan: QueryPlan
  private let source: any RecordSource
  private let stream: RowStream
  private let row: RowBuffer
  private let memoryLimit: Int
  /// The terms by which records are sorted; the record's key, which is the payload, decides ties.
  private let encoder: SortKeyEncoder
  /// The terms of which the walk serves the order.
  private let prefixEncoder: SortKeyEncoder
  private let groupsByPrefix: Bool
  private let key = OrderedKey()

  private var sorter: ExternalSorter?
  private var distinctSorter: DistinctSorter?
  private let adjacent: AdjacentDistinct?
  private var isPrepared = false

  // The first record of the next group.
  private let prefix = OrderedKey()
  private let pendingPrefix = OrderedKey()
  private let pendingKey = OrderedKey()
  private let pendingRecordKey = OrderedKey()
  private var hasPending = false
  private var isAtEnd = false

  init(_ plan: QueryPlan, _ source: any RecordSource, memoryLimit: Int) {
    self.plan = plan
    self.source = source
    self.memoryLimit = memoryLimit
    stream = RowStream(plan, source)
    row = RowBuffer(columns: source.layout.columns.count)
    var served = 0
    if case .grouped(let count) = plan.order { served = count }
    groupsByPrefix = served > 0
    prefixEncoder = SortKeyEncoder(plan.terms.prefix(served), source.layout)
    encoder = SortKeyEncoder(
      KeyStream.withoutKey(Array(plan.terms.dropFirst(served)), source), source.layout)
    adjacent =
      if case .adjacent(let columns) = plan.distinct {
        AdjacentDistinct(columns, source.layout)
      } else {
        nil
      }
  }

  /// Terms without the key's columns at their end, when the record's key has the same order.
  private static func withoutKey(_ terms: [BoundSortTerm], _ source: any RecordSource)
    -> [BoundSortTerm]
  {
    guard source.key.isOrderTrusted else { return terms }
    let keys = source.layout.keyColumns
    var terms = terms
    var tail: [Int] = []
    while let last = terms.last, !last.isDescending, keys.contains(last.column) {
      tail.insert(last.column, at: 0)
      terms.removeLast()
    }
    // What stays of the key decides before it does; the others are constant or in order.
    let rest = keys.filter { tail.contains($0) }
    return rest == tail ? terms : terms + tail.map { BoundSortTerm(column: $0) }
  }

  /// Moves to the next record.
  func next() throws(StoreError) -> Bool {
    if !isPrepared {
      isPrepared = true
      if !groupsByPrefix { try prepare() }
    }
    if let distinctSorter { return try distinctSorter.next() }
    while true {
      if let sorter, try sorter.next() { return true }
      guard groupsByPrefix, try readGroup() else { return false }
    }
  }

  /// The current record's key; valid until the next call of ``next()``.
  var recordKey: UnsafeRawBufferPointer {
    if let distinctSorter { return distinctSorter.recordKey }
    return sorter?.payload ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  func close() {
    stream.close()
    sorter = nil
    distinctSorter = nil
  }

  private func makeSorter() -> ExternalSorter {
    let wanted = plan.query.limit.map { limit in
      let (sum, overflow) = limit.addingReportingOverflow(plan.query.offset)
      return overflow ? Int.max : sum
    }
    return ExternalSorter(wanted: wanted, memoryLimit: memoryLimit, limits: source.limits)
  }

  /// Reads and sorts everything.
  private func prepare() throws(StoreError) {
    guard case .sorted(let columns, let inKeyOrder) = plan.distinct else {
      let sorter = makeSorter()
      while try nextRow() {
        key.truncate()
        encoder.append(row, to: key)
        try sorter.add(key.bytes, stream.recordKey)
      }
      stream.close()
      try sorter.finish()
      self.sorter = sorter
      return
    }
    let first = DistinctSorter(columns, inKeyOrder: inKeyOrder, source, memoryLimit: memoryLimit)
    while try stream.next(into: row) {
      key.truncate()
      if plan.order == .sorted { encoder.append(row, to: key) }
      try first.add(row, recordKey: stream.recordKey, order: key.bytes)
    }
    stream.close()
    try first.finish()
    guard plan.order == .sorted else {
      distinctSorter = first
      return
    }
    let sorter = makeSorter()
    while try first.next() { try sorter.add(first.order, first.recordKey) }
    try sorter.finish()
    self.sorter = sorter
  }

  private func nextRow() throws(StoreError) -> Bool {
    while try stream.next(into: row) {
      if adjacent?.isNew(row) ?? true { return true }
    }
    return false
  }

  /// Reads and sorts the records that are equal in the terms that the walk serves.
  private func readGroup() throws(StoreError) -> Bool {
    let sorter = self.sorter ?? makeSorter()
    self.sorter = sorter
    try sorter.reset()
    guard hasPending || !isAtEnd else { return false }
    var isEmpty = true
    if hasPending {
      prefix.truncate()
      prefix.append(pendingPrefix.bytes)
      try sorter.add(pendingKey.bytes, pendingRecordKey.bytes)
      hasPending = false
      isEmpty = false
    }
    while !isAtEnd {
      guard try nextRow() else {
        isAtEnd = true
        stream.close()
        break
      }
      pendingPrefix.truncate()
      prefixEncoder.append(row, to: pendingPrefix)
      key.truncate()
      encoder.append(row, to: key)
      if isEmpty {
        prefix.truncate()
        prefix.append(pendingPrefix.bytes)
        isEmpty = false
      } else if !prefix.bytes.elementsEqual(pendingPrefix.bytes) {
        pendingKey.truncate()
        pendingKey.append(key.bytes)
        pendingRecordKey.truncate()
        pendingRecordKey.append(stream.recordKey)
        hasPending = true
        break
      }
      try sorter.add(key.bytes, stream.recordKey)
    }
    try sorter.finish()
    return !isEmpty
  }
}
