/// How far the order of a walk is the order of a query.
struct OrderMatch {
  /// The leading terms that the walk serves.
  var count = 0
  /// Whether the walk must go backwards for that.
  var isDescending = false
  /// Whether the walk serves the whole order.
  var isComplete = false

  static let unordered = OrderMatch()

  /// Compares the columns by which a walk is ordered with the terms.
  ///
  /// - Parameters:
  ///   - columns: The walk's columns without those of which all records have the same value.
  ///   - uniqueCount: The number of columns after which no two records are equal, if known.
  init(columns: [Int], uniqueCount: Int?, terms: [BoundSortTerm]) {
    while count < terms.count, count < columns.count, terms[count].column == columns[count] {
      if count == 0 { isDescending = terms[0].isDescending }
      guard terms[count].isDescending == isDescending else { break }
      count += 1
    }
    isComplete = count == terms.count || uniqueCount.map { count >= $0 } ?? false
  }

  private init() {}
}
