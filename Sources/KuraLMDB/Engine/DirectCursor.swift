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
  /// The records that may still come.
  private var left: Int
  /// The records that may come before the next look at the limits.
  private var untilCheck = 1
  private var isBegun = false

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
    try life.check()
    guard left > 0 else { return false }
    left &-= 1
    untilCheck &-= 1
    do throws(StoreError) {
      if untilCheck <= 0 { try checkLimits() }
      if try isBegun && isEndless ? cursor.next() : walk.next() {
        isBegun = true
        if mayCopy { row.reset() }
        unsafe try reader.read(key: cursor.key, value: cursor.value, into: row)
        return true
      }
    } catch {
      close()
      throw error
    }
    close()
    return false
  }

  @inline(never)
  private func checkLimits() throws(StoreError) {
    untilCheck = DirectCursor.interval
    try limits?.check()
  }

  func close() {
    left = 0
    cursor.close()
  }
}
