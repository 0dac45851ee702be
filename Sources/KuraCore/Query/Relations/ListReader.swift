/// Walks over the records whose first key column has a value: the elements of a list.
final class ListWalk {
  /// How many elements are walked between two looks at the limits.
  private static let interval = 4096

  /// The element that the walk is at.
  let row: RowBuffer
  private let source: any RecordSource
  private let owner: Int
  private let columns: [Int]
  private var scan: (any RecordScan)?
  private let key = OrderedKey()
  private let ownerRow = RowBuffer(columns: 1)
  private var untilCheck = ListWalk.interval

  init(_ source: any RecordSource, columns: some Sequence<Int>) {
    self.source = source
    owner = source.layout.keyColumns.first ?? 0
    self.columns = Set(columns).union([owner]).sorted()
    row = RowBuffer(columns: source.layout.columns.count)
  }

  /// Moves before the first element of an owner.
  func begin(_ value: ColumnSlot) throws(StoreError) {
    ownerRow.reset()
    ownerRow.copy(value, to: 0)
    key.truncate()
    key.append(ownerRow[0])
    // Long keys are cut; the owner is compared then.
    key.truncate(to: OrderedKey.longestBound)
    var range = KeyRange(lower: Array(key.bytes))
    if key.advancePastPrefix() { range.upper = Array(key.bytes) }
    if let scan {
      try scan.restart(range)
    } else {
      scan = try source.scan(AccessPath(.primary, range: range, columns: columns))
    }
  }

  /// Moves to the owner's next element.
  func next() throws(StoreError) -> Bool {
    guard let scan else { return false }
    while try scan.next(into: row) {
      untilCheck -= 1
      if untilCheck <= 0 {
        untilCheck = ListWalk.interval
        try source.limits?.check()
      }
      guard row[owner].order(to: ownerRow[0]) == 0 else { continue }
      try scan.derive(row)
      return true
    }
    return false
  }

  func close() {
    scan?.close()
    scan = nil
  }
}

/// Computes a number over a list's records.
final class ListNumberReader: DerivedReader {
  private let input: Int
  private let path: PathReader?
  private let elements: ListWalk
  private let target: Int
  /// `nil` when only the elements are counted.
  private let records: RecordLookup?
  private let matcher: ConditionMatcher
  private var accumulator: Accumulator
  private let result = RowBuffer(columns: 1)

  /// - Parameter path: What leads to the list's owner; `nil` when the record is it.
  init(
    _ number: BoundListNumber, _ input: Int, _ path: PathReader?, _ sources: any RecordSources
  ) throws(StoreError) {
    self.input = input
    self.path = path
    target = try number.keeper.column(named: ListDescription.target)
    elements = ListWalk(try sources.recordSource(number.keeper), columns: [target])
    let prepared = try PreparedQuery(
      BoundQuery(
        layout: number.target, condition: number.condition, columns: [], derived: number.derived),
      sources, looksUpKeys: true)
    let condition = prepared.query.condition
    matcher = ConditionMatcher(condition)
    accumulator = Accumulator(number.function, number.rowLayout, place: number.function.column)
    var columns = condition.columns
    if let column = number.function.column { columns.insert(column) }
    records =
      number.countsElements ? nil : try RecordLookup(prepared.source, columns: columns)
  }

  func value(_ row: RowBuffer) throws(StoreError) -> ColumnSlot {
    let owner = try path?.value(row) ?? row[input]
    guard owner.kind != .null else { return ColumnSlot(.null) }
    accumulator.reset()
    try elements.begin(owner)
    while try elements.next() {
      guard let records else {
        accumulator.add(elements.row)
        continue
      }
      guard try records.read(elements.row[target]), matcher.matches(records.row) else { continue }
      accumulator.add(records.row)
    }
    result.reset()
    // A sum that its type cannot have is no value, as in arithmetic.
    result.setValue((try? accumulator.result()) ?? .null, at: 0)
    return result[0]
  }

  func close() {
    path?.close()
    elements.close()
    records?.close()
  }
}
