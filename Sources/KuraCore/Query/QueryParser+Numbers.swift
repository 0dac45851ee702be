/// Operands that begin with a name: properties, numbers over lists and groups, and subqueries.
extension QueryParser {
  /// The most subqueries inside each other.
  static let maximumSubqueryDepth = 16

  /// What a word, a variable or `@` begins.
  mutating func parseNamedOperand() throws(StoreError) -> Condition.Operand {
    if current.isSign(.at) {
      guard isInHaving, variables.isEmpty else {
        throw source.error(
          "a number over a group stands in HAVING and SELECT", at: current.range.lowerBound,
          suggestion: "name the list first, as in items.@count or items.price.@avg")
      }
      return .groupNumber(try parseGroupNumber())
    }
    if current.keyword == "SUBQUERY", upcoming.isSign(.open) { return try parseSubquery() }
    let path = try parsePath("a property or a value")
    guard current.isSign(.at) else {
      guard !path.names.isEmpty else {
        throw unexpected("\".\" and a property of the record")
      }
      return .property(path)
    }
    return try parseListNumber(path, .always)
  }

  /// `SUBQUERY(items, $x, $x.price > 3).@count`.
  private mutating func parseSubquery() throws(StoreError) -> Condition.Operand {
    let start = current.range.lowerBound
    try advance()
    try expect(.open, "after SUBQUERY")
    guard variables.count < QueryParser.maximumSubqueryDepth else {
      throw source.error(
        "subqueries are nested more than \(QueryParser.maximumSubqueryDepth) deep", at: start)
    }
    let list = try parsePath("a list")
    try expect(.comma, "after the list of SUBQUERY")
    guard case .variable(let name) = current.kind else {
      throw unexpected("a name such as $x", suggestion: "write SUBQUERY(\(list), $x, $x.… > 3)")
    }
    guard !variables.contains(name) else {
      throw source.error(
        "$\(name) is the record of an outer SUBQUERY", at: current.range.lowerBound,
        suggestion: "choose another name")
    }
    try advance()
    try expect(.comma, "after $\(name)")
    variables.append(name)
    let condition = try parseCondition()
    variables.removeLast()
    try expect(.close, "to close SUBQUERY")
    guard try take(.dot), current.isSign(.at) else {
      throw unexpected(
        "a number over the records of SUBQUERY", suggestion: "write SUBQUERY(…).@count > 0")
    }
    return try parseListNumber(list, condition)
  }

  /// What follows the dot after a list: `@count`, `@avg` or `@avg.price`.
  private mutating func parseListNumber(_ list: PropertyPath, _ condition: Condition)
    throws(StoreError) -> Condition.Operand
  {
    try expect(.at, "before the name of a number")
    let names = ["count"] + Condition.ListFunction.allCases.map { String($0.rawValue.dropFirst()) }
    guard case .word(let word) = current.kind, names.contains(word.lowercased()) else {
      let hint = current.keyword.flatMap { closestMatch($0.lowercased(), in: names) }
      throw unexpected(
        "the name of a number",
        suggestion: hint.map { "did you mean @\($0)?" } ?? "known are @count @min @max @sum @avg")
    }
    try advance()
    guard let function = Condition.ListFunction(rawValue: "@" + word.lowercased()) else {
      return .count(list: list, condition)
    }
    var property = PropertyPath([])
    if try take(.dot) {
      let outer = variables
      // What follows is a property of the list's records, with no name before it.
      variables = []
      defer { variables = outer }
      property = try parsePath("a property of the list's records")
    }
    return .listNumber(function, list: list, of: property, condition)
  }
}
