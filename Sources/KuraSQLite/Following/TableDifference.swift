package import KuraCore

/// Two states of one table, compared row by row in constant memory.
package final class TableDifference {
  /// One changed row.
  ///
  /// Rows have the columns of their layout and behind them the row's number, if the
  /// table has one; they are valid during the call that gets them.
  package struct Change {
    /// The row before; `nil` when it is new.
    package let old: RowBuffer?
    /// The row now; `nil` when it is gone.
    package let new: RowBuffer?
  }

  /// Gets changes; throws to stop.
  package typealias Body = (Change) throws(StoreError) -> Void

  private let oldSide: TableWalk?
  private let newSide: TableWalk?
  private let rows: ChangedRanges.Rows
  private let states: (old: PageState, new: PageState)
  /// The columns that both states have.
  private let common: [(old: Int, new: Int)]

  init(
    _ table: StateComparison.Table, old: SQLiteTransaction, new: SQLiteTransaction,
    rows: ChangedRanges.Rows, states: (old: PageState, new: PageState)
  ) {
    self.rows = rows
    self.states = states
    oldSide = table.old.map { TableWalk($0, old) }
    newSide = table.new.map { TableWalk($0, new) }
    var common: [(old: Int, new: Int)] = []
    if let before = table.old?.layout, let after = table.new?.layout {
      for (index, column) in after.columns.enumerated() {
        if let other = before.index(of: column.name) { common.append((other, index)) }
      }
    }
    self.common = common
  }

  func run(_ body: Body) throws(StoreError) {
    guard let oldSide, let newSide else {
      if let oldSide {
        try oldSide.all { row throws(StoreError) in try body(Change(old: row, new: nil)) }
      }
      if let newSide {
        try newSide.all { row throws(StoreError) in try body(Change(old: nil, new: row)) }
      }
      return
    }
    guard oldSide.rowID != nil, newSide.rowID != nil else {
      if case .pages(let old, let new) = rows,
        let keys = try keys(oldSide, old, newSide, new)
      {
        return try compare(oldSide, newSide, keys, body)
      }
      return try compareByKey(oldSide, newSide, body)
    }
    var ranges = [ChangedRanges.Range(lower: .min, upper: .max)]
    if case .ranges(let found) = rows { ranges = found }
    for range in ranges { try compareByRowID(oldSide, newSide, range, body) }
  }

  // MARK: Tables with row numbers

  private func compareByRowID(
    _ old: TableWalk, _ new: TableWalk, _ range: ChangedRanges.Range, _ body: Body
  ) throws(StoreError) {
    try old.begin(range)
    try new.begin(range)
    defer {
      old.close()
      new.close()
    }
    while old.isAtRow || new.isAtRow {
      let (left, right) = (old.number, new.number)
      if old.isAtRow, new.isAtRow, left == right, hasEqualKey(old, new) {
        if differs(old.row, new.row) { try body(Change(old: old.row, new: new.row)) }
        try old.advance()
        try new.advance()
        continue
      }
      let isOldNext = old.isAtRow && (!new.isAtRow || left <= right)
      let isNewNext = new.isAtRow && (!old.isAtRow || right <= left)
      if isOldNext {
        // Under another number the row is met again in the newer state.
        if try new.find(old.row, of: old) == nil { try body(Change(old: old.row, new: nil)) }
        try old.advance()
      }
      if isNewNext {
        try giveNew(old, new, body)
        try new.advance()
      }
    }
  }

  private func giveNew(_ old: TableWalk, _ new: TableWalk, _ body: Body) throws(StoreError) {
    guard let before = try old.find(new.row, of: new) else {
      return try body(Change(old: nil, new: new.row))
    }
    if differs(before, new.row) { try body(Change(old: before, new: new.row)) }
  }

  // MARK: Tables without

  /// The keys on the pages that are not the same; `nil` when they cannot be read from there.
  private func keys(_ old: TableWalk, _ oldPages: [UInt32], _ new: TableWalk, _ newPages: [UInt32])
    throws(StoreError) -> (old: [[StoredValue]], new: [[StoredValue]])?
  {
    var found: (old: [[StoredValue]], new: [[StoredValue]]) = ([], [])
    let readers = (try IndexEntries(states.old), try IndexEntries(states.new))
    // The keys of so many pages would take much memory.
    guard !old.keyColumns.isEmpty, !new.keyColumns.isEmpty,
      oldPages.count + newPages.count <= 4096
    else { return nil }
    for page in oldPages {
      guard let keys = try readers.0.keys(on: page, columns: old.keyColumns.count) else {
        return nil
      }
      found.old += keys
    }
    for page in newPages {
      guard let keys = try readers.1.keys(on: page, columns: new.keyColumns.count) else {
        return nil
      }
      found.new += keys
    }
    return found
  }

  /// Looks the rows of pages that changed up in both states; most of them are the same.
  private func compare(
    _ old: TableWalk, _ new: TableWalk, _ keys: (old: [[StoredValue]], new: [[StoredValue]]),
    _ body: Body
  ) throws(StoreError) {
    defer {
      old.close()
      new.close()
    }
    for key in keys.old where try new.look(key) == nil {
      if let row = try old.look(key) { try body(Change(old: row, new: nil)) }
    }
    for key in keys.new {
      guard let after = try new.look(key) else { continue }
      guard let before = try old.look(key) else {
        try body(Change(old: nil, new: after))
        continue
      }
      if differs(before, after) { try body(Change(old: before, new: after)) }
    }
  }

  /// Both are walked in the order of their keys.
  ///
  /// Keys that are not the same are looked up on the other
  /// side, so that nothing need be known of the order.
  private func compareByKey(_ old: TableWalk, _ new: TableWalk, _ body: Body) throws(StoreError) {
    try old.begin(nil)
    try new.begin(nil)
    defer {
      old.close()
      new.close()
    }
    while old.isAtRow || new.isAtRow {
      if old.isAtRow, new.isAtRow, hasEqualKey(old, new) {
        if differs(old.row, new.row) { try body(Change(old: old.row, new: new.row)) }
        try old.advance()
        try new.advance()
        continue
      }
      var isStep = false
      if old.isAtRow, try new.find(old.row, of: old) == nil {
        try body(Change(old: old.row, new: nil))
        try old.advance()
        isStep = true
      }
      if new.isAtRow, try old.find(new.row, of: new) == nil {
        try body(Change(old: nil, new: new.row))
        try new.advance()
        isStep = true
      }
      guard !isStep else { continue }
      // Both are on the other side, under a key that is written in another way.
      if new.isAtRow { try giveNew(old, new, body) }
      if old.isAtRow { try old.advance() }
      if new.isAtRow { try new.advance() }
    }
  }

  // MARK: Comparing

  private func hasEqualKey(_ old: TableWalk, _ new: TableWalk) -> Bool {
    guard old.keyColumns.count == new.keyColumns.count else { return false }
    return zip(old.keyColumns, new.keyColumns).allSatisfy { left, right in
      TableDifference.isEqual(old.row[left], new.row[right])
    }
  }

  private func differs(_ old: RowBuffer, _ new: RowBuffer) -> Bool {
    common.contains { !TableDifference.isEqual(old[$0.old], new[$0.new]) }
  }

  /// Whether two slots hold the same value of the same type, bit by bit.
  package static func isEqual(_ left: ColumnSlot, _ right: ColumnSlot) -> Bool {
    guard left.kind == right.kind else { return false }
    guard left.kind.isBorrowed else {
      return left.word0 == right.word0 && left.word1 == right.word1
    }
    return unsafe left.bytes.elementsEqual(right.bytes)
  }
}
