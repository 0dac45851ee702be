extension QueryParser {
  private static let clauseWords = [
    "SELECT", "GROUP", "HAVING", "SORT", "DISTINCT", "LIMIT", "OFFSET",
  ]
  private static let clauseList = clauseWords.joined(separator: ", ")

  /// A whole query.
  ///
  /// With a model given, the text is its condition and clauses; without one it
  /// begins with the model's name.
  mutating func parseQuery(model: String?) throws(StoreError) -> Query {
    try checkToken()
    var query = Query("")
    if let model {
      query.model = model
      if !current.isEnd, !isAtClause { query.condition = try parseCondition() }
    } else {
      query.model = try parseName("a model's name")
      if try take(keyword: "WHERE") {
        query.condition = try parseCondition()
      } else if !current.isEnd, !isAtClause {
        throw unexpected(
          "WHERE, \(QueryParser.clauseList) or the end", suggestion: clauseHint)
      }
    }
    var seen: Set<String> = []
    while !current.isEnd {
      guard isAtClause, let word = current.keyword else {
        throw unexpected(
          "AND, OR, \(QueryParser.clauseList) or the end", suggestion: clauseHint)
      }
      guard seen.insert(word).inserted else {
        throw source.error("\(word) is there twice", at: current.range.lowerBound)
      }
      try advance()
      try parseClause(word, into: &query)
    }
    try checkArguments()
    return query
  }

  /// A condition and nothing after it.
  mutating func parseWholeCondition() throws(StoreError) -> Condition {
    let condition = try parseCondition()
    guard current.isEnd else {
      let suggestion = isAtClause ? "a condition has no clauses; make a query of it" : clauseHint
      throw unexpected("AND, OR or the end", suggestion: suggestion)
    }
    try checkArguments()
    return condition
  }

  /// An operand and nothing else, such as `price * 2`.
  mutating func parseWholeOperand() throws(StoreError) -> Condition.Operand {
    try checkToken()
    let operand = try parseOperand()
    guard current.isEnd else { throw unexpected("an operator or the end") }
    try checkArguments()
    return operand
  }

  private var isAtClause: Bool {
    guard let word = current.keyword else { return false }
    return QueryParser.clauseWords.contains(word) && upcoming.isSign(.open)
  }

  private var clauseHint: String? {
    guard let word = current.keyword else { return nil }
    switch word {
    case "ORDER", "SORTED": return "write SORT(name DESC)"
    case "LIMIT", "OFFSET": return "write \(word)(10)"
    case "SORT", "DISTINCT", "GROUP", "SELECT", "HAVING": return "write \(word)(name)"
    default:
      return closestMatch(word, in: ["WHERE", "AND", "OR"] + QueryParser.clauseWords)
        .map { "did you mean \($0)?" }
    }
  }

  private mutating func parseClause(_ word: String, into query: inout Query) throws(StoreError) {
    try expect(.open, "after \(word)")
    switch word {
    case "SORT":
      repeat { query.order.append(try parseSortTerm()) } while try take(.comma)
    case "DISTINCT":
      var paths: [PropertyPath] = []
      repeat { paths.append(try parsePath("a property")) } while try take(.comma)
      query.distinct = paths
    case "GROUP":
      var groups: [PropertyPath] = []
      repeat { groups.append(try parsePath("a property to group by")) } while try take(.comma)
      query.groups = groups
    case "HAVING":
      isInHaving = true
      defer { isInHaving = false }
      query.having = try parseCondition()
    case "SELECT":
      var columns: [QueryColumn] = []
      repeat { columns.append(try parseColumn()) } while try take(.comma)
      query.columns = columns
    case "LIMIT": query.limit = try parseCount(word)
    default: query.offset = try parseCount(word)
    }
    try expect(.close, "to close \(word)")
  }

  private mutating func parseSortTerm() throws(StoreError) -> SortTerm {
    let path = try parsePath("a property to sort by")
    switch current.keyword {
    case "DESC", "DESCENDING":
      try advance()
      return SortTerm(path, isDescending: true)
    case "ASC", "ASCENDING": try advance()
    case let word?:
      let hint = closestMatch(word, in: ["DESC", "ASC", "DESCENDING", "ASCENDING"])
      throw unexpected("ASC, DESC, \",\" or \")\"", suggestion: hint.map { "did you mean \($0)?" })
    case nil: break
    }
    return SortTerm(path)
  }

  /// A property, `@count`, or another number of a property such as `@sum.age`.
  private mutating func parseColumn() throws(StoreError) -> QueryColumn {
    guard current.isSign(.at) else { return .property(try parsePath("a property or @count")) }
    return try parseGroupNumber()
  }

  /// `@count`, or another number over a group such as `@sum.age`.
  mutating func parseGroupNumber() throws(StoreError) -> QueryColumn {
    try expect(.at, "before the name of a number")
    let names = ["count", "min", "max", "sum", "avg"]
    guard case .word(let word) = current.kind, names.contains(word.lowercased()) else {
      let hint = current.keyword.flatMap { closestMatch($0.lowercased(), in: names) }
      throw unexpected(
        "the name of a number",
        suggestion: hint.map { "did you mean @\($0)?" } ?? "known are @count @min @max @sum @avg")
    }
    try advance()
    if word.lowercased() == "count" { return .count }
    try expect(.dot, "and a property after @\(word)")
    let path = try parsePath("a property")
    switch word.lowercased() {
    case "min": return .minimum(path)
    case "max": return .maximum(path)
    case "sum": return .sum(path)
    default: return .average(path)
    }
  }

  private mutating func parseCount(_ word: String) throws(StoreError) -> Int {
    let start = current.range.lowerBound
    var value = try takeArgument()
    if value == nil, case .value(let literal) = current.kind {
      value = literal
      try advance()
    }
    guard case .integer(let number)? = value, let count = Int(exactly: number), count >= 0 else {
      throw source.error(
        "\(word) needs an integer of at least 0", at: start, suggestion: "write \(word)(10)")
    }
    return count
  }
}
