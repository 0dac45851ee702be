/// What is between the rows of an observed query before and after: enough to change a list view, and
/// all of one snapshot.
///
/// Rows that are moved are those of ``moves``; the others keep their order among themselves. To come
/// from the old rows to the new ones, remove the deleted and moved rows by their old indices, insert the
/// inserted and moved ones by their new indices in ascending order, and take the modified ones anew;
/// ``apply(to:from:)`` does it.
public struct RowDifference: Sendable, Hashable {
  /// A row that is only in the old or only in the new rows.
  public struct Place: Sendable, Hashable {
    /// The index: in the old rows for a deletion, in the new rows for an insertion.
    public let index: Int
    /// The record's primary key.
    public let key: RecordKey
  }

  /// A row that is in both.
  public struct Passage: Sendable, Hashable {
    /// The index in the old rows.
    public let oldIndex: Int
    /// The index in the new rows.
    public let newIndex: Int
    /// The record's primary key.
    public let key: RecordKey
  }

  /// Rows that are no longer there, in ascending order of old indices.
  public internal(set) var deletions: [Place] = []
  /// Rows that were not there, in ascending order of new indices.
  public internal(set) var insertions: [Place] = []
  /// Rows of which the observed properties differ, in ascending order of new indices; a row that was
  /// moved as well is also in ``moves``.
  public internal(set) var modifications: [Passage] = []
  /// Rows that are elsewhere among the others, as few as there can be, in ascending order of new indices.
  public internal(set) var moves: [Passage] = []

  init() {}

  /// Whether nothing differs.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && moves.isEmpty
  }

  /// Makes the new rows of the old ones.
  ///
  /// Indices that the rows do not have are left out.
  ///
  /// - Parameters:
  ///   - rows: What was made of the old rows.
  ///   - new: What is to be there for a row of the new ones.
  public func apply<Row>(to rows: inout [Row], from new: (_ index: Int) -> Row?) {
    for index in (deletions.map(\.index) + moves.map(\.oldIndex)).sorted(by: >)
    where rows.indices.contains(index) {
      rows.remove(at: index)
    }
    for index in (insertions.map(\.index) + moves.map(\.newIndex)).sorted() {
      guard index <= rows.count, let row = new(index) else { continue }
      rows.insert(row, at: index)
    }
    for modification in modifications where rows.indices.contains(modification.newIndex) {
      if let row = new(modification.newIndex) { rows[modification.newIndex] = row }
    }
  }
}
