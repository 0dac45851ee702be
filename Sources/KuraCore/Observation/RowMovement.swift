/// Rows that are to stand elsewhere, by giving other numbers to the property that orders them.
struct RowMovement<Root: Model>: Sendable {
  let rows: ObservedRows<Root>
  let query: TypedQuery<Root>
  let property: String
  /// The indices of the rows to move.
  let moved: Set<Int>
  /// The index of the row before which they come.
  let place: Int

  /// Gives the numbers.
  func write(to transaction: WriteTransaction) throws(StoreError) {
    let isDescending = try checkOrder()
    guard let least = moved.min(), let greatest = moved.max() else { return }
    let (first, last) = (min(least, place), max(greatest + 1, place))
    let order =
      (first..<place).filter { !moved.contains($0) } + moved.sorted()
      + (place..<last).filter { !moved.contains($0) }
    var found: [(key: RecordKey, number: Int64)] = []
    for index in order {
      if let row = try number(at: index, transaction, isDescending) { found.append(row) }
    }
    // Each row is to have a greater number than the one before it: equal ones are in the order of keys.
    var previous = try first > 0 ? number(at: first - 1, transaction, isDescending)?.number : nil
    for (row, number) in zip(found, found.map(\.number).sorted()) {
      previous = try give(number, to: row, after: previous, transaction, isDescending)
    }
    // Numbers that had to grow may have reached those behind.
    for index in last..<max(last, rows.count) {
      guard let row = try number(at: index, transaction, isDescending) else { continue }
      if let previous, row.number > previous { return }
      previous = try give(row.number, to: row, after: previous, transaction, isDescending)
    }
  }

  /// Whether the query has greater numbers first.
  private func checkOrder() throws(StoreError) -> Bool {
    let term = try query.query().order.first
    guard let term, term.property.description == property else {
      throw StoreError(
        .invalidQuery, "rows are moved by the property that orders them",
        found: term?.property.description ?? "no order", expected: property)
    }
    return term.isDescending
  }

  /// The number of a row, `nil` for a record that is gone.
  ///
  /// Of a descending order it is the complement, which ascends.
  private func number(at index: Int, _ transaction: WriteTransaction, _ isDescending: Bool)
    throws(StoreError) -> (key: RecordKey, number: Int64)?
  {
    guard let key = rows.key(at: index),
      let record = try transaction.record(Root.modelName, key: key)
    else { return nil }
    guard case .integer(let number)? = record[property] else {
      throw StoreError(
        .wrongType, "rows can be moved by a property of integers only",
        found: record[property]?.typeName)
    }
    return (key, isDescending ? ~number : number)
  }

  /// Gives a row a number, at least the one after the previous row's.
  private func give(
    _ number: Int64, to row: (key: RecordKey, number: Int64), after previous: Int64?,
    _ transaction: WriteTransaction, _ isDescending: Bool
  ) throws(StoreError) -> Int64 {
    var number = number
    if let previous, number <= previous {
      guard previous < .max else {
        throw StoreError(.limitReached, "there is no number after the greatest one")
      }
      number = previous + 1
    }
    if number != row.number {
      let stored = isDescending ? ~number : number
      try transaction.update(Root.modelName, key: row.key, [property: .integer(stored)])
    }
    return number
  }
}
