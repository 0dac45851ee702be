extension QueryParser {
  /// The words that never are names unless they stand in backquotes.
  static let reservedWords: Set<String> = [
    "AND", "OR", "NOT", "NULL", "NIL", "TRUE", "FALSE", "TRUEPREDICATE", "FALSEPREDICATE",
  ]
  private static let operatorWords = [
    "IN", "BETWEEN", "LIKE", "CONTAINS", "BEGINSWITH", "ENDSWITH", "IS", "NOT",
  ]

  mutating func parseComparison() throws(StoreError) -> Condition {
    try refuseQuantifier()
    let left = try parseOperand()
    try refuseArithmetic()
    if let comparison = comparisonOperator {
      try advance()
      try refuseModifier()
      let right = try parseOperand()
      try refuseArithmetic()
      return .comparison(left, comparison, right)
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
      return .oneOf(left, try parseList(after: "IN"))
    case "BETWEEN":
      try advance()
      return try parseBetween(left)
    case "MATCHES":
      throw unsupported("MATCHES", suggestion: "LIKE has * and ?")
    default: break
    }
    guard let word, let text = Condition.TextOperator(rawValue: word) else {
      let hint = word.flatMap { closestMatch($0, in: QueryParser.operatorWords) }
      throw unexpected(
        "an operator",
        suggestion: hint.map { "did you mean \($0)?" }
          ?? "known are == != < <= > >= IN BETWEEN LIKE CONTAINS BEGINSWITH ENDSWITH")
    }
    try advance()
    try refuseModifier()
    return .text(left, text, try parseOperand())
  }

  private mutating func parseBetween(_ left: Condition.Operand) throws(StoreError) -> Condition {
    if current.isSign(.openBrace) || current.isSign(.open) {
      let start = current.range.lowerBound
      let values = try parseList(after: "BETWEEN")
      guard values.count == 2 else {
        throw source.error(
          "BETWEEN needs two values and has \(values.count)", at: start,
          suggestion: "write BETWEEN {1, 5} or BETWEEN 1 AND 5")
      }
      return .between(left, values[0], values[1])
    }
    let lower = try parseValue("BETWEEN")
    guard try take(keyword: "AND") else { throw unexpected("AND of BETWEEN … AND …") }
    return .between(left, lower, try parseValue("BETWEEN"))
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

  private mutating func takeLiteral() throws(StoreError) -> StoredValue? {
    if let value = try takeArgument() { return value }
    let value: StoredValue
    switch current.kind {
    case .value(let literal): value = literal
    case .word(let word):
      switch word.uppercased() {
      case "NULL", "NIL": value = .null
      case "TRUE": value = .bool(true)
      case "FALSE": value = .bool(false)
      default: return nil
      }
    default: return nil
    }
    try advance()
    return value
  }

  private mutating func parseOperand() throws(StoreError) -> Condition.Operand {
    if let value = try takeLiteral() { return .value(value) }
    if current.isSign(.at) { throw unsupported("\"@\"") }
    return .property(try parsePath("a property or a value"))
  }

  /// A name, or names joined by dots.
  mutating func parsePath(_ expected: String) throws(StoreError) -> PropertyPath {
    let start = current.range.lowerBound
    var names = [try parseName(expected)]
    while try take(.dot) {
      if current.isSign(.at) { throw unsupported("\"@\" in a path") }
      names.append(try parseName("a property's name"))
    }
    if current.isSign(.openBracket) { throw unsupported("\"[\" after a property") }
    if current.isSign(.open) { throw unsupported("a function in a condition") }
    var path = PropertyPath(names)
    path.location = QueryLocation(source: source, offset: start)
    return path
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

  // MARK: What is to come

  private func refuseQuantifier() throws(StoreError) {
    guard let word = current.keyword else { return }
    switch word {
    case "ANY", "ALL", "SOME", "NONE":
      switch upcoming.kind {
      case .word(let next) where !QueryParser.operatorWords.contains(next.uppercased()):
        throw unsupported(word)
      case .quotedName: throw unsupported(word)
      default: break
      }
    case "SUBQUERY" where upcoming.isSign(.open): throw unsupported(word)
    default: break
    }
  }

  private func refuseModifier() throws(StoreError) {
    if current.isSign(.openBracket) {
      throw unsupported(
        "an operator's modifier", suggestion: "comparisons respect letter case and accents")
    }
  }

  private func refuseArithmetic() throws(StoreError) {
    if case .sign(let sign) = current.kind {
      switch sign {
      case .plus, .minus, .times, .dividedBy: throw unsupported("arithmetic")
      default: break
      }
    }
  }
}
