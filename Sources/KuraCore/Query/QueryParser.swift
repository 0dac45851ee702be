/// Reads a query's text by recursive descent; `docs/query-language.md` has the grammar.
///
/// The parser keeps two tokens and never looks further, so it is linear in the text. Only
/// parentheses recurse, at most ``maximumDepth`` deep.
struct QueryParser {
  /// The most parentheses inside each other, and the most levels of a condition.
  static let maximumDepth = 200
  /// The most bytes of a text.
  static let maximumByteCount = 1 << 20

  let source: QuerySource
  private var lexer: QueryLexer
  /// The token to be read now.
  private(set) var current: QueryToken
  /// The token after it.
  private(set) var upcoming: QueryToken
  var depth = 0
  /// The names of the records of the subqueries around the current token, the innermost one last.
  var variables: [String] = []
  /// Whether a number over a group may stand here.
  var isInHaving = false

  let arguments: QueryArguments
  private var nextArgument = 0
  private var usedPositions: Set<Int> = []
  private var usedNames: Set<String> = []

  init(_ text: String, _ arguments: QueryArguments) throws(StoreError) {
    guard text.utf8.count <= QueryParser.maximumByteCount else {
      throw StoreError(
        .invalidQuery, "the query's text is too long", found: "\(text.utf8.count) bytes",
        expected: "at most \(QueryParser.maximumByteCount) bytes")
    }
    source = QuerySource(text)
    lexer = QueryLexer(source)
    current = lexer.next()
    upcoming = lexer.next()
    self.arguments = arguments
  }

  /// Goes to the next token.
  mutating func advance() throws(StoreError) {
    current = upcoming
    upcoming = lexer.next()
    try checkToken()
  }

  /// Throws what the lexer found when the parser arrives there.
  func checkToken() throws(StoreError) {
    if case .invalid(let error) = current.kind { throw error }
  }

  /// Takes a sign if it is next.
  mutating func take(_ sign: QueryToken.Sign) throws(StoreError) -> Bool {
    guard current.isSign(sign) else { return false }
    try advance()
    return true
  }

  /// Takes a keyword if it is next.
  mutating func take(keyword: String) throws(StoreError) -> Bool {
    guard current.keyword == keyword else { return false }
    try advance()
    return true
  }

  /// Takes a sign or throws.
  mutating func expect(_ sign: QueryToken.Sign, _ why: String) throws(StoreError) {
    guard try take(sign) else { throw unexpected("\"\(sign.rawValue)\" \(why)") }
  }

  /// An error that says what should be where the current token is.
  func unexpected(_ expected: String, suggestion: String? = nil) -> StoreError {
    if case .invalid(let error) = current.kind { return error }
    let found = current.isEnd ? "the text ends" : "found \"\(source.excerpt(current.range))\""
    return source.error(
      "\(found) where \(expected) should be", at: current.range.lowerBound,
      suggestion: suggestion)
  }

  /// An error for what the language has a place for but does not do yet.
  func unsupported(_ feature: String, suggestion: String? = nil) -> StoreError {
    source.error(
      "\(feature) is not supported yet", at: current.range.lowerBound, suggestion: suggestion,
      code: .unsupportedQuery)
  }

  // MARK: Arguments

  /// The value of a placeholder, which is the current token; `nil` when it is none.
  mutating func takeArgument() throws(StoreError) -> StoredValue? {
    let start = current.range.lowerBound
    let count = arguments.positional.count
    let index: Int
    switch current.kind {
    case .nextArgument:
      index = nextArgument
      nextArgument += 1
    case .argument(let given): index = given
    case .namedArgument(let name):
      guard let value = arguments.named[name] else {
        let hint = closestMatch(name, in: arguments.named.keys.sorted())
        throw source.error(
          "there is no argument named \"\(name)\"", at: start,
          suggestion: hint.map { "did you mean :\($0)?" })
      }
      usedNames.insert(name)
      try advance()
      return value
    default: return nil
    }
    guard index < count else {
      throw source.error(
        "there is no argument \(index)\(index == 0 ? "" : ", counted from 0")", at: start,
        suggestion: "\(count) \(count == 1 ? "argument was" : "arguments were") given")
    }
    usedPositions.insert(index)
    try advance()
    return arguments.positional[index]
  }

  /// Throws when an argument was given that the text does not use.
  func checkArguments() throws(StoreError) {
    if let unused = arguments.positional.indices.first(where: { !usedPositions.contains($0) }) {
      throw StoreError(
        .invalidQuery, "argument \(unused), counted from 0, is not used by the query's text",
        suggestion: "use it as %@ or $\(unused), without quotes around it")
    }
    if let unused = arguments.named.keys.sorted().first(where: { !usedNames.contains($0) }) {
      throw StoreError(
        .invalidQuery, "the argument named \"\(unused)\" is not used by the query's text",
        suggestion: "use it as :\(unused), without quotes around it")
    }
  }
}
