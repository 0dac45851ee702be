/// `String` and `String?`.
public protocol TextValue {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped: TextValue {}

/// Conditions on text, of which all take what they overlook:
///
/// ```swift
/// Player.where { $0.name.contains("ika", [.caseInsensitive, .kanaInsensitive]) }
/// ```
extension Property where Value: TextValue {
  private func matched(
    _ match: Condition.TextOperator, _ text: String, _ options: TextComparison
  ) -> TypedCondition<Root> {
    TypedCondition(.text(.property(path), match, .value(.text(text)), options))
  }

  /// A text occurs in the property.
  public func contains(_ text: String, _ options: TextComparison = []) -> TypedCondition<Root> {
    matched(.contains, text, options)
  }

  /// The property begins with a text.
  public func hasPrefix(_ text: String, _ options: TextComparison = []) -> TypedCondition<Root> {
    matched(.beginsWith, text, options)
  }

  /// The property ends with a text.
  public func hasSuffix(_ text: String, _ options: TextComparison = []) -> TypedCondition<Root> {
    matched(.endsWith, text, options)
  }

  /// The property fits a pattern: `*` any run of characters, `?` one character, `\` escapes.
  public func like(_ pattern: String, _ options: TextComparison = []) -> TypedCondition<Root> {
    matched(.like, pattern, options)
  }

  /// The whole property fits a regular expression, as `MATCHES` has them.
  ///
  /// A pattern that is wrong makes the query throw ``StoreError/Code/invalidQuery``.
  public func matches(_ pattern: String, _ options: TextComparison = []) -> TypedCondition<Root> {
    TypedCondition(.matches(.property(path), pattern, options))
  }

  /// The property equals a text, but for what the options overlook.
  public func equals(_ text: String, _ options: TextComparison) -> TypedCondition<Root> {
    TypedCondition(.comparison(.property(path), .equal, .value(.text(text)), options))
  }

  /// The property equals one of several texts, but for what the options overlook.
  public func isIn(_ texts: some Sequence<String>, _ options: TextComparison)
    -> TypedCondition<Root>
  {
    TypedCondition(.oneOf(.property(path), texts.map { .text($0) }, options))
  }

  /// Two texts of a record are equal, but for what the options overlook.
  public func equals<Other: TextValue>(
    _ other: Property<Root, Other>, _ options: TextComparison
  ) -> TypedCondition<Root> {
    TypedCondition(.comparison(.property(path), .equal, .property(other.path), options))
  }
}
