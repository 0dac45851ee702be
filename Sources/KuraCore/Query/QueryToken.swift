/// One word, literal or sign of a query's text.
struct QueryToken {
  enum Kind {
    /// An unquoted word: a keyword or a name, by its place.
    case word(String)
    /// A name in backquotes, which is never a keyword.
    case quotedName(String)
    /// A literal.
    case value(StoredValue)
    /// `%@`.
    case nextArgument
    /// `$0`.
    case argument(Int)
    /// `$x`, which stands for a record of a SUBQUERY.
    case variable(String)
    /// `:name`.
    case namedArgument(String)
    /// A sign.
    case sign(Sign)
    /// The end of the text.
    case end
    /// What is no token; the error is thrown when the parser arrives at it.
    case invalid(StoreError)
  }

  enum Sign: String {
    case open = "("
    case close = ")"
    case openBrace = "{"
    case closeBrace = "}"
    case openBracket = "["
    case closeBracket = "]"
    case comma = ","
    case dot = "."
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case at = "@"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case dividedBy = "/"
  }

  let kind: Kind
  /// The offsets of the token's bytes.
  let range: Range<Int>
  /// The word in upper case, if it is an unquoted word.
  let keyword: String?

  init(kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
    keyword = if case .word(let word) = kind { word.uppercased() } else { nil }
  }

  func isSign(_ sign: Sign) -> Bool {
    if case .sign(let own) = kind { own == sign } else { false }
  }

  var isEnd: Bool {
    if case .end = kind { true } else { false }
  }
}
