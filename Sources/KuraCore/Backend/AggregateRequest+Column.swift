extension AggregateRequest.Function {
  /// The column that the number is about; `nil` for a count.
  package var column: Int? {
    switch self {
    case .count: nil
    case .minimum(let column), .maximum(let column), .sum(let column), .average(let column): column
    }
  }
}
