extension QueryParser {
  /// The words that never are names unless they stand in backquotes.
  static let reservedWords: Set<String> = [
    "AND", "OR", "NOT", "NULL", "NIL", "TRUE", "FALSE", "TRUEPREDICATE", "FALSEPREDICATE",
  ]
  static let operatorWords = [
    "MATCHES", "IN", "BETWEEN", "LIKE", "CONTAINS", "BEGINSWITH", "ENDSWITH", "IS", "NOT",
  ]

  /// What follows the left side of a comparison.
  mutating func parseComparison(_ left: Condition.Operand) throws(StoreError) -> Condition {
    if let comparison = comparisonOperator {
      try advance()
      let folding = try parseModifier()
      return .comparison(left, comparison, try parseOperand(), folding)
    }
    if try take(keyword: "IS") {
      let isNegated = try take(keyword: "NOT")
      guard current.keyword == "NULL" || current.keyword == "NIL" else {
        throw unexpected("NULL", suggestion: "compare with == or != instead of IS")
      }
      try advance()
      return .comparison(left, isNegated ? .notEqual : .equal, .value(.null))
    }
    let isNegated = try take(keyword: "NOT")
    let condition = try parseWordOperator(left)
    return isNegated ? .not(condition) : condition
  }

  private var comparisonOperator: Condition.ComparisonOperator? {
    guard case .sign(let sign) = current.kind else { return nil }
    switch sign {
    case .equal: return .equal
    case .notEqual: return .notEqual
    case .less: return .less
    case .lessOrEqual: return .lessOrEqual
    case .greater: return .greater
    case .greaterOrEqual: return .greaterOrEqual
    default: return nil
    }
  }

  private mutating func parseWordOperator(_ left: Condition.Operand) throws(StoreError) -> Condition
  {
    let word = current.keyword
    switch word {
    case "IN":
      try advance()
      let folding = try parseModifier()
      return .oneOf(left, try parseList(after: "IN"), folding)
    case "BETWEEN":
      try advance()
      return try parseBetween(left, try parseModifier())
    case "MATCHES":
      try advance()
      let folding = try parseModifier()
      let start = current.range.lowerBound
      guard case .text(let pattern)? = try takeLiteral() else {
        throw source.error(
          "the pattern of MATCHES must be a text", at: start,
          suggestion: #"write MATCHES '\\d+', or MATCHES %@ with the pattern as argument"#)
      }
      return .matches(left, pattern, folding)
    default: break
    }
    guard let word, let text = Condition.TextOperator(rawValue: word) else {
      throw operatorExpected()
    }
    try advance()
    let folding = try parseModifier()
    return .text(left, text, try parseOperand(), folding)
  }

  /// An error at the place of an operator.
  func operatorExpected() -> StoreError {
    let hint = current.keyword.flatMap { closestMatch($0, in: QueryParser.operatorWords) }
    return unexpected(
      "an operator",
      suggestion: hint.map { "did you mean \($0)?" }
        ?? "known are == != < <= > >= IN BETWEEN LIKE MATCHES CONTAINS "
        + "BEGINSWITH ENDSWITH")
  }

  /// The letters in brackets after an operator, such as `[cd]`.
  private mutating func parseModifier() throws(StoreError) -> TextComparison {
    let start = current.range.lowerBound
    guard try take(.openBracket) else { return [] }
    let known = TextComparison.letters.map { String($0.letter) }.joined(separator: " ")
    var folding = TextComparison()
    guard case .word(let word) = current.kind else {
      throw unexpected("letters such as cd", suggestion: "known are \(known)")
    }
    for (position, letter) in word.prefix(100).lowercased().enumerated() {
      guard let option = TextComparison.letters.first(where: { $0.letter == letter }) else {
        throw source.error(
          "an operator has no option \"\(letter)\"", at: current.range.lowerBound + position,
          suggestion: letter == "n" || letter == "l"
            ? "comparisons with [c] or [d] are normalized, and none depends on the locale"
            : "known are \(known)")
      }
      folding.insert(option.option)
    }
    guard word.utf8.count <= 100 else {
      throw source.error(
        "an operator has too many options", at: start, suggestion: "known are \(known)")
    }
    try advance()
    guard try take(.closeBracket) else {
      throw source.error("the options of an operator are not closed with \"]\"", at: start)
    }
    return folding
  }

  private mutating func parseBetween(_ left: Condition.Operand, _ folding: TextComparison)
    throws(StoreError) -> Condition
  {
    if current.isSign(.openBrace) || current.isSign(.open) {
      let start = current.range.lowerBound
      let values = try parseList(after: "BETWEEN")
      guard values.count == 2 else {
        throw source.error(
          "BETWEEN needs two values and has \(values.count)", at: start,
          suggestion: "write BETWEEN {1, 5} or BETWEEN 1 AND 5")
      }
      return .between(left, values[0], values[1], folding)
    }
    let lower = try parseValue("BETWEEN")
    guard try take(keyword: "AND") else { throw unexpected("AND of BETWEEN … AND …") }
    return .between(left, lower, try parseValue("BETWEEN"), folding)
  }

  /// `{1, 2}` or `(1, 2)`, which may be empty.
  private mutating func parseList(after word: String) throws(StoreError) -> [StoredValue] {
    let close: QueryToken.Sign
    if try take(.openBrace) {
      close = .closeBrace
    } else if try take(.open) {
      close = .close
    } else {
      throw unexpected("a list", suggestion: "write \(word) {1, 2}")
    }
    var values: [StoredValue] = []
    if try take(close) { return values }
    repeat { values.append(try parseValue(word)) } while try take(.comma)
    try expect(close, "or \",\" in the list")
    return values
  }

  /// A literal or an argument.
  private mutating func parseValue(_ word: String) throws(StoreError) -> StoredValue {
    if let value = try takeLiteral() { return value }
    throw unexpected("a value", suggestion: "\(word) takes values, not properties")
  }

  /// A name, or names joined by dots.
  mutating func parsePath(_ expected: String) throws(StoreError) -> PropertyPath {
    let start = current.range.lowerBound
    var names = [try parseFirstName(expected)].compactMap(\.self)
    while try take(.dot) {
      if current.isSign(.at) { break }
      names.append(try parseName("a property's name"))
    }
    if current.isSign(.openBracket) { throw unsupported("\"[\" after a property") }
    if current.isSign(.open) { throw unsupported("a function in a condition") }
    var path = PropertyPath(names)
    path.location = QueryLocation(source: source, offset: start)
    return path
  }

  /// The first name of a path; `nil` for `$x`, the record of the innermost SUBQUERY.
  private mutating func parseFirstName(_ expected: String) throws(StoreError) -> String? {
    guard case .variable(let name) = current.kind else {
      if let variable = variables.last, case .word = current.kind {
        throw source.error(
          "inside SUBQUERY a path begins with $\(variable)", at: current.range.lowerBound,
          suggestion: "write $\(variable).\(source.excerpt(current.range))",
          code: .unsupportedQuery)
      }
      return try parseName(expected)
    }
    guard name == variables.last else {
      let isOuter = variables.contains(name)
      let hint = closestMatch(name, in: variables)
      throw source.error(
        isOuter
          ? "$\(name) is the record of an outer SUBQUERY" : "nothing is named $\(name) here",
        at: current.range.lowerBound,
        suggestion: isOuter
          ? "compare with properties of $\(variables.last ?? name) only"
          : hint.map { "did you mean $\($0)?" }
            ?? "write $0 for the first argument, or SUBQUERY(items, $\(name), …)",
        code: isOuter ? .unsupportedQuery : .invalidQuery)
    }
    try advance()
    return nil
  }

  /// One name.
  mutating func parseName(_ expected: String) throws(StoreError) -> String {
    try checkToken()
    let name: String
    switch current.kind {
    case .quotedName(let quoted): name = quoted
    case .word(let word):
      guard !QueryParser.reservedWords.contains(word.uppercased()) else {
        throw unexpected(expected, suggestion: "a name like this one needs backquotes: `\(word)`")
      }
      name = word
    default: throw unexpected(expected)
    }
    try advance()
    return name
  }

  // MARK: Lists

  /// ANY, SOME, ALL or NONE before a comparison.
  mutating func takeQuantifier() throws(StoreError) -> Condition.Quantifier? {
    guard let word = current.keyword else { return nil }
    guard let quantifier = Condition.Quantifier(rawValue: word == "SOME" ? "ANY" : word) else {
      return nil
    }
    switch upcoming.kind {
    case .word(let next) where !QueryParser.operatorWords.contains(next.uppercased()): break
    case .quotedName, .variable, .sign(.open): break
    case .value, .argument, .namedArgument, .nextArgument: break
    default: return nil
    }
    try advance()
    return quantifier
  }
}
