/// Finds the first of records that come with equal combinations one after the other.
final class AdjacentDistinct {
  private let encoder: SortKeyEncoder
  private let current = OrderedKey()
  private let last = OrderedKey()
  private var isFirst = true

  init(_ columns: [Int], _ layout: ModelLayout) {
    encoder = SortKeyEncoder(columns: columns, layout)
  }

  /// Whether a row has another combination than the one before.
  func isNew(_ row: RowBuffer) -> Bool {
    current.truncate()
    encoder.append(row, to: current)
    guard isFirst || !current.bytes.elementsEqual(last.bytes) else { return false }
    isFirst = false
    last.truncate()
    last.append(current.bytes)
    return true
  }
}
