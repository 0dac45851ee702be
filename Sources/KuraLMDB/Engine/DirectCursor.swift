import KuraCore

/// The walk of a query that takes records as they come: one range of keys in their order, no filter,
/// all columns.
///
/// It gives what ``QueryCursor`` gives for such a plan. Every record of a full scan passes here, so that
/// nothing stands between liblmdb's cursor and the reader of records but calls that are inlined.
final class DirectCursor: RecordCursor {
  /// How many records are walked between two looks at the limits.
  private static let interval = 4096

  let columnNames: [String]
  private let life: TransactionLife
  private let limits: ExecutionLimits?
  private let walk: RangeWalk<EnvironmentCursor>
  /// The walk's cursor, which goes on alone where no end of a range has to be looked for.
  private let cursor: EnvironmentCursor
  private let isEndless: Bool
  private let reader: RecordReader
  private let mayCopy: Bool
  /// The records that may still come, without those of ``fuel``.
  private var left: Int
  /// The records that may come before anything but the next entry must be looked at.
  private var fuel = 0
  /// The records that may come before the next look at the limits.
  private var untilCheck = 0

  let expectedCount: Int

  /// Makes a cursor before the first record; nothing is read yet.
  init(_ source: ModelSource<EnvironmentSnapshot>, _ path: AccessPath, limit: Int?)
    throws(StoreError)
  {
    life = source.life
    limits = source.limits
    columnNames = source.layout.columns.map(\.name)
    cursor = try source.snapshot.cursor(source.records)
    walk = RangeWalk(cursor, path.range, isDescending: path.isDescending)
    isEndless = !path.isDescending && path.range.upper == nil
    reader = RecordReader(source.binding, columns: source.layout.columns.indices)
    mayCopy = reader.mayCopy
    left = limit.map { max(0, $0) } ?? .max
    expectedCount = min(left, path.range == .all ? Int(clamping: source.estimatedCount) : 0)
  }

  deinit { close() }

  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    guard fuel > 0, !life.isEnded else { return try nextWithCare(row) }
    fuel &-= 1
    guard cursor.advance() else { return try finish() }
    if !mayCopy, unsafe reader.readShort(cursor.foundKey, cursor.foundValue, row) { return true }
    return try readWithCare(row)
  }

  /// A step after which something besides the next entry must be looked at: the beginning, the limits,
  /// the end of a range, the transaction's end.
  @inline(never)
  private func nextWithCare(_ row: RowBuffer) throws(StoreError) -> Bool {
    try life.check()
    guard left > 0 else { return false }
    do throws(StoreError) {
      if untilCheck <= 0 {
        untilCheck = DirectCursor.interval
        try limits?.check()
      }
      // A walk with an end looks at each key.
      let count = isEndless ? min(left, DirectCursor.interval) : 1
      guard try walk.next() else {
        close()
        return false
      }
      left -= count
      untilCheck -= count
      fuel = count - 1
    } catch {
      close()
      throw error
    }
    return try readWithCare(row)
  }

  /// The end of the walk, or why there is none.
  @inline(never)
  private func finish() throws(StoreError) -> Bool {
    defer { close() }
    return try cursor.result()
  }

  /// Reads the entry that the cursor stands at, whatever it holds.
  @inline(never)
  private func readWithCare(_ row: RowBuffer) throws(StoreError) -> Bool {
    if mayCopy { row.reset() }
    do throws(StoreError) {
      unsafe try reader.read(key: cursor.key, value: cursor.value, into: row)
    } catch {
      close()
      throw error
    }
    return true
  }

  func close() {
    left = 0
    fuel = 0
    cursor.close()
  }
}
