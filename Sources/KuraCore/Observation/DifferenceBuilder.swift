/// Computes a difference from what happened to the rows that were looked at; all others are in both,
/// unchanged, in the same order.
struct DifferenceBuilder {
  /// What happened to one row.
  struct Change {
    let key: RecordKey
    /// The index in the old rows, if it was there.
    let oldIndex: Int?
    /// The index in the new rows, if it is there.
    let newIndex: Int?
    /// Whether observed properties differ, of a row that is in both.
    let isModified: Bool
  }

  /// The difference of changes, each of another row.
  static func difference(_ changes: [Change]) -> RowDifference {
    var difference = RowDifference()
    for change in changes {
      switch (change.oldIndex, change.newIndex) {
      case (let old?, nil): difference.deletions.append(.init(index: old, key: change.key))
      case (nil, let new?): difference.insertions.append(.init(index: new, key: change.key))
      case (let old?, let new?) where change.isModified:
        difference.modifications.append(.init(oldIndex: old, newIndex: new, key: change.key))
      default: break
      }
    }
    difference.deletions.sort { $0.index < $1.index }
    difference.insertions.sort { $0.index < $1.index }
    difference.modifications.sort { $0.newIndex < $1.newIndex }
    difference.moves = moves(changes)
    return difference
  }

  /// The rows that did not stay where they were among the others.
  private static func moves(_ changes: [Change]) -> [RowDifference.Passage] {
    // How many unchanged rows are before each one, in the old and in the new rows: only those of the
    // same number in both may stay, and of these the longest part whose order stays.
    let oldIndices = changes.compactMap(\.oldIndex).sorted()
    let newIndices = changes.compactMap(\.newIndex).sorted()
    let oldRanks = Dictionary(oldIndices.enumerated().map { ($1, $1 - $0) }) { first, _ in first }
    let newRanks = Dictionary(newIndices.enumerated().map { ($1, $1 - $0) }) { first, _ in first }
    var moved: [RowDifference.Passage] = []
    var stable: [(gap: Int, passage: RowDifference.Passage)] = []
    for change in changes {
      guard let old = change.oldIndex, let new = change.newIndex else { continue }
      let passage = RowDifference.Passage(oldIndex: old, newIndex: new, key: change.key)
      if let gap = oldRanks[old], gap == newRanks[new] {
        stable.append((gap, passage))
      } else {
        moved.append(passage)
      }
    }
    // Gaps ascend with the indices, so that one longest ascending part over all is the sum of the parts.
    stable.sort { $0.passage.newIndex < $1.passage.newIndex }
    let kept = LongestAscent.places(stable.map(\.passage.oldIndex))
    var next = 0
    for (place, row) in stable.enumerated() {
      if next < kept.count, kept[next] == place {
        next += 1
      } else {
        moved.append(row.passage)
      }
    }
    return moved.sorted { $0.newIndex < $1.newIndex }
  }
}

/// The longest part of a sequence that ascends, found by patience sorting in n log n steps.
enum LongestAscent {
  /// The places of the part's numbers, ascending.
  static func places(_ numbers: [Int]) -> [Int] {
    // The place of the least last number of an ascent of each length, and what is before each place.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = low + (high - low) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      before[place] = low > 0 ? ends[low - 1] : nil
      if low < ends.count { ends[low] = place } else { ends.append(place) }
    }
    var found: [Int] = []
    var place = ends.last
    while let current = place {
      found.append(current)
      place = before[current]
    }
    return found.reversed()
  }
}
