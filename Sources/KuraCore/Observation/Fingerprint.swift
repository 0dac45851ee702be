/// 128 bits that differ when the values differ, for all practical purposes: two of SipHash with keys of
/// the process (Swift's `Hasher`).
struct Fingerprint: Sendable, Hashable {
  private let first: Int
  private let second: Int

  /// The fingerprint of columns of a row.
  init(_ row: RowBuffer, columns: [Int]) {
    var (left, right) = (Hasher(), Hasher())
    // Different beginnings make them two functions.
    right.combine(0x6b757261)
    for column in columns {
      let slot = row[column]
      left.combine(slot.kind.rawValue)
      right.combine(slot.kind.rawValue)
      if slot.kind.isBorrowed {
        left.combine(slot.bytes.count)
        left.combine(bytes: slot.bytes)
        right.combine(slot.bytes.count)
        right.combine(bytes: slot.bytes)
      } else {
        left.combine(slot.word0)
        left.combine(slot.word1)
        right.combine(slot.word0)
        right.combine(slot.word1)
      }
    }
    (first, second) = (left.finalize(), right.finalize())
  }

  /// The fingerprint of this together with other values.
  init(_ other: Fingerprint, _ values: some Hashable) {
    var (left, right) = (Hasher(), Hasher())
    right.combine(0x6b757261)
    left.combine(other)
    left.combine(values)
    right.combine(other)
    right.combine(values)
    (first, second) = (left.finalize(), right.finalize())
  }
}
