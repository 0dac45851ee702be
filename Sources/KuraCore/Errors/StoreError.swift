/// Everything that can go wrong with a store, as one value.
///
/// The text never contains the content of a record. ``code`` is stable: scripts and apps may
/// decide by it, and new codes may be added in any version.
public struct StoreError: Error, Sendable, Hashable {
  /// What happened, as a stable name such as `store.missing`.
  public let code: Code
  /// The store's path as the caller gave it, if there is one.
  public var path: String?
  /// One sentence for people: what happened.
  public internal(set) var message: String
  /// What the store or the caller had, if that says more than the message.
  public var found: String?
  /// What would have been right, if that says more than the message.
  public var expected: String?
  /// One sentence for people: what to do now.
  public var suggestion: String?
  /// Whether the store may have changed although the call failed.
  public var outcome: Outcome
  /// The number of the C library's error, for reports: SQLite's extended code, LMDB's or `errno`.
  public var engineCode: Int32?
  /// How the store's schema differs from the expected one, for errors of schemas.
  public var schemaDifference: SchemaDiff?
  /// The key of the record that the error is about, where one is; the text does not show it.
  public var recordKey: RecordKey?

  /// Whether data changed although a call failed.
  public enum Outcome: String, Sendable, Hashable, Codable {
    /// The store is as it was before the call.
    case unchanged
    /// The commit failed, but it may be durable nevertheless; read the store to know.
    case unknown
    /// The part before the failure was written; the message says which.
    case partlyWritten
  }

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, path: String? = nil, found: String? = nil,
    expected: String? = nil, suggestion: String? = nil, outcome: Outcome = .unchanged,
    engineCode: Int32? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.found = found
    self.expected = expected
    self.suggestion = suggestion
    self.outcome = outcome
    self.engineCode = engineCode
  }

  /// The same error with a path, unless it has one already.
  package func at(_ path: String?) -> StoreError {
    var copy = self
    copy.path = self.path ?? path
    return copy
  }
}

extension StoreError: CustomStringConvertible {
  /// Message, details and suggestion in one text.
  public var description: String {
    var text = message
    if let path { text += " [\(FileName.shown(path))]" }
    // A message that marks a place in a query's text ends with a line of its own.
    let isMarked = message.contains("\n")
    if let found { text += "; found: \(found)" }
    if let expected { text += "; expected: \(expected)" }
    if let suggestion { text += isMarked ? "\n(\(suggestion))" : " (\(suggestion))" }
    if let schemaDifference { text += "\n\(schemaDifference)" }
    return text
  }
}
