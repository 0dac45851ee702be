extension QueryPlan {
  /// The plan's only walk, when its records are the result as they come: all columns of a layout with so
  /// many, in the walk's order, none left out before the limit; `nil` for other plans.
  package func directPath(columnCount: Int) -> AccessPath? {
    guard steps.count == 1, let step = steps.first, step.ranges.count == 1,
      step.path.database == .primary, step.filter == .always, order == .served,
      distinct == .none, query.offset <= 0, columns.elementsEqual(0..<columnCount)
    else { return nil }
    return step.path
  }
}
