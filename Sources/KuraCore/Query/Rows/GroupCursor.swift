/// The groups of records that come in the order of their groups.
final class GroupCursor: RecordCursor {
  let columnNames: [String]
  private let rows: BoundRows
  private let cursor: any RecordCursor
  /// Where the columns of groups stand in what the cursor reads.
  private let groupPlaces: [Int]
  /// Where each column stands.
  private let places: [Int: Int]
  /// The record that was read last.
  private let record: RowBuffer
  /// The values of the group.
  private let group: RowBuffer
  /// What a group must fulfil, and the row that is looked at.
  private let filter: (matcher: ConditionMatcher, row: RowBuffer)?
  private var hasRecord = false
  private var isAtEnd = false
  private var toSkip: Int
  private var left: Int

  init(_ rows: BoundRows, _ groups: [Int], _ cursor: any RecordCursor) {
    self.rows = rows
    self.cursor = cursor
    columnNames = rows.columnNames
    let places = rows.walked.places
    self.places = places
    groupPlaces = groups.map { places[$0] ?? 0 }
    record = RowBuffer(columns: places.count)
    group = RowBuffer(columns: groups.count)
    filter = rows.filter.map { filter in
      (ConditionMatcher(filter.condition), RowBuffer(columns: filter.layout.columns.count))
    }
    toSkip = rows.offset
    left = rows.limit ?? .max
  }

  deinit { close() }

  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    guard left > 0 else {
      close()
      return false
    }
    while let isWanted = try nextGroup(toSkip > 0 ? nil : row) {
      guard isWanted else { continue }
      if toSkip > 0 {
        toSkip -= 1
        continue
      }
      left -= 1
      return true
    }
    close()
    return false
  }

  func close() {
    isAtEnd = true
    cursor.close()
  }

  /// Reads a group to its end; the numbers of columns are only made when there is a row for them.
  ///
  /// - Returns: Whether the group fulfils the condition on groups; `nil` when there is no group.
  private func nextGroup(_ row: RowBuffer?) throws(StoreError) -> Bool? {
    guard !isAtEnd else { return nil }
    if !hasRecord { hasRecord = try cursor.next(into: record) }
    guard hasRecord else { return nil }
    keepGroup()
    let functions = row == nil && filter == nil ? [] : rows.allFunctions
    var numbers = functions.map { function in
      Accumulator(function, rows.query.rowLayout, place: function.column.flatMap { places[$0] })
    }
    repeat {
      for index in numbers.indices { numbers[index].add(record) }
      hasRecord = try cursor.next(into: record)
    } while hasRecord && isSameGroup
    if let filter {
      filter.row.reset()
      for place in 0..<group.count { filter.row.copy(group[place], to: place) }
      for (place, number) in numbers.dropFirst(rows.functions.count).enumerated() {
        filter.row.setValue(try number.result(), at: group.count + place)
      }
      guard filter.matcher.matches(filter.row) else { return false }
    }
    guard let row else { return true }
    row.reset()
    var number = numbers.makeIterator()
    for (place, output) in rows.outputs.enumerated() {
      switch output {
      case .column(let column):
        let position = rows.groups?.firstIndex(of: column) ?? 0
        row.copy(group[position], to: place)
      case .function: row.setValue(try number.next()?.result() ?? .null, at: place)
      }
    }
    return true
  }

  private func keepGroup() {
    group.reset()
    for (position, place) in groupPlaces.enumerated() { group.copy(record[place], to: position) }
  }

  private var isSameGroup: Bool {
    for (position, place) in groupPlaces.enumerated()
    where record[place].order(to: group[position]) != 0 {
      return false
    }
    return true
  }
}
