import KuraTesting
import Testing

@testable import KuraCore

/// Differences turn old rows into new ones, with as few moves as there can be.
@Suite struct DifferenceTests {
  @Test(arguments: 0..<300) func `a difference makes the new rows of the old ones`(seed: UInt64) {
    var random = RepeatableGenerator(seed: seed)
    var pool = Array(0..<Int64(Int.random(in: 0...14, using: &random)))
    pool.shuffle(using: &random)
    let old = Array(pool.prefix(Int.random(in: 0...pool.count, using: &random)))
    // A new order of some of them and others, in which most keep theirs.
    var new = old.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
    for _ in 0..<Int.random(in: 0...3, using: &random) where !new.isEmpty {
      let row = new.remove(at: Int.random(in: 0..<new.count, using: &random))
      new.insert(row, at: Int.random(in: 0...new.count, using: &random))
    }
    for row in pool where !old.contains(row) && Bool.random(using: &random) {
      new.insert(row, at: Int.random(in: 0...new.count, using: &random))
    }
    let modified = Set(new.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
    // Rows that were looked at: all that differ, and some that do not.
    let kept = old.filter { new.contains($0) }
    let keptNew = new.filter { old.contains($0) }
    let stays = Set(
      LongestAscent.places(keptNew.map { kept.firstIndex(of: $0) ?? 0 }).map { keptNew[$0] })
    let looked = Set(old + new).filter {
      !stays.contains($0) || modified.contains($0) || Bool.random(using: &random)
    }
    let difference = DifferenceBuilder.difference(
      looked.map { row in
        DifferenceBuilder.Change(
          key: RecordKey(.integer(row)), oldIndex: old.firstIndex(of: row),
          newIndex: new.firstIndex(of: row), isModified: modified.contains(row))
      })
    var rows = old.map { "\($0)" }
    difference.apply(to: &rows) { index in
      modified.contains(new[index]) ? "\(new[index])!" : "\(new[index])"
    }
    #expect(rows == new.map { modified.contains($0) ? "\($0)!" : "\($0)" })
    #expect(difference.moves.count == kept.count - DifferenceTests.longestAscent(kept, keptNew))
    #expect(
      Set(difference.deletions.map(\.index)) == Set(old.indices.filter { !new.contains(old[$0]) }))
    #expect(
      difference.modifications.map(\.newIndex)
        == new.indices.filter { modified.contains(new[$0]) && old.contains(new[$0]) })
  }

  /// The length of the longest part in the same order, by the table of all prefixes.
  private static func longestAscent(_ old: [Int64], _ new: [Int64]) -> Int {
    var lengths = Array(repeating: Array(repeating: 0, count: new.count + 1), count: old.count + 1)
    for (i, left) in old.enumerated() {
      for (j, right) in new.enumerated() {
        lengths[i + 1][j + 1] =
          left == right ? lengths[i][j] + 1 : max(lengths[i][j + 1], lengths[i + 1][j])
      }
    }
    return lengths[old.count][new.count]
  }
}
