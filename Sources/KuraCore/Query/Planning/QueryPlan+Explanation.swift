extension QueryPlan {
  /// Whether the least or greatest value of a column is that of the first entry that the plan's only
  /// walk comes to.
  func isAtEndOfWalk(of column: Int) -> Bool {
    guard !steps.isEmpty else { return true }
    return steps.count == 1 && steps[0].filter == .always && order == .served
  }

  /// The plan for people, one step a line.
  package var explanation: [String] {
    let layout = query.layout
    guard !steps.isEmpty else {
      return ["nothing to read: no record can be in the result"]
    }
    var lines: [String] = []
    for (number, step) in steps.enumerated() {
      lines.append((number == 0 ? "" : "then ") + walk(step, layout))
      if step.filter != .always {
        // The filters of a union repeat what came before; it is enough to say so.
        let own = number == 0 ? step.filter : step.ownFilter
        if own != .always { lines.append("  filter: \(own.text(layout))") }
        if number > 0 { lines.append("  without records that were found before") }
      }
    }
    switch distinct {
    case .none: break
    case .adjacent(let columns):
      lines.append("distinct (\(names(columns))): the first of neighbours")
    case .sorted(let columns, _):
      lines.append("distinct (\(names(columns))): by sorting")
    }
    switch order {
    case .served:
      if !query.order.isEmpty, !terms.isEmpty { lines.append("order: as found") }
    case .grouped(let count):
      lines.append(
        "sort by \(text(terms.dropFirst(count))) within equal \(text(terms.prefix(count)))")
    case .sorted: lines.append("sort by \(text(terms[...]))")
    }
    if query.offset > 0 { lines.append("skip \(query.offset)") }
    if let limit = query.limit { lines.append("stop after \(limit)") }
    return lines
  }

  private func walk(_ step: Step, _ layout: ModelLayout) -> String {
    var text: String
    switch step.path.database {
    case .primary:
      text =
        step.served.isEmpty
        ? "scan \(layout.name)" : "search \(layout.name) by primary key"
    case .index(let number):
      let name = indexNames.indices.contains(number) ? indexNames[number] : "\(number)"
      text = "\(step.served.isEmpty ? "scan" : "search") \(layout.name) by index (\(name))"
    }
    if step.path.isDescending { text += " backward" }
    // Records that are sorted are read afterwards, whatever the walk reads.
    let isDirect = order == .served && !distinct.isSorted
    if step.path.readsEntryOnly, step.path.laterColumns.isEmpty, isDirect || columns.isEmpty {
      text += ", index only"
    }
    if !step.served.isEmpty {
      text += ": " + BoundCondition.conjunction(step.served).text(layout)
    }
    return text
  }

  private func names(_ columns: [Int]) -> String {
    columns.map { query.layout.nameInQuery($0) }.joined(separator: ", ")
  }

  private func text(_ terms: ArraySlice<BoundSortTerm>) -> String {
    terms.map { query.layout.nameInQuery($0.column) + ($0.isDescending ? " DESC" : "") }
      .joined(separator: ", ")
  }
}
