/// Says for each record whether a column's value is among those of a subquery.
private final class MembershipReader: DerivedReader {
  private let column: Int
  private let holds: (ColumnSlot) throws(StoreError) -> Bool
  private let end: () -> Void

  init(
    _ column: Int, end: @escaping () -> Void,
    holds: @escaping (ColumnSlot) throws(StoreError) -> Bool
  ) {
    self.column = column
    self.holds = holds
    self.end = end
  }

  func value(_ row: RowBuffer) throws(StoreError) -> ColumnSlot {
    let slot = row[column]
    guard slot.kind != .null else { return ColumnSlot(.bool, 0) }
    return ColumnSlot(.bool, try holds(slot) ? 1 : 0)
  }

  func close() { end() }
}

extension BoundSubquery {
  /// What says for each record whether a column of it has one of the subquery's values: by the
  /// record of the key, by the elements of the list, or by a query for each record.
  func membershipReader(_ column: Int, _ sources: any RecordSources) throws(StoreError)
    -> any DerivedReader
  {
    let prepared = try PreparedQuery(
      BoundQuery(layout: layout, condition: condition, columns: [], derived: derived), sources,
      looksUpKeys: true)
    let condition = prepared.query.condition
    let matcher = ConditionMatcher(condition)
    if layout.keyColumns == [self.column], count == nil {
      let lookup = try RecordLookup(prepared.source, columns: condition.columns)
      return MembershipReader(column, end: lookup.close) { value throws(StoreError) in
        try lookup.read(value) && matcher.matches(lookup.row)
      }
    }
    if layout.keyColumns.first == self.column {
      let walk = ListWalk(prepared.source, columns: condition.columns)
      return MembershipReader(column, end: walk.close) { value throws(StoreError) in
        try walk.begin(value)
        var occurrences: Int64 = 0
        while try walk.next() {
          guard matcher.matches(walk.row) else { continue }
          occurrences += 1
          if self.count == nil { return true }
        }
        return self.isEnough(occurrences)
      }
    }
    return MembershipReader(column, end: {}) { value throws(StoreError) in
      var query = prepared.query
      query.condition = .conjunction([
        .compareValue(column: self.column, .equal, value.value), condition,
      ])
      let values = try AggregateExecution(AggregateRequest(query, [.count]), prepared.source).run()
      guard case .integer(let occurrences)? = values.first else { return false }
      return self.isEnough(occurrences)
    }
  }
}
