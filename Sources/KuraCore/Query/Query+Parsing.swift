extension Query {
  /// Reads a query's text, such as `Dog WHERE age > 3 SORT(name) LIMIT(10)`.
  ///
  /// `docs/query-language.md` describes the language. Names are looked up when the query is
  /// executed; an error then still shows the place in the text.
  ///
  /// - Parameters:
  ///   - text: The text, at most 1 MB.
  ///   - arguments: The values of the placeholders `%@`, `$0` and `:name`; each must be used.
  ///   - model: The model, when the text has the condition and the clauses only.
  /// - Throws: ``StoreError/Code/invalidQuery`` with line, column and the place marked in the
  ///   message, ``StoreError/Code/unsupportedQuery`` for parts of the language that are to come.
  public init(parsing text: String, arguments: QueryArguments = [], model: String? = nil)
    throws(StoreError)
  {
    var parser = try QueryParser(text, arguments)
    self = try parser.parseQuery(model: model)
  }
}

extension Condition {
  /// Reads a condition's text, such as `age > 3 AND name BEGINSWITH 'R'`.
  ///
  /// - Parameters:
  ///   - text: The text, at most 1 MB.
  ///   - arguments: The values of the placeholders `%@`, `$0` and `:name`; each must be used.
  /// - Throws: As ``Query/init(parsing:arguments:model:)``.
  public init(parsing text: String, arguments: QueryArguments = []) throws(StoreError) {
    var parser = try QueryParser(text, arguments)
    self = try parser.parseWholeCondition()
  }
}

extension StoredValue {
  /// Reads one literal of the query language, such as `5`, `'text'` or `date'2026-11-30'`.
  ///
  /// `nil` when the text is anything else.
  package init?(queryLiteral text: String) {
    guard text.utf8.count <= QueryParser.maximumByteCount else { return nil }
    var lexer = QueryLexer(QuerySource(text))
    let token = lexer.next()
    guard lexer.next().isEnd else { return nil }
    switch (token.kind, token.keyword) {
    case (.value(let value), _): self = value
    case (_, "NULL"), (_, "NIL"): self = .null
    case (_, "TRUE"): self = .bool(true)
    case (_, "FALSE"): self = .bool(false)
    default: return nil
    }
  }
}
