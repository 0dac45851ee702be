/// One walk over records in key or index order, and what it reads of them.
package struct AccessPath: Sendable, Hashable {
  /// What is walked.
  package enum Database: Sendable, Hashable {
    /// The records themselves.
    case primary
    /// The index of that position in ``RecordSource/indexes``.
    case index(Int)
  }

  /// What is walked.
  package var database: Database
  /// The keys that are walked; ``RecordScan/restart(_:)`` moves to others.
  package var range: KeyRange
  /// Whether the walk goes from the last key of the range to its first one.
  package var isDescending: Bool
  /// The columns that ``RecordScan/next(into:)`` fills: what decides whether the record is wanted.
  package var columns: [Int]
  /// Whether ``columns`` come from the index entry, which ends with the record's key, so that
  /// ``RecordScan/next(into:)`` fetches no record; never set for ``Database/primary``.
  package var readsEntryOnly: Bool
  /// The columns that ``RecordScan/complete(_:)`` fills, from the record.
  ///
  /// They may repeat some of
  /// ``columns``, which are then to be filled again. Empty when nothing else is wanted.
  package var laterColumns: [Int]

  /// Makes a path.
  package init(
    _ database: Database, range: KeyRange = .all, isDescending: Bool = false, columns: [Int],
    readsEntryOnly: Bool = false, laterColumns: [Int] = []
  ) {
    self.database = database
    self.range = range
    self.isDescending = isDescending
    self.columns = columns
    self.readsEntryOnly = readsEntryOnly
    self.laterColumns = laterColumns
  }
}
