/// Turns columns of rows into bytes whose `memcmp` order is that of the terms.
struct SortKeyEncoder {
  private struct Part {
    var column: Int
    var isDescending: Bool
    /// Whether integers and doubles may stand side by side.
    var isMixed: Bool
  }

  private let parts: [Part]

  init(_ terms: some Sequence<BoundSortTerm>, _ layout: ModelLayout) {
    parts = terms.map { term in
      let type =
        layout.columns.indices.contains(term.column) ? layout.columns[term.column].type : .any
      return Part(
        column: term.column, isDescending: term.isDescending,
        isMixed: type == .any || !layout.isKuraModel)
    }
  }

  init(columns: [Int], _ layout: ModelLayout) {
    self.init(columns.map { BoundSortTerm(column: $0) }, layout)
  }

  /// Adds the bytes of a row.
  func append(_ row: RowBuffer, to key: OrderedKey) {
    for part in parts {
      let start = key.count
      if part.isMixed {
        key.appendMixed(row[part.column])
      } else {
        key.appendTagged(row[part.column])
      }
      if part.isDescending { key.invert(from: start) }
    }
  }
}
