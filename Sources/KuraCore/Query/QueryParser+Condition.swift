extension QueryParser {
  /// What stands at a place where a parenthesis may begin a condition or a number.
  private enum Parsed {
    case condition(Condition)
    /// Only directly before a closing parenthesis.
    case operand(Condition.Operand)
  }

  /// Alternatives, as a flat list however many they are.
  mutating func parseCondition() throws(StoreError) -> Condition {
    try checkToken()
    return try condition(of: try parseAlternatives(isAfterOpening: false))
  }

  /// Inside parentheses a sole operand is the beginning of arithmetic.
  private mutating func parseAlternatives(isAfterOpening: Bool) throws(StoreError) -> Parsed {
    let first = try parseConjunction(isAfterOpening: isAfterOpening)
    guard case .condition(let condition) = first else { return first }
    var parts = [condition]
    while try takeOr() {
      parts.append(try self.condition(of: try parseConjunction(isAfterOpening: false)))
    }
    return .condition(parts.count == 1 ? parts[0] : .any(parts))
  }

  private mutating func parseConjunction(isAfterOpening: Bool) throws(StoreError) -> Parsed {
    let first = try parseNegation(isAfterOpening: isAfterOpening)
    guard case .condition(let condition) = first else { return first }
    var parts = [condition]
    while try takeAnd() {
      parts.append(try self.condition(of: try parseNegation(isAfterOpening: false)))
    }
    return .condition(parts.count == 1 ? parts[0] : .all(parts))
  }

  private mutating func parseNegation(isAfterOpening: Bool) throws(StoreError) -> Parsed {
    guard try takeNot() else { return try parsePrimary(isAfterOpening: isAfterOpening) }
    var isNegated = true
    while try takeNot() { isNegated.toggle() }
    let condition = try condition(of: try parsePrimary(isAfterOpening: false))
    return .condition(isNegated ? .not(condition) : condition)
  }

  private mutating func parsePrimary(isAfterOpening: Bool) throws(StoreError) -> Parsed {
    let left: Condition.Operand
    if current.isSign(.open) {
      let inner = try nested { parser throws(StoreError) in
        try parser.parseAlternatives(isAfterOpening: true)
      }
      guard case .operand(let operand) = inner else { return inner }
      left = try parseArithmetic(after: operand)
    } else {
      switch current.keyword {
      case "TRUEPREDICATE":
        try advance()
        return .condition(.always)
      case "FALSEPREDICATE":
        try advance()
        return .condition(.never)
      default: break
      }
      if let quantifier = try takeQuantifier() {
        let comparison = try parseComparison(try parseOperand())
        return .condition(.quantified(quantifier, list: nil, comparison))
      }
      left = try parseOperand()
    }
    if isAfterOpening, current.isSign(.close) { return .operand(left) }
    return .condition(try parseComparison(left))
  }

  /// What is between the parentheses that begin at the current token.
  mutating func nested<T>(_ parse: (inout QueryParser) throws(StoreError) -> T) throws(StoreError)
    -> T
  {
    let start = current.range.lowerBound
    try expect(.open, "to begin")
    guard depth < QueryParser.maximumDepth else {
      throw source.error(
        "the parentheses are nested more than \(QueryParser.maximumDepth) deep", at: start)
    }
    depth += 1
    defer { depth -= 1 }
    let result = try parse(&self)
    try expect(.close, "to close the parenthesis")
    return result
  }

  private func condition(of parsed: Parsed) throws(StoreError) -> Condition {
    guard case .condition(let condition) = parsed else { throw operatorExpected() }
    return condition
  }

  private mutating func takeOr() throws(StoreError) -> Bool {
    if try take(.or) { return true }
    return try take(keyword: "OR")
  }

  private mutating func takeAnd() throws(StoreError) -> Bool {
    if try take(.and) { return true }
    return try take(keyword: "AND")
  }

  private mutating func takeNot() throws(StoreError) -> Bool {
    if try take(.not) { return true }
    return try take(keyword: "NOT")
  }
}
